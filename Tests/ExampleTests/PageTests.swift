import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct PageTests {
    @Test("The page on testing shows the tests beside this one, and these pass")
    func testingYourCode() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let page = folder.appending(path: "../../Sources/Jetsam/Documentation.docc/TestingYourCode.md")
        let example = try String(contentsOf: folder.appending(path: "TestingYourCode.swift"), encoding: .utf8)
        #expect(try String(contentsOf: page, encoding: .utf8).contains("```swift\n\(example)```\n"))
    }
}
