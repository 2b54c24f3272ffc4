import JetsamTesting
import MemoryPressure
import ServiceLifecycle
import Testing

@testable import BackgroundTasks
@testable import Jetsam

/// What has to be done before a change, and how long leaving takes.
struct LeavingWorkTests {
    @Test("What a callback of a change begins is let in at critical, and has the callback's deadline")
    func inCallback() async throws {
        let fixture = try LifecycleFixture { $0.backgroundDeadline = .seconds(4) }
        let (left, later) = (Lock<Duration?>(nil), Lock<Task<Void, any Error>?>(nil))
        let spot = SlowSpot()
        fixture.record.on("didEnterBackground") {
            guard var task = try? fixture.tasks.begin("save", priority: .low) else { return }
            left.withLock { $0 = task.backgroundTimeRemaining }
            task.end()
            // What it leaves behind is not what it has to do before the change.
            let more = Task {
                await spot.stay()
                _ = try fixture.tasks.begin("later").intoIdentifier()
            }
            later.withLock { $0 = more }
        }
        try await fixture.run { fixture in
            fixture.manager.simulate(.critical)
            try await fixture.until("it is critical") { !fixture.tasks.mayBegin() }
            #expect(throws: BackgroundTaskRefusal.self) { _ = try fixture.tasks.begin("outside").intoIdentifier() }
            try await fixture.manager.enterBackground()
            #expect(left.withLock { $0 } == .seconds(4))
            spot.open()
            await #expect(throws: BackgroundTaskRefusal.self) { try await later.withLock { $0 }?.value }
        }
    }

    @Test("So is what a scene's callback begins", arguments: ["willResignActive", "encodeState", "didEnterBackground"])
    func inSceneCallback(callback: String) async throws {
        let fixture = try LifecycleFixture()
        let (begun, connecting) = (Lock(0), Lock(0))
        try await fixture.run { fixture in
            fixture.manager.simulate(.critical)
            try await fixture.until("it is critical") { !fixture.tasks.mayBegin() }
            let scene = try await fixture.manager.scenes.connect(
                "a",
                observer: SceneRecord { name, _ in
                    guard name == callback || name == "willConnect" else { return }
                    guard var task = try? fixture.tasks.begin("save") else { return }
                    (name == callback ? begun : connecting).withLock { $0 += 1 }
                    task.end()
                })
            try await scene.enterBackground()
        }
        #expect(begun.withLock { $0 } == (callback == "encodeState" ? 0 : 1), "without a store nothing is encoded")
        #expect(connecting.withLock { $0 } == 0)
    }

    @Test("After the last wait nothing begins, wherever it is asked for")
    func atTheEnd() async throws {
        let fixture = try LifecycleFixture()
        let refused = Lock(false)
        fixture.record.on("willTerminate") {
            do { _ = try fixture.tasks.begin("late").intoIdentifier() } catch { refused.withLock { $0 = true } }
        }
        try await fixture.run(servers: []) { fixture, group in
            await fixture.record.heard("didBecomeActive")
            await group.triggerGracefulShutdown()
        }
        #expect(refused.withLock { $0 })
    }

    @Test(
        "How long leaving takes counts the delay, what is held or saved, and the end; never more than the grace period")
    func timeToLeave() async throws {
        let fixture = try LifecycleFixture {
            $0.drainDelay = .seconds(3)
            $0.terminationGracePeriod = .seconds(20)
        }
        try await fixture.run(servers: []) { fixture, group in
            await fixture.record.heard("didBecomeActive")
            #expect(fixture.manager.timeToLeave == .seconds(5))
            var task = try fixture.tasks.begin("work")
            // The lead and the grace of the registry.
            #expect(fixture.manager.timeToLeave == .seconds(7.5))
            fixture.record.on("didEnterBackground") { fixture.machine.advance(by: .seconds(4)) }
            try await fixture.manager.enterBackground()
            // The task has run for 4 s: 2.3 times that, in steps of 17 ms.
            let need = fixture.manager.timeToLeave - .seconds(5)
            #expect(need > .seconds(9.1) && need < .seconds(9.25))
            fixture.record.forgetActions()
            await group.triggerGracefulShutdown()
            try await fixture.until("it drains") { fixture.manager.status.process.isShuttingDown }
            #expect(fixture.manager.timeToLeave == need + .seconds(2))
            task.end()
            // What entering the background took, and the end.
            #expect(fixture.manager.timeToLeave == .seconds(6))
            try await fixture.until("the gate waits") { fixture.nextDeadline == 7 }
            fixture.machine.advance(by: .seconds(3))
        }
        #expect(
            Departure(drainDelay: .seconds(1), tasks: .seconds(2), saving: .seconds(3), exit: .seconds(4)).total
                == .seconds(8))
    }
}
