internal import CommandOutput
internal import MemoryPressure
internal import _StressPatterns

extension AllocateCommand {
    func perform() throws -> AllocateResult {
        let values = purgeable.map { PurgeableValues(bytes: $0.bytes) }
        let valueBytes = values?.heldBytes ?? 0
        // Before the manager begins: what is held beside is no growth that it has to answer.
        let beside = try pattern.makeBeside()
        let held = tasks.plan.map { HeldTasks($0) }
        let manager =
            try managed
            ? ManagedCache(
                values, held?.registry, since: SystemMonotonicClock().now, trace: trace, recorder: recorder,
                isVerbose: progress) : nil
        // Without a pattern all that is done is to hold the background tasks.
        let run = try PatternRun(pattern, idleTime: tasks.plan?.duration ?? .zero)
        let outcome = try run.run(progress: progress || System.standardErrorIsTerminal)
        let taskResult = held?.finish()
        let timeline = manager?.finish()
        return withExtendedLifetime((run, beside, values)) {
            AllocateResult(
                outcome: outcome,
                residentBytes: System.residentBytes,
                purgeable: values != nil || managed
                    ? PurgeableResult(bytes: valueBytes, heldBytes: values?.heldBytes ?? 0, timeline: timeline) : nil,
                tasks: taskResult
            )
        }
    }
}
