import MemoryPressure
import Testing

@testable import Jetsam

struct TerminationClockTests {
    @Test(
        "Every part of the grace period lies within it, in order",
        arguments: [
            (Duration.milliseconds(100), Duration.seconds(2), Duration.seconds(2)),
            (.seconds(1), .seconds(2), .seconds(3600)), (.seconds(30), .seconds(2), .seconds(2)),
            (.seconds(30), .zero, .zero), (.seconds(3600), .seconds(3600), .seconds(1)),
        ])
    func order(gracePeriod: Duration, exitRoom: Duration, taskGrace: Duration) {
        let began = MonotonicInstant.seconds(100)
        let clock = TerminationClock(
            began: began, gracePeriod: gracePeriod, backgroundDeadline: .seconds(5), exitRoom: exitRoom,
            taskGrace: taskGrace)
        #expect(clock.end == began.advanced(by: gracePeriod))
        #expect(began < clock.taskDeadline)
        #expect(clock.taskDeadline <= clock.waitEnd)
        #expect(
            clock.admissionEnd < clock.waitEnd && clock.admissionEnd.duration(to: clock.waitEnd) <= .milliseconds(50))
        #expect(began < clock.backgroundStart && clock.backgroundStart <= clock.taskDeadline)
        #expect(clock.backgroundStart.duration(to: clock.taskDeadline) <= .seconds(5))
        #expect(clock.waitEnd <= clock.terminateEnd && clock.terminateEnd <= clock.end)
        let half = began.advanced(by: gracePeriod / 2)
        #expect(clock.taskDeadline >= half, "the most of it is left to the work that is held")
        for passed in [Duration.zero, gracePeriod / 2, gracePeriod, gracePeriod * 2] {
            let now = began.advanced(by: passed)
            let end = clock.backgroundEnd(from: now, deadline: .seconds(5))
            let saved = clock.savingEnd(from: now, deadline: .seconds(5))
            #expect(saved <= clock.waitEnd)
            let left = max(.zero, now.duration(to: clock.waitEnd))
            #expect(saved.duration(to: clock.waitEnd) == min(.seconds(5), left / 4))
            #expect(end >= now && (end <= clock.waitEnd || end == now))
        }
    }

    @Test("With the defaults background tasks have 26 seconds, and the process is gone after 29")
    func defaults() {
        let clock = TerminationClock(
            began: .seconds(0), gracePeriod: .seconds(30), backgroundDeadline: .seconds(5), exitRoom: .seconds(2),
            taskGrace: .seconds(2))
        #expect(clock.taskDeadline == .seconds(26))
        #expect(clock.admissionEnd == .seconds(27.95))
        #expect(clock.waitEnd == .seconds(28))
        #expect(clock.terminateEnd == .seconds(29))
        #expect(clock.backgroundStart == .seconds(21))
        #expect(clock.savingEnd(from: .seconds(0), deadline: .seconds(5)) == .seconds(23))
        #expect(clock.backgroundEnd(from: .seconds(0), deadline: .seconds(5)) == .seconds(5))
        #expect(clock.backgroundEnd(from: .seconds(24), deadline: .seconds(5)) == .seconds(26))
    }
}
