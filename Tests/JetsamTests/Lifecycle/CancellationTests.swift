import JetsamTesting
import ServiceLifecycle
import Testing

@testable import Jetsam

/// Cancellation ends a process promptly, wherever it is: in each of these the made-up time stands still.
struct CancellationTests {
    @Test("With tasks held, and observers that hang, cancellation waits for nobody")
    func running() async throws {
        let fixture = try LifecycleFixture()
        for event in ["willResignActive", "didEnterBackground", "willTerminate"] { fixture.record.hold(event) }
        try await fixture.run { fixture in
            _ = try fixture.tasks.begin("endless").intoIdentifier()
        }
        #expect(fixture.manager.processState == .notRunning && !fixture.manager.isReady)
        #expect(fixture.seconds == 0)
        // What it did not wait for is told all the same, in order.
        for event in ["willResignActive", "didEnterBackground", "willTerminate"] {
            await fixture.record.heard(event)
            fixture.record.release(event)
        }
        #expect(fixture.record.events.suffix(3) == ["willResignActive", "didEnterBackground", "willTerminate"])
    }

    @Test(
        "A launch that is cancelled while an observer hangs ends",
        arguments: ["willFinishLaunching", "didFinishLaunching"])
    func launching(event: String) async throws {
        let fixture = try LifecycleFixture()
        defer { fixture.machine.tree.remove() }
        fixture.record.hold(event)
        let running = Task { try await fixture.manager.run() }
        await fixture.record.heard(event)
        running.cancel()
        try await running.value
        #expect(fixture.manager.processState == .notRunning && !fixture.manager.isReady)
        #expect(fixture.seconds == 0)
        fixture.record.release(event)
    }

    @Test("A paused process that is cancelled is told of the background and of its end")
    func inactive() async throws {
        let fixture = try LifecycleFixture { $0.activation = .onRequest }
        try await fixture.run { fixture in #expect(fixture.manager.processState == .inactive) }
        await fixture.record.heard("willTerminate")
        #expect(fixture.record.events.dropFirst(2) == ["didEnterBackground", "willTerminate"])
        #expect(fixture.record.transitions.map(\.cause) == [.shutdown, .shutdown])
    }

    @Test("Cancelled while it drains, it waits no longer for the tasks that are held")
    func draining() async throws {
        let fixture = try LifecycleFixture()
        defer { fixture.machine.tree.remove() }
        let group = ServiceGroup(configuration: fixture.manager.serviceGroupConfiguration(servers: []))
        let running = Task { try await group.run() }
        await fixture.record.heard("didBecomeActive")
        _ = try fixture.tasks.begin("endless").intoIdentifier()
        await group.triggerGracefulShutdown()
        try await fixture.until("it waits for the task") { fixture.nextDeadline == 27.95 }
        running.cancel()
        try? await running.value
        #expect(fixture.manager.processState == .notRunning)
        #expect(fixture.seconds == 0 && fixture.tasks.heldCount == 1)
        await fixture.record.heard("willTerminate")
    }
}
