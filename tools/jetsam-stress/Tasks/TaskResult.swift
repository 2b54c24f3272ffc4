internal import Jetsam
internal import MemoryPressure
internal import _StressPatterns

/// What became of the background tasks.
struct TaskResult {
    var count: Int
    var stuck: Int
    var begun: Int
    var ended: Int
    /// Told that they expire, those that end in time included where they came too late.
    var expired: Int
    /// Not ended by the end of their grace.
    var overdue: Int
    var refused: Int
    /// Of those that never end.
    var handlers: HandlerRecord.Summary

    init(
        plan: TaskPlan, statistics: BackgroundTaskStatistics, overdue: Int, handlers: HandlerRecord.Summary,
        refusals: Int
    ) {
        count = plan.count
        stuck = plan.stuck
        begun = statistics.begun
        ended = statistics.ended
        expired = statistics.expired
        self.overdue = overdue
        refused = refusals
        self.handlers = handlers
    }

    private func milliseconds(_ percent: Int) -> Double? {
        guard !handlers.lateness.isEmpty else { return nil }
        return handlers.lateness[(handlers.lateness.count - 1) * percent / 100].inSeconds * 1000
    }

    var text: String {
        let late = milliseconds(99).map { ", 99 % of them at most \(($0 * 1000).rounded() / 1000) ms late" } ?? ""
        let faults = [
            (handlers.calledTwice, "called twice"), (handlers.missing, "never called"),
            (handlers.early, "called early"),
        ]
        let faultText = faults.filter { $0.0 > 0 }.map { ", \($0.0) \($0.1)" }.joined()
        return "background tasks: \(count) held, \(begun) begun, \(ended) ended, \(refused) refused, "
            + "\(expired) expired, \(overdue) overdue; "
            + "of the \(stuck) that never end \(handlers.called) were told\(late)\(faultText)"
    }

    var json: JSONText {
        func number(_ value: Double?) -> JSONText { value.map { .number($0) } ?? .null }
        return .object([
            ("count", .integer(count)), ("stuck", .integer(stuck)), ("begun", .integer(begun)),
            ("ended", .integer(ended)), ("refused", .integer(refused)), ("expired", .integer(expired)),
            ("overdue", .integer(overdue)), ("handlersCalled", .integer(handlers.called)),
            ("handlersCalledTwice", .integer(handlers.calledTwice)), ("handlersMissing", .integer(handlers.missing)),
            ("handlersEarly", .integer(handlers.early)), ("lateMillisecondsMedian", number(milliseconds(50))),
            ("lateMillisecondsP99", number(milliseconds(99))), ("lateMillisecondsWorst", number(milliseconds(100))),
        ])
    }
}
