import JetsamTesting
import MemoryPressure
import Testing

@testable import Jetsam
@testable import JetsamPolicy

/// What the process and its scenes owe each other while they change.
struct SceneCallbackTests {
    @Test(
        "A change of the process that is awaited inside a scene's callback is refused, whoever began the scene's change"
    )
    func refused() async throws {
        let fixture = try LifecycleFixture()
        let refusals = Lock<[String: LifecycleRefusal]>([:])
        try await fixture.run { fixture in
            let manager = fixture.manager
            let ask: @Sendable (String) async -> Void = { [unowned manager] name in
                do throws(LifecycleRefusal) {
                    if name.hasPrefix("did") { try await manager.didResume() } else { try await manager.becomeActive() }
                } catch {
                    refusals.withLock { $0[name] = error }
                }
            }
            let registration = fixture.registry.registerAsynchronous(
                "cache", scene: "a", limit: { _ in await ask("limit") }, release: { _ in 0 })
            registration.update(bytes: 100)
            let scene = try await manager.scenes.connect("a", observer: SceneRecord { name, _ in await ask(name) })
            let changes = Task {
                try await manager.enterBackground()
                try await manager.becomeActive()
                try await scene.disconnect()
            }
            try await fixture.until("the scene is gone") { scene.sceneState == .disconnected }
            try await changes.value
            #expect(manager.processState == .active)
            registration.end()
        }
        let called = [
            "willConnect", "didBecomeActive", "willResignActive", "didEnterBackground", "willEnterForeground", "limit",
            "didDisconnect",
        ]
        #expect(Set(refusals.withLock { $0.keys }) == Set(called))
        #expect(refusals.withLock { $0.values.allSatisfy { $0 == .insideCallback } })
    }

    @Test("Work that a scene's callback leaves behind may change the process once the callback has returned")
    func leftBehind() async throws {
        let fixture = try LifecycleFixture()
        try await fixture.run { fixture in
            let manager = fixture.manager
            let spot = SlowSpot()
            let later = Lock<Task<Void, any Error>?>(nil)
            let record = SceneRecord { name, _ in
                guard name == "didBecomeActive" else { return }
                let task = Task {
                    await spot.stay()
                    try await manager.enterBackground()
                }
                later.withLock { $0 = task }
            }
            _ = try await manager.scenes.connect("a", observer: record)
            spot.open()
            try await later.withLock { $0 }?.value
            #expect(manager.processState == .background)
        }
    }

    @Test("Scenes have half of a change's time, and the process's own observers the rest")
    func half() async throws {
        let fixture = try LifecycleFixture()
        try await fixture.run { fixture in
            let manager = fixture.manager
            let spot = SlowSpot()
            let slow = SceneRecord { name, _ in if name == "willResignActive" { await spot.stay() } }
            _ = try await manager.scenes.connect("a", observer: slow)
            let change = Task { try await manager.resignActive() }
            await spot.gate.waitForArrivals(1)
            fixture.machine.advance(by: .milliseconds(2499))
            #expect(!fixture.record.events.contains("willResignActive"))
            fixture.machine.advance(by: .milliseconds(1))
            try await fixture.until("the process has gone on") { manager.processState == .inactive }
            try await change.value
            #expect(fixture.record.events.last == "willResignActive")
            #expect(manager.processState == .inactive && fixture.seconds == 2.5)
            #expect(manager.status.process.missedDeadlines == 0, "the observer was not late")
            spot.open()
        }
    }

    @Test("What still empties the caches of a suspended process is cancelled when it wakes, and not before")
    func giveBack() async throws {
        let machine = SimulatedMachine(tree: try .v2(limit: 512 * mebibyte))
        defer { machine.tree.remove() }
        let spot = SlowSpot()
        let cancelled = Lock(0)
        let tasks = machine.makeBackgroundTaskRegistry()
        let dependencies = LifecycleDependencies(
            clock: machine.clock, logger: LogRecord().logger, ticker: SamplerThread(), tasks: tasks,
            variables: [:], processID: 1, nextSequence: { 0 }, exit: { _ in }, gauges: LeavingGauges(tasks: tasks),
            memory: SlowMemory {
                await withTaskCancellationHandler {
                    await spot.stay()
                } onCancel: {
                    cancelled.withLock { $0 += 1 }
                }
            })
        let lifecycle = ProcessLifecycle(configuration: .init(), dependencies: dependencies)
        await lifecycle.beginLaunch()
        await lifecycle.finishLaunch()
        let suspending = Task { try await lifecycle.request(.suspended, cause: .operator) }
        await spot.gate.waitForArrivals(1)
        machine.clock.advance(by: .seconds(5))
        lifecycle.waits.deadlines.runDue()
        try await suspending.value
        #expect(lifecycle.processState == .suspended)
        #expect(cancelled.withLock { $0 } == 0, "it is late, and goes on")
        try await lifecycle.request(.background, cause: .operator)
        #expect(cancelled.withLock { $0 } == 1)
        spot.open()
    }
}

/// A process's memory that takes its time to be given back.
private struct SlowMemory: ProcessMemory {
    let body: @Sendable () async -> Void

    func follow(_ state: ProcessState, isDraining: Bool) {}
    func emptySensitive() async {}
    func giveBack() async { await body() }
}
