import Testing

@testable import Jetsam
@testable import JetsamPolicy

struct SceneOrderTests {
    static func facts(
        _ name: String, _ state: SceneState, _ priority: ResourcePriority = .normal, bytes: Int = 0, late: Bool = false,
        unsaved: Bool = false, age: UInt64 = 0
    ) -> SceneOrder.Facts {
        SceneOrder.Facts(
            identifier: SceneIdentifier(name)!, state: state, priority: priority, footprintBytes: bytes,
            missedDeadline: late, isUnsaved: unsaved, age: age)
    }

    private static func names(_ facts: [SceneOrder.Facts]) -> [String] { facts.map(\.identifier.text) }

    @Test("Scenes are lost by state first, from suspended to active")
    func byState() {
        let scenes = [
            Self.facts("a", .active, .low, bytes: 900), Self.facts("i", .inactive, .low), Self.facts("b", .background),
            Self.facts("s", .suspended, .high), Self.facts("u", .unattached), Self.facts("d", .disconnected),
        ]
        #expect(Self.names(SceneOrder.byLoss(scenes)) == ["s", "b", "i", "a"])
    }

    @Test("Within a state the lower priority goes first, then who missed a deadline, then the largest, then the oldest")
    func withinState() {
        let scenes = [
            Self.facts("oldest", .background, bytes: 10, age: 1), Self.facts("younger", .background, bytes: 10, age: 2),
            Self.facts("large", .background, bytes: 20, age: 3),
            Self.facts("late", .background, bytes: 1, late: true, age: 4),
            Self.facts("low", .background, .low, bytes: 1, age: 5),
            Self.facts("high", .background, .high, bytes: 99, late: true, age: 6),
        ]
        #expect(
            Self.names(SceneOrder.byLoss(scenes)) == ["low", "late", "large", "oldest", "younger", "high"])
    }

    @Test("A scene whose state cannot be saved is lost last, whatever its state")
    func unsavedLast() {
        let scenes = [
            Self.facts("unsaved", .suspended, .low, unsaved: true), Self.facts("active", .active, .high),
            Self.facts("unsaved background", .background, .low, unsaved: true),
        ]
        #expect(Self.names(SceneOrder.byLoss(scenes)) == ["active", "unsaved", "unsaved background"])
    }

    @Test("Below a newcomer rank lower states, and lower priorities in its own; never what is unsaved")
    func below() {
        func ranks(_ facts: SceneOrder.Facts) -> Bool { SceneOrder.ranks(facts, below: .active, .normal) }
        #expect(ranks(Self.facts("x", .background, .high)))
        #expect(ranks(Self.facts("x", .active, .low)))
        #expect(!ranks(Self.facts("x", .active, .normal)))
        #expect(!ranks(Self.facts("x", .suspended, .low, unsaved: true)))
        #expect(!ranks(Self.facts("x", .unattached, .low)))
        #expect(!SceneOrder.ranks(Self.facts("x", .active, .low), below: .background, .high))
    }

    @Test("Restoration goes by priority, then the smallest first")
    func restoration() {
        func stored(_ name: String, _ priority: ResourcePriority, _ bytes: Int) -> StoredScene {
            StoredScene(identifier: SceneIdentifier(name)!, priority: priority, expectedBytes: bytes, stamp: 0)
        }
        let order = SceneOrder.byRestoration([
            stored("low", .low, 1), stored("large", .normal, 9), stored("b", .normal, 2), stored("a", .normal, 2),
            stored("high", .high, 99),
        ])
        #expect(order.map(\.identifier.text) == ["high", "a", "b", "large", "low"])
    }

    @Test("A target goes to who prefers it, then to who names it, then to who takes any, by priority")
    func targets() {
        func match(_ target: String, _ scenes: [(SceneOrder.Facts, SceneTargets)]) -> String? {
            SceneOrder.match(target, scenes.map { ($0.0, $0.1) })?.text
        }
        let any = (Self.facts("any", .active, .high), SceneTargets())
        let named = (Self.facts("named", .background, .low), SceneTargets(accepted: ["t"], acceptsAny: false))
        let preferring = (Self.facts("preferring", .suspended, .low), SceneTargets(preferred: ["t"]))
        #expect(match("t", [any, named, preferring]) == "preferring")
        #expect(match("t", [any, named]) == "named")
        #expect(match("other", [any, named, preferring]) == "any")
        #expect(match("other", [named]) == nil)
        #expect(match("t", []) == nil)
        let higher = (Self.facts("higher", .background, .high), SceneTargets(preferred: ["t"]))
        #expect(match("t", [preferring, higher]) == "higher")
        let gone = (Self.facts("gone", .disconnected, .high), SceneTargets(preferred: ["t"]))
        #expect(match("t", [gone]) == nil)
    }

    @Test(
        "The order of loss is the same whatever order the scenes come in, and each is lost once", arguments: seedBatches
    )
    func stable(seeds: ClosedRange<UInt64>) {
        for seed in seeds {
            var random = SeededGenerator(seed: seed)
            let scenes = (0..<Int.random(in: 0...30, using: &random)).map { index in
                Self.facts(
                    "scene \(index)", SceneState.allCases.randomElement(using: &random)!,
                    [.low, .normal, .high].randomElement(using: &random)!, bytes: .random(in: 0...3, using: &random),
                    late: .random(using: &random), unsaved: .random(using: &random), age: UInt64(index))
            }
            let order = SceneOrder.byLoss(scenes)
            #expect(SceneOrder.byLoss(scenes.shuffled(using: &random)) == order, "seed \(seed)")
            #expect(SceneOrder.firstLost(scenes) == order.first, "seed \(seed)")
            #expect(order.count == scenes.filter { $0.state != .unattached && $0.state != .disconnected }.count)
            for (earlier, later) in zip(order, order.dropFirst()) {
                #expect(Self.mayPrecede(earlier, later), "seed \(seed): \(earlier) before \(later)")
            }
        }
    }

    /// The design's sentence, as a comparison of two neighbours.
    private static func mayPrecede(_ first: SceneOrder.Facts, _ second: SceneOrder.Facts) -> Bool {
        let states: [SceneState] = [.suspended, .background, .inactive, .active]
        func key(_ facts: SceneOrder.Facts) -> [Int] {
            [
                facts.isUnsaved ? 1 : 0, states.firstIndex(of: facts.state)!, Int(facts.priority.rawValue),
                facts.missedDeadline ? 0 : 1, -facts.footprintBytes, Int(facts.age),
            ]
        }
        return key(first).lexicographicallyPrecedes(key(second))
    }
}
