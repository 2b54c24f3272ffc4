import SystemPackage
import Testing

@testable import Jetsam
@testable import JetsamPolicy

struct RulesTests {
    @Test("Every rule has its memory in the list, at the place of its number")
    func list() {
        let names = PressureRule.all.map { "\($0)" }
        #expect(Mirror(reflecting: Rules(ManagerConfiguration())).children.map(\.label) == names)
        #expect(PressureRule.all.map(\.code) == Array(names.indices))
        #expect(PressureRule.words == names)
        #expect(PressureRule(code: names.count) == nil)
        let pairs = zip(PressureRule.all, PressureRule.all.dropFirst())
        #expect(pairs.allSatisfy { ObjectIdentifier($0.type) != ObjectIdentifier($1.type) })
    }

    @Test("The page says what each rule means and what it goes by, and of no others")
    func page() throws {
        let text = try text(of: "WhenItActed")
        let table = text[try #require(text.firstRange(of: "| the rule |")).upperBound...].split(separator: "\n")
        let rows = table.dropFirst(2).prefix { $0.hasPrefix("|") }.map { $0.split(separator: "|") }
        #expect(rows.map { $0[0].filter { $0 != "`" && $0 != " " } } == PressureRule.words)
        #expect(rows.allSatisfy { $0.count == 4 && $0.allSatisfy { $0.count > 5 } })
    }

    @Test("A trace has every setting that decides, and none of those that are words, paths or lists")
    func header() {
        let deciding = ManagerSetting.all.filter { $0.decides && !$0.isFixed }
        let fields = EveryRecord.fields(of: TraceHeader.self).map(\.name)
        #expect(Array(fields.suffix(deciding.count)) == deciding.map(\.name))
        #expect(fields.count - deciding.count == 6)
    }

    private func text(of page: String) throws -> String {
        var root = FilePath(#filePath)
        for _ in 0..<4 { root.removeLastComponent() }
        let path = root.appending("Sources/Jetsam/Documentation.docc/\(page).md")
        let descriptor = try FileDescriptor.open(path, .readOnly)
        defer { try? descriptor.close() }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = try unsafe bytes.withUnsafeMutableBytes { unsafe try descriptor.read(into: $0) }
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}
