import JetsamTesting
import MemoryPressure
import ServiceLifecycle
import Testing

@testable import Jetsam

struct StateRequestTests {
    @Test("Once shutdown began there is no way back to active: neither while the gate waits nor while tasks are held")
    func draining() async throws {
        let fixture = try LifecycleFixture { $0.drainDelay = .seconds(1) }
        try await fixture.run(servers: []) { fixture, group in
            await fixture.record.heard("didBecomeActive")
            let task = try fixture.tasks.begin("work").intoIdentifier()
            await group.triggerGracefulShutdown()
            try await fixture.until("the gate waits") { fixture.nextDeadline == 1 }
            await #expect(throws: LifecycleRefusal.shuttingDown) { try await fixture.manager.becomeActive() }
            #expect(fixture.manager.processState == .inactive)
            fixture.machine.advance(by: .seconds(1))
            try await fixture.until("it waits for the task") { fixture.nextDeadline == 27.95 }
            await #expect(throws: LifecycleRefusal.shuttingDown) { try await fixture.manager.becomeActive() }
            await #expect(throws: LifecycleRefusal.shuttingDown) {
                try await fixture.manager.resignActive(cause: .resume)
            }
            #expect(fixture.manager.processState == .background && !fixture.manager.isReady)
            fixture.tasks.endBackgroundTask(task)
        }
        await #expect(throws: LifecycleRefusal.ended) { try await fixture.manager.becomeActive() }
        #expect(fixture.record.events.filter { $0 == "didBecomeActive" }.count == 1)
        #expect(!fixture.record.events.contains("willEnterForeground"))
    }

    @Test("A suspension that was asked for lasts until there is work again")
    func suspended() async throws {
        let fixture = try LifecycleFixture()
        try await fixture.run { fixture in
            let manager = fixture.manager
            // Begun and ended since anybody looked.
            let before = try fixture.tasks.begin("before").intoIdentifier()
            fixture.tasks.endBackgroundTask(before)
            try await manager.enterBackground()
            try await manager.suspend()
            for _ in 0..<10 {
                fixture.machine.advance(by: .seconds(1))
                await fixture.settle()
            }
            #expect(manager.processState == .suspended)
            let task = try fixture.tasks.begin("work").intoIdentifier()
            fixture.machine.advance(by: .seconds(3))
            try await fixture.until("it goes on") { manager.processState == .background }
            fixture.tasks.endBackgroundTask(task)
        }
    }

    @Test("A paused process comes back, and readiness with it")
    func pause() async throws {
        let fixture = try LifecycleFixture()
        try await fixture.run { fixture in
            let manager = fixture.manager
            try await manager.resignActive()
            #expect(manager.processState == .inactive && !manager.isReady)
            try await manager.becomeActive()
            #expect(manager.isReady)
            try await manager.enterBackground(cause: .pressure)
            #expect(manager.processState == .background && !manager.isReady)
            try await manager.becomeActive(cause: .resume)
            #expect(manager.isReady)
            // Already there.
            try await manager.becomeActive()
            #expect(
                fixture.record.events.dropFirst(3) == [
                    "willResignActive", "didBecomeActive", "willResignActive", "didEnterBackground",
                    "willEnterForeground", "didBecomeActive",
                ])
            #expect(
                fixture.record.transitions.dropFirst().map(\.cause) == [
                    .operator, .operator, .pressure, .pressure, .resume, .resume,
                ])
        }
    }

    @Test("A cause that does not fit, and a manager that does not run, are refused")
    func refused() async throws {
        let fixture = try LifecycleFixture()
        await #expect(throws: LifecycleRefusal.notRunning) { try await fixture.manager.becomeActive() }
        try await fixture.run { fixture in
            let error = await #expect(throws: LifecycleRefusal.self) {
                try await fixture.manager.resignActive(cause: .launch)
            }
            #expect(error?.isForUnknownTransition == true)
            #expect(fixture.manager.isReady)
        }
        await #expect(throws: LifecycleRefusal.ended) { try await fixture.manager.becomeActive() }
    }

    @Test("A change cannot be awaited from inside a callback; one that a callback leaves behind waits for its turn")
    func insideCallback() async throws {
        let fixture = try LifecycleFixture()
        let later = Lock<Task<Void, any Error>?>(nil)
        fixture.record.on("willResignActive") {
            await #expect(throws: LifecycleRefusal.insideCallback) { try await fixture.manager.becomeActive() }
            await #expect(throws: LifecycleRefusal.insideCallback) { try await fixture.manager.didResume() }
            let task = Task.detached { try await fixture.manager.becomeActive() }
            later.withLock { $0 = task }
        }
        try await fixture.run { fixture in
            try await fixture.manager.resignActive()
            try await later.withLock { $0 }?.value
            #expect(fixture.manager.isReady)
            #expect(fixture.record.events.suffix(2) == ["willResignActive", "didBecomeActive"])
        }
    }

    @Test("Where a gate was asked for, readiness waits until it runs")
    func gate() async throws {
        let fixture = try LifecycleFixture()
        let gate = fixture.manager.drainGate(serving: .started)
        try await fixture.run { fixture in
            #expect(fixture.manager.processState == .inactive && !fixture.manager.isReady)
            let running = Task { await gate.run() }
            await fixture.record.heard("didBecomeActive")
            #expect(fixture.manager.isReady)
            running.cancel()
            await running.value
            #expect(fixture.manager.isReady, "only the group's shutdown closes it")
        }
    }
}
