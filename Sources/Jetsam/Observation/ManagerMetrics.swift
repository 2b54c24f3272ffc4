internal import CoreMetrics
internal import MemoryPressure

/// Every metric of a manager, with its unit.
///
/// They are written when the level changes and when a step ends, never at a reading.
struct ManagerMetrics: Sendable {
    /// `jetsam_level`, gauge: 0 normal, 1 warning, 2 critical.
    private let level: Gauge
    /// `jetsam_headroom_bytes`, gauge: headroom at the latest change or step.
    private let headroom: Gauge
    /// `jetsam_level_changes_total`, counter.
    private let changes: Counter
    /// `jetsam_reclaim_steps_total`, counter.
    private let steps: Counter
    /// `jetsam_reclaim_promised_bytes_total`, counter: what caches answered to have given.
    private let promised: Counter
    /// `jetsam_reclaim_returned_bytes_total`, counter: by how much the footprint fell.
    private let returned: Counter
    /// `jetsam_reclaim_trimmed_bytes_total`, counter: what trims of the allocator brought of it.
    private let trimmed: Counter
    /// `jetsam_allocator_retained_bytes`, gauge: what the allocator retains of what was freed, at the latest step.
    private let retained: Gauge
    /// `jetsam_handler_missed_deadlines_total`, counter.
    private let missedDeadlines: Counter
    /// `jetsam_handler_duration_seconds`, timer: how long release handlers took.
    private let handlerTime: CoreMetrics.Timer
    /// `jetsam_process_state`, gauge: 0 not running, 1 inactive, 2 active, 3 background, 4 suspended.
    private let processState: Gauge
    /// `jetsam_process_transitions_total`, counter.
    private let transitions: Counter
    /// `jetsam_lifecycle_missed_deadlines_total`, counter: observers of the life cycle that were late.
    private let missedLifecycleDeadlines: Counter
    /// `jetsam_background_tasks_overdue_total`, counter: background tasks that had not ended when their grace was over.
    private let overdueTasks: Counter

    init(factory: any MetricsFactory) {
        level = Gauge(label: "jetsam_level", dimensions: [], factory: factory)
        headroom = Gauge(label: "jetsam_headroom_bytes", dimensions: [], factory: factory)
        changes = Counter(label: "jetsam_level_changes_total", dimensions: [], factory: factory)
        steps = Counter(label: "jetsam_reclaim_steps_total", dimensions: [], factory: factory)
        promised = Counter(label: "jetsam_reclaim_promised_bytes_total", dimensions: [], factory: factory)
        returned = Counter(label: "jetsam_reclaim_returned_bytes_total", dimensions: [], factory: factory)
        trimmed = Counter(label: "jetsam_reclaim_trimmed_bytes_total", dimensions: [], factory: factory)
        retained = Gauge(label: "jetsam_allocator_retained_bytes", dimensions: [], factory: factory)
        missedDeadlines = Counter(label: "jetsam_handler_missed_deadlines_total", dimensions: [], factory: factory)
        handlerTime = CoreMetrics.Timer(
            label: "jetsam_handler_duration_seconds", dimensions: [], preferredDisplayUnit: .seconds, factory: factory)
        processState = Gauge(label: "jetsam_process_state", dimensions: [], factory: factory)
        transitions = Counter(label: "jetsam_process_transitions_total", dimensions: [], factory: factory)
        overdueTasks = Counter(label: "jetsam_background_tasks_overdue_total", dimensions: [], factory: factory)
        missedLifecycleDeadlines = Counter(
            label: "jetsam_lifecycle_missed_deadlines_total", dimensions: [], factory: factory)
    }

    func record(_ transition: ProcessTransition) {
        processState.record(Int(transition.to.rawValue))
        transitions.increment()
    }

    func recordOverdueTask() {
        overdueTasks.increment()
    }

    func recordMissedLifecycleDeadline() {
        missedLifecycleDeadlines.increment()
    }

    func record(_ change: LevelChange) {
        level.record(Int(change.level.rawValue))
        headroom.record(change.headroomBytes)
        if !change.isRepetition { changes.increment() }
    }

    func record(_ step: ReclaimStep) {
        steps.increment()
        headroom.record(step.headroomBytes.after)
        promised.increment(by: step.promisedBytes)
        returned.increment(by: step.returnedBytes)
        trimmed.increment(by: step.trimmedBytes)
        retained.record(step.retainedBytes)
        for part in step.parts {
            handlerTime.recordNanoseconds(part.handlerTime.nanoseconds)
            if part.missedDeadline { missedDeadlines.increment() }
        }
    }
}
