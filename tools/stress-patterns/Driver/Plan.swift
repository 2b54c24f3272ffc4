/// What a pattern does from start to end, as data: worked out before the first byte is taken.
struct Plan: Hashable {
    /// In this order.
    var phases: [Phase]
    /// Where to go on from after the last phase; nil ends the plan there.
    var repeatsFrom: Int?
    /// When the plan ends whatever it is doing; nil lets it come to its own end.
    var duration: Duration?

    /// How a plan is made for a pattern. Values that were not given take the pattern's own default.
    struct Choices: Hashable {
        var pattern: Pattern
        var limitBytes: Int
        var rate: Rate?
        var delay: Duration?
        var hold: Duration?
        var duration: Duration?
        var rereads = false
    }

    static let endlessDuration = Duration.seconds(30)
    static let defaultHold = Duration.seconds(5)
    static let defaultRate = Rate(bytesPerSecond: 200_000_000)
    static let leakRate = Rate(bytesPerSecond: 1_000_000)
    static let waveRest = Duration.seconds(1)
    static let spikeDelay = Duration.seconds(1)

    init(phases: [Phase], repeatsFrom: Int? = nil, duration: Duration? = nil) {
        self.phases = phases
        self.repeatsFrom = repeatsFrom
        self.duration = duration
    }

    init(_ choices: Choices) {
        let rate = choices.rate ?? Self.defaultRate
        let hold = choices.hold ?? Self.defaultHold
        let limit = choices.limitBytes
        let delay = Phase.hold(choices.delay ?? .zero)
        let up = Phase.move(toBytes: limit, rate: rate)
        let untilTheEnd = choices.duration ?? Self.endlessDuration
        switch choices.pattern {
        case .ramp, .redis, .memcached:
            self.init(phases: [delay, up, .hold(hold)], duration: choices.duration)
        case .spike:
            self.init(
                phases: [
                    .hold(choices.delay ?? Self.spikeDelay), .move(toBytes: limit, rate: .unlimited), .hold(hold),
                ],
                duration: choices.duration
            )
        case .sawtooth:
            self.init(
                phases: [delay, up, .hold(choices.hold ?? .zero), .move(toBytes: 0, rate: rate)],
                repeatsFrom: 1, duration: untilTheEnd
            )
        case .waves:
            self.init(
                phases: [delay, up, .move(toBytes: 0, rate: rate), .hold(choices.hold ?? Self.waveRest)],
                repeatsFrom: 1, duration: untilTheEnd
            )
        case .leak:
            self.init(
                phases: [delay, .move(toBytes: limit, rate: choices.rate ?? Self.leakRate), .keep],
                duration: untilTheEnd
            )
        case .fragment:
            self.init(
                phases: [delay, up, .move(toBytes: limit / 10, rate: .unlimited), .hold(hold)],
                duration: choices.duration
            )
        case .pagecache where choices.rereads:
            self.init(phases: [delay, up, .walk], duration: untilTheEnd)
        case .pagecache:
            self.init(phases: [delay, up, .hold(hold)], duration: choices.duration)
        }
    }

    /// How fast its first move goes.
    var rate: Rate {
        for case .move(_, let rate) in phases { return rate }
        return .unlimited
    }

    /// How long it takes, moves without a rate counted as nothing.
    var expectedDuration: Duration {
        var held = 0
        var sum = Duration.zero
        for phase in phases {
            switch phase {
            case .hold(let time): sum += time
            case .move(let bytes, let rate):
                if let bytesPerSecond = rate.bytesPerSecond {
                    sum += .seconds(Double(abs(bytes - held)) / Double(bytesPerSecond))
                }
                held = bytes
            case .walk, .keep: break
            }
        }
        guard let duration else { return sum }
        let endsByItself = repeatsFrom == nil && !phases.contains(.walk) && !phases.contains(.keep)
        return endsByItself ? min(sum, duration) : duration
    }
}
