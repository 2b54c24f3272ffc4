import Testing

@testable import MemoryPressure

private func at(_ milliseconds: Int64) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: milliseconds * 1_000_000)
}

/// The values that decide about events: no descriptors, no clock of their own.
@Suite struct EventValuesTests {
    @Test func `a trigger is written in microseconds, with a zero byte at its end`() {
        #expect(PressureTrigger.warning.bytes == Array("some 140000 2000000".utf8) + [0])
        #expect(PressureTrigger.critical.bytes == Array("some 600000 2000000".utf8) + [0])
        let full = PressureTrigger(kind: .full, stall: .milliseconds(50), window: .milliseconds(500), grade: .warning)
        #expect(full.bytes == Array("full 50000 500000".utf8) + [0])
    }

    @Test(
        arguments: [
            (500, 35, 2000, 140), (1000, 300, 2000, 600), (2500, 250, 4000, 400), (9000, 900, 10000, 1000),
            (2000, 140, nil, nil), (4000, 140, nil, nil), (10000, 140, nil, nil), (11000, 140, nil, nil),
            (0, 1, nil, nil),
        ] as [(Int64, Int64, Int64?, Int64?)])
    func `a window that needs privilege is widened to a multiple of two seconds, at the same share`(
        window: Int64, stall: Int64, wider: Int64?, itsStall: Int64?
    ) {
        let trigger = PressureTrigger(
            kind: .some, stall: .milliseconds(stall), window: .milliseconds(window), grade: .warning)
        #expect(trigger.unprivileged?.window == wider.map { .milliseconds($0) })
        #expect(trigger.unprivileged?.stall == itsStall.map { .milliseconds($0) })
    }

    @Test func `the wait after failures doubles up to a minute, and a success ends that`() {
        var backOff = BackOff()
        let waits = (0..<8).map { _ in backOff.failed() }
        #expect(waits == [1, 2, 4, 8, 16, 32, 60, 60].map { .seconds($0) })
        backOff.succeeded()
        let first = backOff.failed()
        #expect(first == .seconds(1))
    }

    @Test func `an event is true once the total has grown by the trigger's stall`() {
        var filter = StallFilter(threshold: .milliseconds(140), total: 1_000_000)
        let totals: [UInt64] = [1_010_000, 1_139_999, 1_140_000, 1_150_000, 1_280_000]
        let accepted = totals.map { filter.accepts(total: $0) }
        #expect(accepted == [false, false, true, false, true])
    }

    @Test func `a total that starts anew is no event, and is counted from`() {
        var filter = StallFilter(threshold: .milliseconds(140), total: 1_000_000)
        let accepted = [500, 140_500].map { filter.accepts(total: $0) }
        #expect(accepted == [false, true])
    }

    @Test func `events that come too fast are merged, and the last is never lost`() {
        func event(_ grade: PressureLevel) -> KernelEvent {
            KernelEvent(source: .memoryEvents, grade: grade, path: "/a")
        }
        var limit = RateLimit()
        var actions = [limit.add(event(.normal), at: at(0))]
        for (grade, time) in [(PressureLevel.warning, 4), (.critical, 5), (.normal, 6)] as [(PressureLevel, Int64)] {
            actions.append(limit.add(event(grade), at: at(time)))
        }
        #expect(actions == [.deliver(event(.normal)), .wait(.milliseconds(6)), .merged, .merged])
        let due = [limit.due(at: at(10)), limit.due(at: at(11))]
        #expect(due == [event(.critical), nil])
        let late = limit.add(event(.normal), at: at(15))
        #expect(late == .wait(.milliseconds(5)))
        let last = limit.due(at: at(20))
        #expect(last == event(.normal))
        let next = limit.add(event(.normal), at: at(30))
        #expect(next == .deliver(event(.normal)))
    }

    @Test(
        arguments: [
            ([:], "MEMORY_PRESSURE_WATCH is not set: no service manager asked for it"),
            (["MEMORY_PRESSURE_WATCH": ""], "MEMORY_PRESSURE_WATCH is not set: no service manager asked for it"),
            (
                ["MEMORY_PRESSURE_WATCH": "/dev/null", "MEMORY_PRESSURE_WRITE": "?"],
                "MEMORY_PRESSURE_WATCH is /dev/null: the service manager switched it off"
            ),
            (
                ["MEMORY_PRESSURE_WATCH": "relative"],
                "MEMORY_PRESSURE_WATCH is \"relative\", which is no absolute path"
            ),
            (
                ["MEMORY_PRESSURE_WATCH": "/a", "MEMORY_PRESSURE_WRITE": "not base64!"],
                "MEMORY_PRESSURE_WRITE is \"not base64!\", which is not base64"
            ),
        ])
    func `a request that cannot be served says why`(environment: [String: String], reason: String) {
        #expect(throws: WatchFailure(reason: reason)) { try SystemdRequest(environment: environment) }
    }

    @Test func `a request names a file and what to write into it`() throws {
        let environment = ["MEMORY_PRESSURE_WATCH": "/a/b", "MEMORY_PRESSURE_WRITE": "Zm9v"]
        let request = try SystemdRequest(environment: environment)
        #expect(request.path == "/a/b")
        #expect(request.bytes == Array("foo".utf8))
        #expect(try SystemdRequest(environment: ["MEMORY_PRESSURE_WATCH": "/a"]).bytes == nil)
    }
}
