import MemoryPressure
import Testing

@testable import Jetsam

/// The values that scenes' owners decide by.
struct SceneRegistryTests {
    @Test(
        "What serves is refused above the ceiling, and what does not serve is not",
        arguments: [SceneState.active, .inactive, .background, .suspended])
    func ceiling(state: SceneState) {
        let running = SceneRegistry.Ceiling.running(state)
        for target in [SceneState.active, .inactive] {
            let isAbove = SceneOrder.rank(target)! > SceneOrder.rank(state)!
            #expect(running.refusal(of: target) == (isAbove ? .processState(state.description) : nil))
            #expect(SceneRegistry.Ceiling.ending(state).refusal(of: target) == .processState("shutting down"))
        }
        #expect(running.refusal(of: .background) == nil && running.refusal(of: .disconnected) == nil)
        #expect(running.reach == state && SceneRegistry.Ceiling.ending(state).reach == .background)
    }

    @Test("A process that has begun to end goes on ending, until it comes up again")
    func ending() {
        var registry = SceneRegistry()
        #expect(registry.ceiling == .running(.active))
        registry.goDown(to: .inactive, isFinal: true)
        registry.goDown(to: .background, isFinal: false)
        #expect(registry.ceiling == .ending(.background))
        registry.comeUp(to: .inactive)
        #expect(registry.ceiling == .running(.inactive))
    }

    @Test("A name is taken once, a refused scene is not made, and only the scene of a name can leave it")
    func names() throws {
        let manager = SceneFixture().scenes
        var registry = SceneRegistry()
        func enter(_ name: SceneIdentifier, atMost maximum: Int = 2) throws -> ServerScene {
            try registry.enter(name, for: .background, atMost: maximum) { age in
                let connection = SceneConnection(identifier: name, origin: .system, observer: SceneRecord())
                return ServerScene(connection, age: age, parts: manager.parts, manager: manager)
            }
        }
        #expect(!registry.hasConnected)
        let first = try enter("a")
        #expect(throws: SceneRefusal.alreadyConnected) { try enter("a") }
        #expect(throws: SceneRefusal.tooManyScenes(1)) { try enter("b", atMost: 1) }
        #expect(registry.count == 1 && registry["a"] === first)
        let removed = registry.remove(first)
        #expect(removed === first)
        let second = try enter("a")
        let other = registry.remove(first)
        #expect(other == nil && registry["a"] === second)
        #expect(first.facts(canSave: true).age == 1 && second.facts(canSave: true).age == 2)
        registry.goDown(to: .background, isFinal: true)
        #expect(throws: SceneRefusal.processState("shutting down")) { try enter("c") }
    }

    @Test("What attempts show counts only while the application does not deny the store")
    func availability() {
        var availability = StoreAvailability.available
        func expect(_ hasChanged: Bool, _ next: StoreAvailability, _ change: (inout StoreAvailability) -> Bool) {
            let result = change(&availability)
            #expect(result == hasChanged && availability == next)
        }
        expect(false, .available) { $0.noteAttempt(hasFailed: false) }
        expect(true, .failed) { $0.noteAttempt(hasFailed: true) }
        expect(false, .failed) { $0.noteAttempt(hasFailed: true) }
        expect(false, .denied) { $0.allow(false) }
        expect(false, .denied) { $0.noteAttempt(hasFailed: false) }
        expect(true, .available) { $0.allow(true) }
        expect(true, .denied) { $0.allow(false) }
        expect(false, .denied) { $0.noteAttempt(hasFailed: true) }
        expect(true, .available) { $0.allow(true) }
        expect(true, .failed) { $0.noteAttempt(hasFailed: true) }
        expect(true, .available) { $0.noteAttempt(hasFailed: false) }
    }

    @Test("Scenes that are left for later stay until they are tried or listed anew")
    func progress() {
        let scenes = (["a", "b"] as [SceneIdentifier]).map {
            StoredScene(identifier: $0, priority: .normal, expectedBytes: 0, stamp: 1)
        }
        var progress = RestorationProgress()
        #expect(!progress.isDue && !progress.hasPostponed)
        progress.begin()
        let taken = progress.takePostponed()
        #expect(progress.isListingDue && taken == nil)
        progress.wasListed()
        progress.postpone(scenes)
        #expect(progress.hasPostponed && progress.isDue && !progress.isListingDue)
        let tried = progress.takePostponed()
        #expect(tried == scenes)
        #expect(progress.isTrying && progress.hasPostponed && progress.postponed.isEmpty && !progress.isDue)
        progress.postpone([scenes[1]])
        progress.wasTried()
        #expect(progress.hasPostponed && progress.postponed == [scenes[1]])
        progress.begin()
        progress.wasListed()
        #expect(!progress.hasPostponed, "what was left for later is in the list")
    }
}
