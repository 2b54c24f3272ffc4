import MemoryPressure
import Testing

@testable import JetsamPolicy

struct ReleaseSpeedTests {
    /// A speed that has seen calls of so many MiB to a cache that gives a MiB each millisecond after a latency.
    private func speed(latency: Int, calls: [Int]) -> ReleaseSpeed {
        var speed = ReleaseSpeed()
        for call in calls { speed.note(call * mebibyte, in: .milliseconds(latency + call)) }
        return speed
    }

    private func portion(_ speed: ReleaseSpeed) -> Int {
        // A latency is a nanosecond at least, and takes a byte or two.
        (speed.portionBytes(deadline: .milliseconds(100), assuming: 1e9) + 2) / mebibyte
    }

    @Test("Calls of different size tell the latency apart from the giving", arguments: [0, 10, 40])
    func latency(milliseconds: Int) throws {
        let speed = speed(latency: milliseconds, calls: [4, 8])
        let latency = try #require(speed.latencyNanoseconds)
        let rate = try #require(speed.bytesPerSecond)
        #expect(abs(latency / 1000 - milliseconds * 1000) <= 1)
        #expect(Int((rate / Double(mebibyte)).rounded()) == 1000)
    }

    @Test("Calls of one size tell nothing about latency, and too small ones nothing at all")
    func sameSize() {
        #expect(speed(latency: 20, calls: [8, 8, 9]).latencyNanoseconds == nil)
        var small = ReleaseSpeed()
        small.note(mebibyte - 1, in: .milliseconds(3))
        #expect(small.bytesPerSecond == nil)
        #expect(!small.isMeasured)
    }

    @Test("Without latency a portion takes a quarter of the deadline, with it up to three of them")
    func portions() {
        #expect(portion(speed(latency: 0, calls: [4, 8])) == 25)
        #expect(portion(speed(latency: 2, calls: [4, 8])) == 23)
        #expect(portion(speed(latency: 5, calls: [4, 8])) == 30)
        #expect(portion(speed(latency: 40, calls: [4, 8])) == 35)
        // It cannot be in time whatever it is asked for.
        #expect(portion(speed(latency: 200, calls: [16, 64])) == 25)
    }

    @Test("One that took too long for what it gave is asked for more, to see what more takes")
    func probing() {
        #expect(portion(speed(latency: 30, calls: [4])) == 8)
        #expect(portion(speed(latency: 50, calls: [4])) == 5)
        #expect(portion(speed(latency: 400, calls: [4])) == 8)
        #expect(portion(speed(latency: 0, calls: [4])) == 25)
    }

    @Test("The first call of a step tells latency by the last one of an earlier step")
    func earlierStep() throws {
        let earlier = speed(latency: 40, calls: [30])
        #expect(earlier.latencyNanoseconds == nil)
        var speed = earlier.atBeginning
        #expect(!speed.isMeasured)
        speed.note(8 * mebibyte, in: .milliseconds(48))
        #expect(speed.isMeasured)
        #expect(abs(try #require(speed.latencyNanoseconds) - 40_000_000) <= 1000)
    }

    @Test("A cache that has become slower since an earlier step is not taken for one with a latency")
    func slowerSince() {
        var speed = speed(latency: 0, calls: [8]).atBeginning
        speed.note(30 * mebibyte, in: .milliseconds(300))
        #expect(speed.latencyNanoseconds == nil)
        #expect(speed.timeToGive(30 * mebibyte).map { ($0.milliseconds + 1) / 10 } == 30)
    }

    @Test("In an urgent step a cache is asked for no more than it gives in a quarter of the deadline, latency apart")
    func urgent() {
        let speed = speed(latency: 20, calls: [4, 8])
        #expect(portion(speed) == 55)
        #expect(speed.portionBytes(deadline: .milliseconds(100), assuming: 1e9, isUrgent: true) / mebibyte == 25)
    }

    @Test("A cache that turns slow is believed at once, one that turns fast by half")
    func scaling() throws {
        var speed = speed(latency: 10, calls: [4, 8])
        speed.note(8 * mebibyte, in: .milliseconds(180))
        #expect(speed.timeToGive(8 * mebibyte).map { ($0.milliseconds + 1) / 10 } == 18)
        speed.note(8 * mebibyte, in: .milliseconds(18))
        #expect(speed.timeToGive(8 * mebibyte).map { ($0.milliseconds + 1) / 10 } == 9)
    }

    @Test("A long call may have been latency as a whole, where the latency is not known")
    func unknownLatency() {
        func isCramped(_ milliseconds: Int) -> Bool {
            var speed = ReleaseSpeed()
            speed.note(4 * mebibyte, in: .milliseconds(milliseconds))
            return speed.isCramped(deadline: .milliseconds(100))
        }
        #expect(isCramped(450))
        #expect(!isCramped(25))
        #expect(!ReleaseSpeed().isCramped(deadline: .milliseconds(100)))
    }
}
