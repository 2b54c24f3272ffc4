import MemoryPressure
import Testing

@testable import BackgroundTasks
@testable import Jetsam
@testable import JetsamPolicy

struct UnmanagedGrowthTests {
    private static let tick = 0.01

    /// Readings 10 ms apart; `at` gives what the process has and what its caches report, in MiB.
    private func growth(readings: Int, _ at: (Double) -> (footprint: Double, managed: Double)) -> UnmanagedGrowth {
        var growth = UnmanagedGrowth(window: .milliseconds(200))
        for index in 0..<readings {
            let time = Double(index) * Self.tick
            let (footprint, managed) = at(time)
            let reading = reading(
                headroom: 1024 * mebibyte - Int(footprint * Double(mebibyte)), limit: 1024 * mebibyte, at: time)
            growth.append(
                reading, managedBytes: Int(managed * Double(mebibyte)), inFlightBytes: 0, fastest: 64 << 30)
        }
        return growth
    }

    private func most(_ growth: UnmanagedGrowth, _ milliseconds: Int64) -> Double {
        Double(growth.mostBytes(within: milliseconds * 1_000_000)) / Double(mebibyte)
    }

    @Test("Growth is that of what caches do not report, and is drawn out over the time that is asked for")
    func steady() {
        let growing = growth(readings: 120) { (100 + 50 * $0 + 30 * $0, 30 * $0) }
        #expect((48...52).contains(most(growing, 1_000)))
        #expect((9.5...10.5).contains(most(growing, 200)))
        let managed = growth(readings: 120) { (100 + 80 * $0, 80 * $0) }
        #expect(most(managed, 1_000) < 0.1)
    }

    @Test("What was seen for a moment is not drawn out beyond five times that moment")
    func reach() {
        // Two readings of steep growth after a second of none.
        let sudden = growth(readings: 103) { (100 + max(0, $0 - 1) * 1_000, 0) }
        #expect((48...52).contains(most(sudden, 2_000)))
        #expect((28...32).contains(most(sudden, 30)))
    }

    @Test("Growth that has gone on for longer than a few readings is drawn out for as long again")
    func lasting() {
        // 150 ms of growth after a second of none: the shortest window is not full of it yet.
        let growing = growth(readings: 116) { (100 + max(0, $0 - 1) * 500, 0) }
        #expect((65...76).contains(most(growing, 150)))
        #expect(most(growing, 1_000) < 260)
    }

    @Test(
        "Bytes that caches were asked for and have not reported hide growth: it is taken to go on, a few times as long as it was seen"
    )
    func hidden() {
        /// From a second on 1,000 MiB a second; from 30 ms later caches give as fast, for `giving` seconds, and report nothing yet.
        func seen(giving: Double, inFlight: Int, fastest: Int = 3 << 30) -> Double {
            var growth = UnmanagedGrowth(window: .milliseconds(200))
            for index in 0...Int((1.03 + giving) / Self.tick + 0.5) {
                let time = Double(index) * Self.tick
                let footprint = 100 + max(0, min(time, 1.03) - 1) * 1_000
                let reading = reading(
                    headroom: 1024 * mebibyte - Int(footprint * Double(mebibyte)), limit: 1024 * mebibyte, at: time)
                growth.append(
                    reading, managedBytes: 0, inFlightBytes: time < 1.03 ? 0 : inFlight * mebibyte, fastest: fastest)
            }
            return most(growth, 50)
        }
        #expect((45...55).contains(seen(giving: 0.03, inFlight: 200)))
        #expect(seen(giving: 0.03, inFlight: 0) < 25, "nobody hides anything")
        #expect(seen(giving: 0.2, inFlight: 500) < 25, "it was seen for too short a time")
        #expect(seen(giving: 0.05, inFlight: 12) < 25, "they were asked for no more than that")
        #expect(seen(giving: 0.03, inFlight: 200, fastest: 900 << 20) < 25, "it was one jump")
    }

    @Test("After a jump nobody hides growth where memory stands still")
    func still() {
        var growth = UnmanagedGrowth(window: .milliseconds(200))
        for index in 0..<104 {
            let reading = reading(
                headroom: (index < 102 ? 500 : 468) * mebibyte, limit: 1024 * mebibyte, at: Double(index) * Self.tick)
            growth.append(
                reading, managedBytes: 0, inFlightBytes: index < 102 ? 0 : 40 * mebibyte, fastest: 64 << 30)
        }
        #expect(most(growth, 1_000) < 1)
    }

    @Test(
        "Growth pauses when nothing moves between three readings, and not when caches give as fast as it grows for one")
    func paused() {
        /// From a second on 1,000 MiB a second; `still` readings at the end show no change, and then `moved` MiB more.
        func hasPaused(still: Int, moved: Double = 0) -> Bool {
            var growth = UnmanagedGrowth(window: .milliseconds(200))
            for index in 0...130 + still {
                let time = Double(index) * Self.tick
                var footprint = 100 + max(0, min(time, 130 * Self.tick) - 1) * 1_000
                if index == 130 + still { footprint += moved }
                let reading = reading(
                    headroom: 1024 * mebibyte - Int(footprint * Double(mebibyte)), limit: 1024 * mebibyte, at: time)
                growth.append(reading, managedBytes: 0, inFlightBytes: 0, fastest: 3 << 30)
            }
            return growth.hasPaused
        }
        #expect(!hasPaused(still: 0))
        #expect(!hasPaused(still: 1))
        #expect(hasPaused(still: 2))
        #expect(!hasPaused(still: 2, moved: 10))
        // Bytes that leave may hide some that come.
        #expect(!hasPaused(still: 2, moved: -10))
    }

    @Test("A burst too short for any window has ended when nothing moves, though caches are taken to hide more of it")
    func pausedBurst() {
        /// 20 MiB in 10 ms, twice, while 100 MiB are in flight; then `still` readings that show next to none.
        func growth(still: Int) -> UnmanagedGrowth {
            var growth = UnmanagedGrowth(window: .milliseconds(200))
            var footprint = 100 * mebibyte
            for index in 0...102 + still {
                footprint += (101...102).contains(index) ? 20 * mebibyte : 4096
                let reading = reading(
                    headroom: 1024 * mebibyte - footprint, limit: 1024 * mebibyte, at: Double(index) * Self.tick)
                growth.append(
                    reading, managedBytes: 0, inFlightBytes: index < 101 ? 0 : 100 * mebibyte, fastest: 4 << 30)
            }
            return growth
        }
        #expect(!growth(still: 1).hasPaused)
        #expect(most(growth(still: 2), 50) > 50, "it may be hidden")
        #expect(growth(still: 2).hasPaused)
    }

    @Test("A single jump is no growth")
    func jump() {
        for readings in [102, 105, 130, 200] {
            let jumped = growth(readings: readings) { ($0 < 1 ? 100 : 160, 0) }
            #expect(most(jumped, 1_000) < 1, "after \(readings) readings")
        }
    }

    @Test("What caches gave is no growth of the rest, while it is on its way and while the allocator keeps it")
    func given() {
        // Given at once after a second, and back to the kernel 30 ms later, half of it or nothing.
        for kept in [0.0, 30, 60] {
            let released = growth(readings: 110) { time in
                let footprint = time < 1 ? 300 : time < 1.03 ? 300 : 240 + kept
                return (footprint, time < 1 ? 200 : 140)
            }
            #expect(most(released, 1_000) < 1, "with \(kept) MiB kept")
        }
    }

    @Test("Growth beside a release goes on to be seen")
    func growthBesideRelease() {
        let growing = growth(readings: 110) { time in
            (300 + 100 * time - (time < 1.03 ? 0 : 60), time < 1 ? 200 : 140)
        }
        #expect((70...115).contains(most(growing, 1_000)))
    }

    @Test("What caches fill again with what the allocator kept hides no growth beside it")
    func refill() {
        let growing = growth(readings: 150) { time in
            // 60 MiB are given at one second and none leaves; they are filled again at 50 MiB a second.
            (300 + 40 * time, time < 1 ? 200 : 140 + 50 * (time - 1))
        }
        #expect((25...60).contains(most(growing, 1_000)))
    }

    @Test("After a gap nothing is known")
    func reset() {
        var growing = growth(readings: 120) { (100 + 50 * $0, 0) }
        growing.reset()
        #expect(growing.mostBytes(within: 1_000_000_000) == 0)
        #expect(growing.bytesPerSecond == nil)
    }
}

struct LeadTimeTests {
    private let rule = ManagerConfiguration.LeadTimeRule()

    @Test("A lead time is what is measured times the safety, within its bounds")
    func bounds() {
        let known = LeadTime(responseNanoseconds: 20_000_000, bytesPerSecond: 500 << 20)
        // 2 x (10 ms + 20 ms + 50 / 500 s).
        #expect(known.nanoseconds(toGive: 50 << 20, interval: 10_000_000, rule) == 260_000_000)
        #expect(known.nanoseconds(toGive: 0, interval: 1_000_000, rule) == 50_000_000)
        #expect(known.nanoseconds(toGive: .max, interval: 10_000_000, rule) == 2_000_000_000)
        #expect(LeadTime().nanoseconds(toGive: 512 << 20, interval: 10_000_000, rule) == 2_000_000_000)
    }

    @Test("What few bytes take longer than they should is latency, and what many take is speed")
    func latency() {
        var record = LeadTimeRecord()
        record.note(response: .milliseconds(2), givenBytes: 100 << 20, in: .milliseconds(100))
        record.note(response: .milliseconds(2), givenBytes: 4 << 20, in: .milliseconds(40))
        #expect(record.leadTime.bytesPerSecond == 1000 << 20)
        #expect(record.leadTime.responseNanoseconds == 38_000_000)
        record.note(response: .milliseconds(2), givenBytes: 4 << 20, in: .milliseconds(60))
        #expect(record.leadTime.bytesPerSecond < 70 << 20)
        // Handlers that gave nothing show no latency of memory.
        var empty = LeadTimeRecord()
        empty.note(response: .milliseconds(2), givenBytes: 0, in: .milliseconds(30))
        #expect(empty.leadTime == LeadTime(responseNanoseconds: 2_000_000))
    }

    @Test(
        "If nobody gave in a step, the answer that comes late tells how long caches take; one that hung tells nothing")
    func lateAnswer() {
        func lead(after stepBytes: Int, _ time: Duration) -> LeadTime {
            var record = LeadTimeRecord()
            record.note(response: .milliseconds(2), givenBytes: stepBytes, in: .milliseconds(stepBytes > 0 ? 1 : 500))
            record.noteLate(givenBytes: 10 << 20, in: time)
            return record.leadTime
        }
        #expect(lead(after: 0, .seconds(1)).bytesPerSecond == 10 << 20)
        #expect(lead(after: 0, .seconds(3)).bytesPerSecond == 0)
        #expect(lead(after: 1 << 20, .seconds(1)).bytesPerSecond == 1000 << 20)
    }

    @Test("A slow step counts at once, a fast one by half; nine of ten responses are covered")
    func record() {
        var record = LeadTimeRecord()
        record.note(response: .milliseconds(2), givenBytes: 100 << 20, in: .milliseconds(100))
        #expect(record.leadTime.bytesPerSecond == 1000 << 20)
        record.note(response: .milliseconds(2), givenBytes: 100 << 20, in: .milliseconds(500))
        #expect(record.leadTime.bytesPerSecond == 200 << 20)
        record.note(response: .milliseconds(2), givenBytes: 100 << 20, in: .milliseconds(100))
        #expect(record.leadTime.bytesPerSecond == 600 << 20)
        // What is too little to tell changes nothing.
        record.note(response: .milliseconds(80), givenBytes: 4096, in: .milliseconds(100))
        #expect(record.leadTime.bytesPerSecond == 600 << 20)
        #expect(record.leadTime.responseNanoseconds == 80_000_000)
        for _ in 0..<16 { record.note(response: .milliseconds(2), givenBytes: 0, in: .zero) }
        #expect(record.leadTime.responseNanoseconds == 2_000_000)
    }
}
