import JetsamTesting
import MemoryPressure
import Testing

@testable import Jetsam

/// Warnings reach whoever hears of the life cycle, and of a scene.
struct MemoryWarningTests {
    private final class Listener: LifecycleObserver, SceneObserver {
        let heard = Lock<[String]>([])

        func didReceiveMemoryWarning(_ change: LevelChange) async {
            heard.withLock { $0.append("process \(change.level) \(change.reason.rule)") }
        }

        func didReceiveMemoryWarning(_ scene: ServerScene, _ change: LevelChange) async {
            heard.withLock { $0.append("\(scene.identifier) \(change.level)") }
        }
    }

    @Test("Observers of the process and of scenes hear each rise with its reason, and no return to normal")
    func rises() async throws {
        let fixture = try LifecycleFixture()
        let (process, scenes) = (Listener(), Listener())
        fixture.manager.observeLifecycle(process)
        try await fixture.run { fixture in
            let manager = fixture.manager
            _ = try await manager.scenes.connect("awake", observer: scenes)
            try await manager.scenes.connect("asleep", observer: scenes).suspend()
            manager.simulate(.warning)
            try await fixture.until("both have heard") {
                process.heard.withLock { $0.count } == 1 && scenes.heard.withLock { $0.count } == 1
            }
            manager.simulate(.critical)
            try await fixture.until("both have heard") {
                process.heard.withLock { $0.count } == 2 && scenes.heard.withLock { $0.count } == 2
            }
            manager.simulate(.normal)
            for _ in 0..<100 { fixture.machine.advance(by: .milliseconds(100)) }
            await fixture.settle()
            #expect(manager.level == .normal)
        }
        #expect(process.heard.withLock { $0 } == ["process warning external", "process critical external"])
        #expect(scenes.heard.withLock { $0 } == ["awake warning", "awake critical"])
    }

    @Test("A warning is told in its turn among the changes, and holds none of them up")
    func order() async throws {
        let fixture = try LifecycleFixture()
        let record = LifecycleRecord()
        let order = Lock<[String]>([])
        struct Ordered: LifecycleObserver {
            let order: Lock<[String]>
            let record: LifecycleRecord

            func willResignActive(_ transition: ProcessTransition) async {
                order.withLock { $0.append("resigns") }
                await record.willResignActive(transition)
            }
            func didReceiveMemoryWarning(_ change: LevelChange) async { order.withLock { $0.append("warning") } }
            func didEnterBackground(_ transition: ProcessTransition) async {
                order.withLock { $0.append("background") }
            }
        }
        record.hold("willResignActive")
        fixture.manager.observeLifecycle(Ordered(order: order, record: record))
        try await fixture.run { fixture in
            let change = Task { try await fixture.manager.resignActive() }
            await record.heard("willResignActive")
            fixture.manager.simulate(.warning)
            try await fixture.until("it is known") { fixture.lifecycle.turn.waiting > 0 }
            record.release("willResignActive")
            try await change.value
            try await fixture.until("it is told") { order.withLock { $0.contains("warning") } }
            try await fixture.manager.enterBackground()
        }
        #expect(order.withLock { $0 } == ["resigns", "warning", "background"])
    }
}
