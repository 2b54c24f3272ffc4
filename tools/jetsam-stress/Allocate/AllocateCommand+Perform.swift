internal import CommandOutput
internal import MemoryPressure

extension AllocateCommand {
    func perform() throws -> AllocateResult {
        let clock = SystemMonotonicClock()
        let values = purgeable.map { PurgeableValues(bytes: $0.bytes) }
        let valueBytes = values?.heldBytes ?? 0
        // Before the manager begins: what is held beside is no growth that it has to answer.
        let beside = try anonymous.map { size in
            let load = try AnonymousLoad(capacity: size.bytes)
            try load.take(bytes: size.bytes)
            return load
        }
        let held = assertions.plan.map { HeldAssertions($0) }
        let manager = try managed ? ManagedCache(values, since: clock.now, trace: trace, isVerbose: progress) : nil
        let limitBytes = try limit?.resolved(headroom: Headroom.measured)
        let load = try makeLoad(limitBytes ?? 0)
        let plan = makePlan(limitBytes ?? 0)
        var driver = Driver(
            clock: clock,
            progress: ProgressReport(isOn: progress || System.standardErrorIsTerminal, from: clock.now)
        )
        let outcome = try driver.run(plan, on: load)
        let assertionResult = held?.finish()
        let timeline = manager?.finish()
        return withExtendedLifetime((load, beside, values)) {
            AllocateResult(
                pattern: pattern,
                limitBytes: limitBytes,
                rate: plan.rate,
                seed: pattern == .fragment ? usedSeed : nil,
                outcome: outcome,
                residentBytes: System.residentBytes,
                pagesRead: reread ? (load as? FileLoad)?.pagesRead : nil,
                purgeable: values != nil || managed
                    ? PurgeableResult(bytes: valueBytes, heldBytes: values?.heldBytes ?? 0, timeline: timeline) : nil,
                assertions: assertionResult
            )
        }
    }

    /// Without a pattern all that is done is to hold the assertions.
    func makePlan(_ limitBytes: Int) -> Plan {
        guard let pattern else {
            return Plan(phases: [.hold(duration?.duration ?? assertions.plan?.duration ?? .zero)])
        }
        return Plan(choices(pattern, limitBytes))
    }

    private func choices(_ pattern: Pattern, _ limitBytes: Int) -> Plan.Choices {
        Plan.Choices(
            pattern: pattern, limitBytes: limitBytes, rate: rate, delay: delay?.duration, hold: hold?.duration,
            duration: duration?.duration, rereads: reread
        )
    }

    private var usedSeed: UInt64 { seed ?? 1 }

    private func makeLoad(_ limitBytes: Int) throws -> any Load {
        switch pattern {
        case nil: NoLoad()
        case .ramp, .spike, .sawtooth, .leak: try AnonymousLoad(capacity: limitBytes)
        case .fragment: FragmentLoad(seed: usedSeed)
        // Not /tmp, which is memory itself on many machines.
        case .pagecache: try FileLoad(directory: directory ?? "/var/tmp")
        }
    }
}
