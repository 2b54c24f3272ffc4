import JetsamTesting
import MemoryPressure
import Testing

@testable import Jetsam

extension LifecycleFixture {
    /// The steps of the launch, as the log tells them.
    fileprivate var launchSteps: [LaunchStep] {
        logs.lines.compactMap { line in
            line.text.hasPrefix("Launch: ") ? LaunchStep(rawValue: String(line.text.dropFirst(8))) : nil
        }
    }
}

struct LaunchTests {
    @Test("A launch goes through its steps in order, and readiness follows the last callback")
    func order() async throws {
        let fixture = try LifecycleFixture()
        let seen = Lock<[String: [LaunchStep]]>([:])
        for event in ["willFinishLaunching", "didFinishLaunching"] {
            fixture.record.on(event) {
                let steps = fixture.launchSteps
                seen.withLock { $0[event] = steps }
                #expect(!fixture.manager.isReady)
            }
        }
        try await fixture.run { fixture in
            #expect(fixture.manager.processState == .active && fixture.manager.isReady)
            #expect(
                fixture.record.events == ["willFinishLaunching", "didFinishLaunching", "didBecomeActive"])
        }
        #expect(fixture.launchSteps == [.configuration, .descriptors, .recorder, .sampler, .restore, .serve])
        #expect(seen.withLock { $0["willFinishLaunching"] } == [.configuration, .descriptors, .recorder])
        #expect(seen.withLock { $0["didFinishLaunching"] } == LaunchStep.allCases)
    }

    @Test(
        "Who started the process is told from what the supervisor set",
        arguments: [
            ([:], LaunchReason.Starter.operator),
            (["INVOCATION_ID": "6f"], .supervisor), (["NOTIFY_SOCKET": "/run/systemd/notify"], .supervisor),
            (["KUBERNETES_SERVICE_HOST": "10.0.0.1"], .supervisor),
            (["LISTEN_FDS": "1", "LISTEN_PID": "4711", "INVOCATION_ID": "6f"], .socket),
            (["LISTEN_FDS": "1", "LISTEN_PID": "4712", "INVOCATION_ID": "6f"], .supervisor),
            (["LISTEN_FDS": "0", "LISTEN_PID": "4711"], .operator), (["LISTEN_FDS": "x"], .operator),
            (["INVOCATION_ID": "6f", "TRIGGER_UNIT": "backup.timer"], .timer),
            (["INVOCATION_ID": "6f", "TRIGGER_UNIT": "backup.socket"], .socket),
            (["INVOCATION_ID": "6f", "TRIGGER_TIMER_MONOTONIC_USEC": "12"], .timer),
        ])
    func reason(variables: [String: String], starter: LaunchReason.Starter) async throws {
        #expect(LaunchDetails(variables: variables, arguments: [], processID: 4711).reason.starter == starter)
    }

    @Test("The first callback and the status say how the process was started")
    func toldReason() async throws {
        let variables = [
            "TRIGGER_UNIT": "backup.timer", "LISTEN_FDS": "1", "LISTEN_PID": "4711", "LISTEN_FDNAMES": "http",
            "JETSAM_LAUNCH_PAYLOAD": "tenant 7",
        ]
        let fixture = try LifecycleFixture(variables: variables, arguments: ["--once"])
        let expected = LaunchReason(
            starter: .socket, sockets: [LaunchReason.Socket(descriptor: 3, name: "http")],
            trigger: LaunchReason.Trigger(unit: "backup.timer"), arguments: ["--once"], payload: "tenant 7")
        try await fixture.run { fixture in
            #expect(fixture.record.reasons == [expected])
            #expect(fixture.manager.status.process.launchReason == expected)
        }
        let line = try #require(fixture.logs.lines.first { $0.text.hasPrefix("Launch: started by") })
        #expect(line.text.contains("http (3)") && line.text.contains("1 argument"))
        #expect(!fixture.logs.lines.contains { $0.text.contains("tenant 7") || $0.text.contains("--once") })
    }

    @Test("A launch into the background is not ready before it is asked to be")
    func intoBackground() async throws {
        let fixture = try LifecycleFixture { $0.launchesIntoBackground = true }
        try await fixture.run { fixture in
            #expect(fixture.manager.processState == .background && !fixture.manager.isReady)
            #expect(fixture.record.events == ["willFinishLaunching", "didFinishLaunching"])
            try await fixture.manager.becomeActive()
            #expect(fixture.manager.isReady)
            #expect(fixture.record.events.suffix(2) == ["willEnterForeground", "didBecomeActive"])
            #expect(fixture.record.transitions.map(\.cause) == [.operator, .operator])
        }
    }

    @Test("Becoming active on request waits for the request")
    func onRequest() async throws {
        let fixture = try LifecycleFixture { $0.activation = .onRequest }
        try await fixture.run { fixture in
            #expect(fixture.manager.processState == .inactive && !fixture.manager.isReady)
            try await fixture.manager.becomeActive()
            #expect(fixture.manager.isReady)
        }
    }

    @Test("A late launch goes on and names the observer; one that was extended has the time it asked for")
    func deadline() async throws {
        let fixture = try LifecycleFixture()
        fixture.record.hold("willFinishLaunching")
        defer { fixture.machine.tree.remove() }
        let task = Task { try await fixture.manager.run() }
        await fixture.record.heard("willFinishLaunching")
        fixture.manager.extendLaunch(by: .seconds(10))
        fixture.machine.advance(by: .seconds(14))
        #expect(fixture.manager.status.process.missedDeadlines == 0)
        fixture.machine.advance(by: .seconds(1))
        await fixture.machine.waitUntilStarted()
        fixture.record.release("willFinishLaunching")
        _ = await fixture.lifecycle.launchWait.outcome()
        let process = fixture.manager.status.process
        #expect(process.state == .active)
        #expect(process.lateObservers.map(\.name).first == "record")
        #expect(process.lateObservers.map(\.callback).first == "willFinishLaunching")
        #expect(fixture.logs.warnings.contains { $0.contains("'record' in willFinishLaunching") })
        task.cancel()
        try await task.value
    }

    @Test("A level that was found or pretended before the launch decides what may begin after it")
    func levelBeforeLaunch() async throws {
        let fixture = try LifecycleFixture()
        fixture.manager.simulate(.warning)
        try await fixture.run { fixture in
            await fixture.record.heard("didBecomeActive")
            #expect(fixture.tasks.mayBegin(priority: .normal) && !fixture.tasks.mayBegin(priority: .low))
        }
    }
}
