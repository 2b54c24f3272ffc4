import MemoryPressure
import Testing

@testable import BackgroundTasks
@testable import Jetsam

struct PauseWatchTests {
    private let watch = PauseWatch()
    private let interval = Duration.milliseconds(10)

    private func at(_ milliseconds: Int64) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: milliseconds * 1_000_000)
    }

    private var paused: Int64 { watch.pausedNanoseconds / 1_000_000 }

    @Test("A pause is the time since the sampler's last turn, told once")
    func found() {
        watch.expect(at(0), next: interval)
        #expect(watch.beginTurn(at(1000)) == nil, "up to a second is no pause")
        #expect(watch.beginTurn(at(5000)) == .milliseconds(5000))
        watch.expect(at(5000), next: interval)
        #expect(watch.beginTurn(at(5010)) == nil)
        #expect(paused == 5000)
    }

    @Test("A pause in the middle of the sampler's turn counts once, whoever finds it first", arguments: [true, false])
    func duringTurn(anotherIsFirst: Bool) {
        watch.expect(at(0), next: interval)
        #expect(watch.beginTurn(at(10)) == nil)
        // Stopped here, for an hour.
        if anotherIsFirst { watch.check(at(3_600_010)) }
        watch.expect(at(10), next: interval)
        let told = watch.beginTurn(at(3_600_020))
        #expect(told.map { abs($0.nanoseconds - 3_600_000_000_000) <= 20_000_000 } == true)
        watch.expect(at(3_600_020), next: interval)
        #expect(watch.beginTurn(at(3_600_030)) == nil)
        #expect(abs(paused - 3_600_000) <= 20)
    }

    @Test("A sampler that hangs is taken for one pause at most, and the next real one is found again")
    func hangs() {
        watch.expect(at(0), next: interval)
        for second in 2...1000 { watch.check(at(Int64(second) * 1000)) }
        #expect(paused == 2000)
        #expect(watch.beginTurn(at(1_000_000)) == .milliseconds(2000))
        watch.expect(at(1_000_000), next: interval)
        #expect(watch.beginTurn(at(1_005_000)) == .milliseconds(5000))
    }

    @Test("Nothing is found before the sampler has said when it will come, nor after it has ended")
    func off() {
        watch.check(at(100_000))
        watch.expect(at(100_000), next: interval)
        watch.stop()
        watch.check(at(200_000))
        #expect(paused == 0)
    }
}
