import JetsamTesting
import Logging
import MemoryPressure
import Testing

@testable import Jetsam

struct SignificantTimeTests {
    private static let day = 86_400
    private static let midnight = "significantTimeChange midnight"
    private static let zone = "significantTimeChange timeZone"

    /// How often an observer was called so.
    private static func count(_ event: String, _ fixture: LifecycleFixture) -> Int {
        fixture.record.events.count { $0 == event }
    }

    /// The made-up machine begins at one o'clock UTC.
    private static func fixture(hour: Int, minute: Int, second: Int) throws -> LifecycleFixture {
        let fixture = try LifecycleFixture()
        fixture.machine.setWallClock(by: .seconds((hour - 1) * 3600 + minute * 60 + second))
        return fixture
    }

    @Test("Midnight is told once, within two seconds and not before; so is the next one")
    func midnight() async throws {
        let fixture = try Self.fixture(hour: 23, minute: 59, second: 30)
        try await fixture.run { fixture in
            fixture.machine.advance(by: .milliseconds(29_900))
            await fixture.settle()
            #expect(Self.count(Self.midnight, fixture) == 0)
            fixture.machine.advance(by: .milliseconds(2100))
            try await fixture.until("it is told") { Self.count(Self.midnight, fixture) == 1 }
            fixture.machine.advance(by: .seconds(300))
            await fixture.settle()
            #expect(Self.count(Self.midnight, fixture) == 1)
            #expect(Self.count("significantTimeChange wallClock", fixture) == 0)
        }
    }

    @Test("It is the local midnight, on either side of UTC", arguments: [2 * 3600, -(5 * 3600 + 1800)])
    func localMidnight(seconds: Int) async throws {
        let start = (2 * Self.day - 30 - seconds) % Self.day
        let fixture = try Self.fixture(hour: 0, minute: 0, second: start)
        fixture.machine.setTimeZone(secondsFromUTC: seconds)
        try await fixture.run { fixture in
            fixture.machine.advance(by: .milliseconds(29_900))
            await fixture.settle()
            #expect(Self.count(Self.midnight, fixture) == 0)
            fixture.machine.advance(by: .milliseconds(2100))
            try await fixture.until("it is told") { Self.count(Self.midnight, fixture) == 1 }
            #expect(Self.count(Self.zone, fixture) == 0)
        }
    }

    @Test("A change of the zone is told within a minute, and is no midnight although the date is another one")
    func zone() async throws {
        let fixture = try Self.fixture(hour: 20, minute: 0, second: 0)
        try await fixture.run { fixture in
            fixture.machine.setTimeZone(secondsFromUTC: 9 * 3600)
            fixture.machine.advance(by: .seconds(62))
            try await fixture.until("it is told") { Self.count(Self.zone, fixture) == 1 }
            #expect(Self.count(Self.midnight, fixture) == 0)
            let line = try #require(fixture.logs.lines.first { $0.metadata["secondsFromUTC"] != nil })
            #expect(line.level == .notice && line.metadata["secondsFromUTC"] == "32400")
            fixture.machine.advance(by: .seconds(300))
            await fixture.settle()
            #expect(Self.count(Self.zone, fixture) == 1)
        }
    }

    @Test("A pause over several midnights is one day that has begun")
    func pause() async throws {
        let fixture = try Self.fixture(hour: 12, minute: 0, second: 0)
        try await fixture.run { fixture in
            fixture.machine.advance(by: .seconds(5))
            fixture.machine.clock.advance(by: .seconds(3 * Self.day))
            fixture.machine.advance(by: .zero)
            try await fixture.until("it is told") { Self.count(Self.midnight, fixture) == 1 }
            fixture.machine.advance(by: .seconds(120))
            await fixture.settle()
            #expect(Self.count(Self.midnight, fixture) == 1)
        }
    }

    @Test("A clock that is set to a later date begins a day; one that is set back does not, and midnight comes again")
    func clockSet() async throws {
        let fixture = try Self.fixture(hour: 23, minute: 59, second: 0)
        try await fixture.run { fixture in
            fixture.machine.advance(by: .seconds(5))
            fixture.machine.setWallClock(by: .seconds(Self.day))
            fixture.machine.advance(by: .seconds(5))
            try await fixture.until("the day is told") { Self.count(Self.midnight, fixture) == 1 }
            #expect(Self.count("significantTimeChange wallClock", fixture) == 1)
            fixture.machine.setWallClock(by: .seconds(-Self.day))
            fixture.machine.advance(by: .seconds(5))
            try await fixture.until("the clock is told") { Self.count("significantTimeChange wallClock", fixture) == 2 }
            #expect(Self.count(Self.midnight, fixture) == 1)
            fixture.machine.advance(by: .seconds(60))
            try await fixture.until("midnight comes again") { Self.count(Self.midnight, fixture) == 2 }
        }
    }

    @Test("An hour that comes twice at midnight begins its day once, and one that is left out begins it too")
    func summerTime() {
        let hour = Int64(3_600_000_000_000)
        // Summer time ends at midnight: the clock goes from 24:00 back to 23:00.
        var autumn = DayWatch()
        #expect(autumn.observe(wallClock: 21 * hour, secondsFromUTC: 7200) == [])
        #expect(autumn.untilMidnight(wallClock: 21 * hour) == hour)
        #expect(autumn.observe(wallClock: 22 * hour, secondsFromUTC: 3600) == [.timeZone])
        #expect(autumn.untilMidnight(wallClock: 22 * hour) == hour)
        #expect(autumn.observe(wallClock: 23 * hour, secondsFromUTC: 3600) == [.midnight])
        // It begins at midnight: the clock goes from 24:00 to 1:00.
        var spring = DayWatch()
        #expect(spring.observe(wallClock: 22 * hour, secondsFromUTC: 3600) == [])
        #expect(spring.observe(wallClock: 23 * hour, secondsFromUTC: 7200) == [.timeZone, .midnight])
        #expect(spring.observe(wallClock: 24 * hour, secondsFromUTC: 7200) == [])
        // Before 1970 days count downwards, and begin all the same.
        var early = DayWatch()
        #expect(early.observe(wallClock: -hour, secondsFromUTC: 0) == [])
        #expect(early.untilMidnight(wallClock: -hour) == hour)
        #expect(early.observe(wallClock: 0, secondsFromUTC: 0) == [.midnight])
    }

    @Test("Random looks at a calendar: a day begins where the plainest count of days says so", arguments: seedBatches)
    func model(seeds: ClosedRange<UInt64>) {
        for seed in seeds {
            var random = SeededGenerator(seed: seed)
            var watch = DayWatch()
            var (time, zone) = (Int64.random(in: 0..<1_000_000, using: &random), 0)
            _ = watch.observe(wallClock: time * 1_000_000_000, secondsFromUTC: zone)
            for _ in 0..<200 {
                let before = (time: time, zone: zone)
                switch UInt8.random(in: 0..<4, using: &random) {
                case 0: time += Int64.random(in: 0...200_000, using: &random)
                case 1: time -= Int64.random(in: 0...200_000, using: &random)
                case 2: zone = Int.random(in: -14...14, using: &random) * 3600
                default:
                    // To the very instant that was told, and to the one before it.
                    let left = watch.untilMidnight(wallClock: time * 1_000_000_000)
                    #expect(left > 0 && left % 1_000_000_000 == 0, "seed \(seed)")
                    let end = time + left / 1_000_000_000
                    #expect(
                        watch.observe(wallClock: end * 1_000_000_000 - 1, secondsFromUTC: zone) == [], "seed \(seed)")
                    #expect(
                        watch.observe(wallClock: end * 1_000_000_000, secondsFromUTC: zone) == [.midnight],
                        "seed \(seed)")
                    time = end
                    continue
                }
                func date(_ time: Int64, _ zone: Int) -> Int64 {
                    Int64((Double(time + Int64(zone)) / 86_400).rounded(.down))
                }
                let old = date(before.time, before.zone)
                var expected: [SignificantTimeChange] = zone == before.zone ? [] : [.timeZone]
                if date(time, zone) > old, date(time, before.zone) > old { expected.append(.midnight) }
                let told = watch.observe(wallClock: time * 1_000_000_000, secondsFromUTC: zone)
                #expect(told == expected, "seed \(seed): \(before) → \((time, zone))")
            }
        }
    }
}
