internal import MemoryPressure

extension AllocateCommand {
    func perform() throws -> AllocateResult {
        let beside = try anonymous.map { size in
            let load = try AnonymousLoad(capacity: size.bytes)
            try load.take(bytes: size.bytes)
            return load
        }
        let limitBytes = try limit.resolved(headroom: Headroom.measured)
        let load = try makeLoad(limitBytes)
        let plan = Plan(choices(limitBytes))
        let clock = SystemMonotonicClock()
        var driver = Driver(
            clock: clock,
            progress: ProgressReport(isOn: progress || System.standardErrorIsTerminal, from: clock.now)
        )
        let outcome = try driver.run(plan, on: load)
        return withExtendedLifetime((load, beside)) {
            AllocateResult(
                pattern: pattern,
                limitBytes: limitBytes,
                rate: plan.rate,
                seed: pattern == .fragment ? usedSeed : nil,
                outcome: outcome,
                residentBytes: System.residentBytes,
                pagesRead: reread ? (load as? FileLoad)?.pagesRead : nil
            )
        }
    }

    func choices(_ limitBytes: Int) -> Plan.Choices {
        Plan.Choices(
            pattern: pattern, limitBytes: limitBytes, rate: rate, delay: delay?.duration, hold: hold?.duration,
            duration: duration?.duration, rereads: reread
        )
    }

    private var usedSeed: UInt64 { seed ?? 1 }

    private func makeLoad(_ limitBytes: Int) throws -> any Load {
        switch pattern {
        case .ramp, .spike, .sawtooth, .leak: try AnonymousLoad(capacity: limitBytes)
        case .fragment: FragmentLoad(seed: usedSeed)
        // Not /tmp, which is memory itself on many machines.
        case .pagecache: try FileLoad(directory: directory ?? "/var/tmp")
        }
    }
}
