import Testing

@testable import Jetsam

struct SceneMachineTests {
    /// Every change that there may be; all others are refused.
    static let table: [SceneState: Set<SceneState>] = [
        .unattached: [.inactive, .background, .disconnected],
        .inactive: [.active, .background, .disconnected],
        .active: [.inactive],
        .background: [.inactive, .suspended, .disconnected],
        .suspended: [.background, .disconnected],
        .disconnected: [],
    ]

    static let pairs = SceneState.allCases.flatMap { from in SceneState.allCases.map { (from, $0) } }

    /// A machine that was led to a state along allowed changes.
    static func machine(in state: SceneState) throws -> SceneMachine {
        let ways: [SceneState: [SceneState]] = [
            .unattached: [], .inactive: [.inactive], .active: [.inactive, .active], .background: [.background],
            .suspended: [.background, .suspended], .disconnected: [.background, .disconnected],
        ]
        var machine = SceneMachine()
        for next in try #require(ways[state]) {
            _ = try machine.begin(next, cause: .client)
            _ = machine.commit()
        }
        return machine
    }

    @Test("Exactly the changes of the table are allowed", arguments: pairs)
    func transitions(from: SceneState, to: SceneState) throws {
        var machine = try Self.machine(in: from)
        if Self.table[from]?.contains(to) == true {
            let actions = try machine.begin(to, cause: .client)
            #expect(machine.state == from)
            #expect(actions.filter { $0 == .commit }.count == 1)
            #expect(machine.commit() == from)
            #expect(machine.state == to)
        } else {
            #expect(throws: SceneRefusal.transition(from: from, to: to)) { try machine.begin(to, cause: .client) }
            #expect(machine.state == from)
        }
    }

    @Test("A way leads to every state that can be reached, along allowed changes only", arguments: pairs)
    func paths(from: SceneState, to: SceneState) throws {
        let machine = try Self.machine(in: from)
        let isImpossible = from != to && (from == .disconnected || to == .unattached)
        guard let path = machine.path(to: to) else {
            #expect(isImpossible)
            return
        }
        #expect(!isImpossible)
        #expect((path.last ?? from) == to)
        var state = from
        for next in path {
            #expect(Self.table[state]?.contains(next) == true)
            state = next
        }
    }

    @Test("A scene that ends from the foreground goes through the background, a suspended one ends at once")
    func endings() throws {
        #expect(try Self.machine(in: .active).path(to: .disconnected) == [.inactive, .background, .disconnected])
        #expect(try Self.machine(in: .inactive).path(to: .disconnected) == [.background, .disconnected])
        #expect(try Self.machine(in: .suspended).path(to: .disconnected) == [.disconnected])
    }

    @Test("A suspended scene hears only afterwards that it was lost")
    func suspendedLoss() throws {
        var machine = try Self.machine(in: .suspended)
        #expect(try machine.begin(.disconnected, cause: .pressure) == [.commit, .endBelongings, .tell(.didDisconnect)])
    }

    @Test("State is saved at each step down and not at the end")
    func saves() throws {
        let saving: [(SceneState, SceneState)] = [
            (.active, .inactive), (.inactive, .background), (.background, .suspended),
        ]
        for (from, to) in Self.pairs where Self.table[from]?.contains(to) == true {
            var machine = try Self.machine(in: from)
            let actions = try machine.begin(to, cause: .pressure)
            #expect(actions.contains(.save) == saving.contains { $0 == (from, to) }, "\(from) → \(to)")
        }
    }

    @Test("A second change cannot begin before the first is committed or given up")
    func oneAtATime() throws {
        var machine = try Self.machine(in: .background)
        _ = try machine.begin(.suspended, cause: .client)
        #expect(throws: SceneRefusal.self) { try machine.begin(.inactive, cause: .client) }
        machine.abandon()
        #expect(machine.state == .background)
        _ = try machine.begin(.inactive, cause: .client)
        #expect(machine.commit() == .background)
        #expect(machine.commit() == .inactive, "without a change nothing is committed")
        #expect(machine.state == .inactive)
    }

    @Test("Random walks stay on the table", arguments: seedBatches)
    func walks(seeds: ClosedRange<UInt64>) {
        for seed in seeds {
            var random = SeededGenerator(seed: seed)
            var machine = SceneMachine()
            var model = SceneState.unattached
            for _ in 0..<200 {
                let target = SceneState.allCases.randomElement(using: &random)!
                let begun = (try? machine.begin(target, cause: .client)) != nil
                #expect(begun == (Self.table[model]?.contains(target) == true), "seed \(seed)")
                guard begun else { continue }
                if Bool.random(using: &random) {
                    machine.abandon()
                } else {
                    _ = machine.commit()
                    model = target
                }
                #expect(machine.state == model, "seed \(seed)")
                if model == .disconnected {
                    machine = SceneMachine()
                    model = .unattached
                }
            }
        }
    }
}
