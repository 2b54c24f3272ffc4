import SystemPackage
import Testing

@testable import Jetsam

struct SceneIdentifierTests {
    private static let composed: SceneIdentifier = "caf\u{E9}"
    private static let decomposed: SceneIdentifier = "cafe\u{301}"

    @Test("Two spellings of one text are two scenes with a state each, as they are two files")
    func spellings() async throws {
        #expect(Self.composed.text == Self.decomposed.text, "strings are compared by what they mean")
        #expect(Self.composed != Self.decomposed)
        #expect(Set([Self.composed, Self.decomposed, Self.composed]).count == 2)
        let directory = try TemporaryDirectory()
        let store = try FileStateStore(directory: directory.path.appending("states"))
        let fixture = SceneFixture(otherStore: store)
        for identifier in [Self.composed, Self.decomposed] {
            try await fixture.scenes.connect(identifier, observer: SceneRecord()).suspend()
        }
        #expect(fixture.scenes.count == 2)
        for identifier in [Self.composed, Self.decomposed] {
            let state = try #require(try await store.load(identifier))
            #expect(Array(state.0.identifier.text.utf8) == Array(identifier.text.utf8))
        }
    }

    @Test("Exactly one of before, equal and after holds for any two")
    func order() {
        let identifiers = [Self.composed, Self.decomposed, "cafe", "caff", "d", "\u{1F600}"].map {
            $0 as SceneIdentifier
        }
        for (first, one) in identifiers.enumerated() {
            for (second, other) in identifiers.enumerated() {
                #expect([one < other, one == other, other < one].filter { $0 }.count == 1)
                #expect((one == other) == (first == second))
            }
        }
        #expect(identifiers.sorted() == identifiers.shuffled().sorted())
    }
}
