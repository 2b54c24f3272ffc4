internal import Dispatch
internal import Jetsam
internal import MemoryPressure
internal import _StressPatterns

/// Holds background tasks as a plan says, on a thread of its own, until it is told to finish.
final class HeldTasks: Sendable {
    private struct State {
        /// Those that are ended and begun again, in turn.
        var turning: [BackgroundTaskIdentifier] = []
        /// Those that never end.
        var stuck: [BackgroundTaskIdentifier] = []
        var next = 0
        var turned = 0
        var refused = 0
        var isOver = false
    }

    let registry: BackgroundTaskRegistry
    private let plan: TaskPlan
    private let record = HandlerRecord()
    private let state = Lock(State())
    private let ended = DispatchSemaphore(value: 0)

    /// Comes back once all are begun.
    init(_ plan: TaskPlan, in registry: BackgroundTaskRegistry = HeldTasks.makeRegistry()) {
        self.plan = plan
        self.registry = registry
        state.withLock { state in
            for _ in 0..<plan.stuck { state.stuck.append(beginStuck(&state.refused)) }
            for _ in plan.stuck..<plan.count { state.turning.append(begin(&state.refused)) }
        }
        DispatchQueue(label: "jetsam-stress.tasks").async { self.turn() }
    }

    /// One whose handlers are called when the expiry is up and not before, so that their lateness can be told.
    static func makeRegistry() -> BackgroundTaskRegistry {
        var configuration = BackgroundTaskConfiguration()
        configuration.lead = .zero
        configuration.grace = TaskPlan.grace
        return BackgroundTaskRegistry(configuration: configuration)
    }

    /// Ends what can be ended, and says what came of all.
    func finish() -> TaskResult {
        state.withLock { $0.isOver = true }
        ended.wait()
        // Those that are stuck count as they are now, and only then are given up.
        let overdue = registry.statistics.overdue
        let result = state.withLock { state in
            let summary = record.summary()
            for identifier in state.turning { registry.endBackgroundTask(identifier) }
            state.turning = []
            return TaskResult(
                plan: plan, statistics: registry.statistics, overdue: overdue, handlers: summary,
                refusals: state.refused)
        }
        state.withLock { state in
            for identifier in state.stuck { registry.endBackgroundTask(identifier) }
            state.stuck = []
        }
        return result
    }

    private func turn() {
        let clock = SystemMonotonicClock()
        let start = clock.now
        while !state.withLock({ $0.isOver }) {
            let elapsed = start.duration(to: clock.now).inSeconds
            state.withLock { state in
                let due = state.turning.isEmpty ? 0 : Int(elapsed * Double(plan.turnover)) - state.turned
                for _ in 0..<max(0, due) {
                    registry.endBackgroundTask(state.turning[state.next])
                    state.turning[state.next] = begin(&state.refused)
                    state.next = (state.next + 1) % state.turning.count
                    state.turned += 1
                }
            }
            System.sleep(until: clock.now.advanced(by: .milliseconds(1)))
        }
        ended.signal()
    }

    /// One that is ended in time, where the turnover is fast enough for that.
    private func begin(_ refused: inout Int) -> BackgroundTaskIdentifier {
        begin("stress.turning", &refused) {}
    }

    private func beginStuck(_ refused: inout Int) -> BackgroundTaskIdentifier {
        let number = record.expect(after: plan.expiry)
        return begin("stress.stuck", &refused) { [record] in record.call(number) }
    }

    private func begin(
        _ name: BackgroundTaskName, _ refused: inout Int, _ onExpiration: @escaping @Sendable () -> Void
    ) -> BackgroundTaskIdentifier {
        do {
            return try registry.begin(name, expiry: .after(plan.expiry), onExpiration: onExpiration).intoIdentifier()
        } catch {
            refused += 1
            return .invalid
        }
    }
}
