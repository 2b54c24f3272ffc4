import Testing

@testable import Jetsam

/// With what a process was started, as the environment tells it.
struct LaunchDetailsTests {
    private static func details(_ variables: [String: String], arguments: [String] = []) -> LaunchDetails {
        LaunchDetails(variables: variables, arguments: arguments, processID: 4711)
    }

    private static func listening(_ count: String, names: String? = nil, processID: String = "4711") -> [String: String]
    {
        var variables = ["LISTEN_FDS": count, "LISTEN_PID": processID]
        variables["LISTEN_FDNAMES"] = names
        return variables
    }

    @Test(
        "Sockets are told by number and name, in their order",
        arguments: [
            (listening("1"), ["unknown (3)"]), (listening("2", names: "http:admin"), ["http (3)", "admin (4)"]),
            (listening("2", names: ":admin"), ["unknown (3)", "admin (4)"]), (listening("0"), []),
            (listening("0", names: ""), []), (listening("2", processID: "4712"), []),
            (["LISTEN_FDS": "2"], []), (["LISTEN_PID": "4711"], []), (listening("2", processID: "x"), []), ([:], []),
        ])
    func sockets(variables: [String: String], expected: [String]) {
        let details = Self.details(variables)
        #expect(details.reason.sockets.map(\.description) == expected)
        #expect(details.problems == [])
        #expect(details.reason.starter == (expected.isEmpty ? .operator : .socket))
    }

    @Test(
        "Sockets that cannot be told are none, and the log says why",
        arguments: ["-1", "x", "", "4097", "99999999999999999999", "1 2"])
    func badCount(count: String) {
        let details = Self.details(Self.listening(count))
        #expect(details.reason.sockets == [] && details.reason.starter == .operator)
        #expect(details.problems.count == 1)
        #expect(details.problems.first?.hasPrefix("LISTEN_FDS is '\(count)', but must be a number in 0…4096") == true)
    }

    @Test("As many as may be are told")
    func most() {
        let sockets = Self.details(Self.listening("4096")).reason.sockets
        #expect(sockets.count == 4096 && sockets.last?.descriptor == 4098)
    }

    @Test("Names that do not fit the descriptors are not told; the descriptors are", arguments: ["http", "a:b:c", ""])
    func badNames(names: String) {
        let details = Self.details(Self.listening("2", names: names))
        #expect(details.reason.sockets.map(\.name) == ["unknown", "unknown"])
        #expect(details.problems.count == 1)
        #expect(details.problems.first?.hasPrefix("LISTEN_FDNAMES has ") == true)
    }

    @Test("A timer says which, and when its time had come; a path unit says which path")
    func triggers() {
        let timer = Self.details(["TRIGGER_UNIT": "backup.timer", "TRIGGER_TIMER_REALTIME_USEC": "1700000000500000"])
        #expect(timer.reason.starter == .timer)
        #expect(
            timer.reason.trigger
                == LaunchReason.Trigger(unit: "backup.timer", elapsedSince1970: .milliseconds(1_700_000_000_500)))
        let path = Self.details(["TRIGGER_UNIT": "spool.path", "TRIGGER_PATH": "/var/spool/in", "INVOCATION_ID": "6f"])
        #expect(path.reason.starter == .supervisor)
        #expect(path.reason.trigger == LaunchReason.Trigger(unit: "spool.path", path: "/var/spool/in"))
        let nameless = Self.details(["TRIGGER_TIMER_REALTIME_USEC": "7"])
        #expect(nameless.reason.trigger == LaunchReason.Trigger(unit: "", elapsedSince1970: .microseconds(7)))
        #expect(Self.details(["TRIGGER_TIMER_REALTIME_USEC": "soon"]).reason.trigger == nil)
        #expect(Self.details([:]).reason.trigger == nil)
    }

    @Test("Arguments and a payload are told as they are, up to the limit", arguments: [0, 1, 65_536])
    func payload(bytes: Int) {
        let text = String(repeating: "x", count: bytes)
        let details = Self.details(["JETSAM_LAUNCH_PAYLOAD": text], arguments: ["--tenant", "7"])
        #expect(details.reason.payload == text && details.reason.arguments == ["--tenant", "7"])
        #expect(details.problems == [])
    }

    @Test("A payload that is too long is not told, and the log says how long it was; bytes count, not characters")
    func longPayload() {
        let details = Self.details(["JETSAM_LAUNCH_PAYLOAD": String(repeating: "ä", count: 32_769)])
        #expect(details.reason.payload == nil)
        #expect(
            details.problems == [
                "JETSAM_LAUNCH_PAYLOAD has 65538 bytes, but may have no more than 65536: no payload is passed on"
            ])
    }

    @Test("The line for a log says that there are arguments and a payload, but not which, and is one line")
    func description() {
        var variables = Self.listening("9", names: "a:b:c:d:e:f:g:h:i")
        variables["TRIGGER_UNIT"] = "evil\nunit.socket"
        variables["JETSAM_LAUNCH_PAYLOAD"] = "secret"
        let text = Self.details(variables, arguments: ["--password", "hunter2"]).reason.description
        #expect(!text.contains("secret") && !text.contains("hunter2") && !text.contains("\n"))
        #expect(text.contains("h (10) and 1 more") && text.contains("2 arguments") && text.contains("6 bytes"))
        #expect(LaunchReason(starter: .timer).description == "started by timer, previous exit unknown")
    }

    @Test("A warning says what was passed and cannot be told")
    func logged() async throws {
        let fixture = try LifecycleFixture(variables: Self.listening("x"))
        try await fixture.run { _ in }
        #expect(fixture.logs.warnings.contains { $0.hasPrefix("Launch: LISTEN_FDS is 'x'") })
    }
}
