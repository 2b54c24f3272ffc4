internal import CommandOutput
internal import MemoryPressure

/// A pattern that is ready to begin. What it took is given back when the last reference to it goes.
package final class PatternRun {
    /// What came of it.
    package struct Outcome {
        /// Nil, as the limit, where nothing was taken.
        package var pattern: Pattern?
        package var limitBytes: Int?
        package var rate: Rate
        package var seed: UInt64?
        package var driven: Driver.Outcome
        /// By reading over and over, where that was asked for.
        package var pagesRead: Int?
        /// Of a server that was filled.
        package var server: ServerFigures?
    }

    private let options: PatternOptions
    private let limitBytes: Int?
    private let plan: Plan
    private let load: any Load

    /// Works out the limit and makes what the memory is taken from. Without a pattern it only waits, for `idleTime` unless the options
    /// say how long.
    package init(_ options: PatternOptions, idleTime: Duration = .zero) throws {
        self.options = options
        limitBytes = try options.limit?.resolved(headroom: Headroom.measured)
        plan = options.makePlan(limitBytes: limitBytes ?? 0, idleTime: idleTime)
        load = try options.makeLoad(limitBytes: limitBytes ?? 0)
    }

    /// Blocks the calling thread until the pattern's end.
    package func run(progress: Bool) throws -> Outcome {
        let clock = SystemMonotonicClock()
        var driver = Driver(clock: clock, progress: ProgressReport(isOn: progress, from: clock.now))
        let driven = try driver.run(plan, on: load)
        return Outcome(
            pattern: options.pattern, limitBytes: limitBytes, rate: plan.rate,
            seed: options.pattern == .fragment ? options.usedSeed : nil, driven: driven,
            pagesRead: options.reread ? (load as? FileLoad)?.pagesRead : nil,
            server: (load as? ServerLoad)?.figures())
    }
}

/// Anonymous memory that is held beside a pattern, from the start.
package final class MemoryBeside {
    private let load: AnonymousLoad

    package init(bytes: Int) throws {
        load = try AnonymousLoad(capacity: bytes)
        try load.grow(bytes: bytes)
    }
}

extension PatternOptions {
    /// Makes the memory that `--anonymous` asks for; nil where it was not given.
    package func makeBeside() throws -> MemoryBeside? {
        try anonymous.map { try MemoryBeside(bytes: $0.bytes) }
    }

    var usedSeed: UInt64 { seed ?? 1 }

    func makePlan(limitBytes: Int, idleTime: Duration) -> Plan {
        guard let pattern else { return Plan(phases: [.hold(duration?.duration ?? idleTime)]) }
        return Plan(
            .init(
                pattern: pattern, limitBytes: limitBytes, rate: rate, delay: delay?.duration, hold: hold?.duration,
                duration: duration?.duration, rereads: reread))
    }

    func makeLoad(limitBytes: Int) throws -> any Load {
        switch pattern {
        case nil: NoLoad()
        case .ramp, .spike, .sawtooth, .waves, .leak: try AnonymousLoad(capacity: limitBytes)
        case .fragment: FragmentLoad(seed: usedSeed)
        case .redis: try ServerLoad(.redis, limitBytes: limitBytes)
        case .memcached: try ServerLoad(.memcached, limitBytes: limitBytes)
        // Not /tmp, which is memory itself on many machines.
        case .pagecache: try FileLoad(directory: directory ?? "/var/tmp", readsInRandomOrder: randomOrder)
        }
    }
}
