import MemoryPressure
import Testing

@testable import _StressPatterns
@testable import jetsam_stress

@Suite struct PlanTests {
    private static let rate = Rate(bytesPerSecond: 1000)

    @Test(
        "Each pattern does what its help says, with the defaults that it says",
        arguments: [
            (.ramp, [.hold(.zero), .move(toBytes: 5000, rate: Plan.defaultRate), .hold(.seconds(5))], nil, nil),
            (.spike, [.hold(.seconds(1)), .move(toBytes: 5000, rate: .unlimited), .hold(.seconds(5))], nil, nil),
            (
                .sawtooth,
                [
                    .hold(.zero), .move(toBytes: 5000, rate: Plan.defaultRate), .hold(.zero),
                    .move(toBytes: 0, rate: Plan.defaultRate),
                ], 1, .seconds(30)
            ),
            (
                .waves,
                [
                    .hold(.zero), .move(toBytes: 5000, rate: Plan.defaultRate),
                    .move(toBytes: 0, rate: Plan.defaultRate), .hold(.seconds(1)),
                ], 1, .seconds(30)
            ),
            (.redis, [.hold(.zero), .move(toBytes: 5000, rate: Plan.defaultRate), .hold(.seconds(5))], nil, nil),
            (.memcached, [.hold(.zero), .move(toBytes: 5000, rate: Plan.defaultRate), .hold(.seconds(5))], nil, nil),
            (.leak, [.hold(.zero), .move(toBytes: 5000, rate: Plan.leakRate), .keep], nil, .seconds(30)),
            (
                .fragment,
                [
                    .hold(.zero), .move(toBytes: 5000, rate: Plan.defaultRate), .move(toBytes: 500, rate: .unlimited),
                    .hold(.seconds(5)),
                ], nil, nil
            ),
            (.pagecache, [.hold(.zero), .move(toBytes: 5000, rate: Plan.defaultRate), .hold(.seconds(5))], nil, nil),
        ] as [(Pattern, [Phase], Int?, Duration?)]
    )
    func defaults(pattern: Pattern, phases: [Phase], repeatsFrom: Int?, duration: Duration?) {
        let plan = Plan(.init(pattern: pattern, limitBytes: 5000))
        #expect(plan == Plan(phases: phases, repeatsFrom: repeatsFrom, duration: duration))
    }

    @Test("What is given goes before a pattern's defaults", arguments: Pattern.allCases)
    func given(pattern: Pattern) {
        let plan = Plan(
            .init(
                pattern: pattern, limitBytes: 5000, rate: Self.rate, delay: .seconds(2), hold: .seconds(3),
                duration: .seconds(4)
            )
        )
        #expect(plan.duration == .seconds(4))
        #expect(plan.phases.first == .hold(.seconds(2)))
        #expect(plan.rate == (pattern == .spike ? .unlimited : Self.rate))
        #expect(plan.phases.contains(.hold(.seconds(3))) == (pattern != .leak))
    }

    @Test("Re-reading writes the file, then reads it until the duration is up")
    func reread() {
        let plan = Plan(.init(pattern: .pagecache, limitBytes: 5000, rate: Self.rate, rereads: true))
        #expect(plan.phases == [.hold(.zero), .move(toBytes: 5000, rate: Self.rate), .walk])
        #expect(plan.duration == Plan.endlessDuration)
    }

    @Test(
        "How long a plan takes is known beforehand",
        arguments: [
            (.init(pattern: .ramp, limitBytes: 5000, rate: rate), .seconds(10)),
            (.init(pattern: .ramp, limitBytes: 5000, rate: rate, duration: .seconds(3)), .seconds(3)),
            (.init(pattern: .ramp, limitBytes: 5000, rate: rate, duration: .seconds(60)), .seconds(10)),
            (.init(pattern: .spike, limitBytes: 5000), .seconds(6)),
            (.init(pattern: .leak, limitBytes: 5000, duration: .seconds(60)), .seconds(60)),
            (.init(pattern: .sawtooth, limitBytes: 5000), .seconds(30)),
        ] as [(Plan.Choices, Duration)]
    )
    func expectedDuration(choices: Plan.Choices, expected: Duration) {
        #expect(Plan(choices).expectedDuration == expected)
    }

    @Test(
        "Steps are whole pages of at most a millisecond or 1 MiB, and end exactly at the total on the rate's deadline",
        arguments: [(1_000_000, 4096), (500_000_000, 499_712), (8_000_000_000, 1 << 20)]
    )
    func steps(bytesPerSecond: Int, chunk: Int) {
        let total = 10 * (1 << 20) + 1
        let start = MonotonicInstant(nanoseconds: 777)
        var pacer = Pacer(total: total, rate: Rate(bytesPerSecond: bytesPerSecond), pageSize: 4096, from: start)
        var handedOut = 0
        var last = start
        while let step = pacer.next() {
            #expect(step.bytes == min(chunk, total - handedOut))
            handedOut += step.bytes
            let exact = Double(handedOut) / Double(bytesPerSecond) * 1e9
            #expect(abs(Double(start.duration(to: step.nextDue).nanoseconds) - exact) <= 1)
            last = step.nextDue
        }
        #expect(handedOut == total)
        #expect(last > start)
    }
}
