import JetsamTesting
import MemoryPressure
import ServiceLifecycle
import Testing

@testable import BackgroundTasks
@testable import Jetsam
@testable import JetsamPolicy

/// A process that ends instead of suspending: never in the background on its way, never suspended.
struct ExitsOnSuspendTests {
    private static func fixture(
        _ configure: (inout ManagerConfiguration.Lifecycle) -> Void = { _ in }
    ) throws -> LifecycleFixture {
        try LifecycleFixture {
            $0.exitsOnSuspend = true
            $0.idleDelay = .seconds(10)
            configure(&$0)
        }
    }

    @Test("An idle process is told that it ends, and takes its group with it, in order")
    func idle() async throws {
        let fixture = try Self.fixture { $0.launchesIntoBackground = true }
        let group = GroupRecord()
        fixture.record.on("willTerminate") { group.note("willTerminate") }
        let services = [FakeService("database", in: group), FakeService("server", in: group)]
        try await fixture.run(needs: [services[0]], servers: [services[1]]) { fixture, _ in
            fixture.machine.advance(by: .seconds(12))
        }
        let process = fixture.manager.status.process
        #expect(process.state == .notRunning && process.cause == .idle && process.transition?.from == .background)
        #expect(fixture.record.events == ["willFinishLaunching", "didFinishLaunching", "willTerminate"])
        let events = group.events.filter { !$0.hasSuffix("runs") }
        #expect(
            events == ["server is told", "server ended", "willTerminate", "database is told", "database ended"])
        #expect(fixture.seconds == 12)
        #expect(fixture.logs.lines.contains { $0.text.hasPrefix("The process ends instead of suspending (idle)") })
    }

    @Test(
        "An active process that is to enter the background, or to suspend, resigns and ends: neither state is passed",
        arguments: [false, true], [LifecycleCause.operator, .pressure])
    func asked(suspends: Bool, cause: LifecycleCause) async throws {
        let fixture = try Self.fixture()
        let group = GroupRecord()
        try await fixture.run(servers: [FakeService("server", in: group)]) { fixture, _ in
            await fixture.record.heard("didBecomeActive")
            if suspends {
                try await fixture.manager.suspend(cause: cause)
            } else {
                try await fixture.manager.enterBackground(cause: cause)
            }
            #expect(!fixture.manager.isReady && fixture.record.events.last != "didBecomeActive")
            await #expect(throws: LifecycleRefusal.self) { try await fixture.manager.becomeActive() }
        }
        #expect(
            fixture.record.events == [
                "willFinishLaunching", "didFinishLaunching", "didBecomeActive", "willResignActive", "willTerminate",
            ])
        let process = fixture.manager.status.process
        #expect(process.cause == cause && process.transition?.from == .inactive)
        #expect(group.events == ["server runs", "server is told", "server ended"])
    }

    @Test("Held tasks are waited for, and told when the grace period is nearly over", arguments: [false, true])
    func held(endsInTime: Bool) async throws {
        let fixture = try Self.fixture()
        let told = Lock(false)
        try await fixture.run(servers: []) { fixture, _ in
            await fixture.record.heard("didBecomeActive")
            let task = fixture.tasks.beginBackgroundTask(withName: "work") { told.withLock { $0 = true } }
            try await fixture.manager.suspend()
            await fixture.settle()
            #expect(fixture.manager.processState == .inactive)
            #expect(fixture.tasks.backgroundTimeRemaining(of: task) == .seconds(26))
            if endsInTime {
                fixture.tasks.endBackgroundTask(task)
            } else {
                try await fixture.until("it waits for the task") { fixture.nextDeadline == 27.95 }
                fixture.machine.advance(by: .seconds(28))
            }
        }
        #expect(told.withLock { $0 } == !endsInTime)
        #expect(fixture.record.events.last == "willTerminate")
        #expect(!fixture.record.events.contains("didEnterBackground"))
        #expect(fixture.seconds == (endsInTime ? 0 : 28))
    }

    @Test("A manager without a gate ends by itself")
    func alone() async throws {
        let fixture = try Self.fixture()
        defer { fixture.machine.tree.remove() }
        let running = Task { try await fixture.manager.run() }
        await fixture.record.heard("didBecomeActive")
        try await fixture.manager.enterBackground()
        try await running.value
        #expect(fixture.record.events.suffix(2) == ["willResignActive", "willTerminate"])
        #expect(fixture.manager.processState == .notRunning)
    }

    @Test("An end that was asked for goes through the background, where work is saved")
    func shutdown() async throws {
        let fixture = try Self.fixture()
        try await fixture.run(servers: []) { fixture, group in
            await fixture.record.heard("didBecomeActive")
            await group.triggerGracefulShutdown()
        }
        #expect(
            fixture.record.events.dropFirst(3) == ["willResignActive", "didEnterBackground", "willTerminate"])
        #expect(fixture.manager.status.process.cause == .shutdown)
    }

    @Test("One that is cancelled while it leaves ends at once, and still passes through neither state")
    func cancelled() async throws {
        let fixture = try Self.fixture()
        try await fixture.run { fixture in
            let task = fixture.tasks.beginBackgroundTask(withName: "work")
            try await fixture.manager.enterBackground()
            #expect(task != .invalid)
        }
        await fixture.record.heard("willTerminate")
        #expect(fixture.record.events.suffix(2) == ["willResignActive", "willTerminate"])
    }

    @Test("A cause that could not lead there is refused, and the process goes on")
    func refused() async throws {
        let fixture = try Self.fixture()
        try await fixture.run { fixture in
            let error = await #expect(throws: LifecycleRefusal.self) {
                try await fixture.manager.enterBackground(cause: .launch)
            }
            #expect(error?.isForUnknownTransition == true)
            #expect(fixture.manager.isReady)
            // A pause is no departure.
            try await fixture.manager.resignActive()
            try await fixture.manager.becomeActive()
            #expect(fixture.manager.isReady)
        }
    }

    @Test("Scenes are taken down and told, each callback in its place")
    func scenes() async throws {
        let fixture = try Self.fixture()
        let scene = SceneRecord()
        try await fixture.run(servers: []) { fixture, _ in
            await fixture.record.heard("didBecomeActive")
            _ = try await fixture.manager.scenes.connect("a", observer: scene)
            try await fixture.manager.suspend()
        }
        #expect(SceneLegality.problem(scene.calls) == nil)
        #expect(scene.calls.contains("didEnterBackground") && scene.calls.last == "willTerminate")
        #expect(fixture.manager.scenes.scenes.isEmpty)
    }
}
