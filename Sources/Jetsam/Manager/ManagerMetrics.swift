internal import CoreMetrics
internal import MemoryPressure

/// Tells the metrics of ``ResourceManager/Metric/all``, on the notification queue.
final class ManagerMetrics: Sendable {
    private typealias Metrics = ResourceManager.Metrics

    /// Figures that are looked at once a second.
    struct Figures {
        var level = PressureLevel.normal
        var reading = MemoryReading()
        var footprintNeededBytes = 0
        var stallPercent = 0
        var tasks = BackgroundTaskStatistics()
        /// Of episodes of releases that are over.
        var releases = ReleaseAccount.Figures()
        var refetchedBytes = 0
        /// Connected scenes; nil where there never was one.
        var scenes: [SceneState: Int]?
    }

    /// The counters as they were told last.
    private struct Told {
        var readings: UInt64 = 0
        var tasks = BackgroundTaskStatistics()
        var releases = ReleaseAccount.Figures()
        var refetchedBytes = 0
    }

    /// Indicates whether anybody collects the figures that are told.
    let isCollected: Bool
    private let level: Gauge
    private let headroom: Gauge
    private let limit: Gauge
    private let footprint: Gauge
    private let footprintNeeded: Gauge
    private let stall: Gauge
    private let readings: Counter
    private let changes: Counter
    private let steps: Counter
    private let promised: Counter
    private let freed: Counter
    private let returned: Counter
    private let trimmed: Counter
    private let released: Counter
    private let needed: Counter
    private let refetched: Counter
    private let wasted: Counter
    private let retained: Gauge
    private let missedDeadlines: Counter
    private let handlerTime: CoreMetrics.Timer
    private let processState: Gauge
    private let transitions: Counter
    private let missedLifecycleDeadlines: Counter
    private let tasksHeld: Gauge
    private let tasksBegun: Counter
    private let tasksExpired: Counter
    private let tasksOverdue: Counter
    private let tasksLongHeld: Counter
    private let tasksRefused: Counter
    private let scenes: [SceneState: Gauge]
    private let told = Lock(Told())

    init(factory: any MetricsFactory) {
        func gauge(_ metric: ResourceManager.Metric) -> Gauge {
            Gauge(label: metric.label, dimensions: [], factory: factory)
        }
        func counter(_ metric: ResourceManager.Metric) -> Counter {
            Counter(label: metric.label, dimensions: [], factory: factory)
        }
        isCollected = !(factory is NOOPMetricsHandler)
        level = gauge(Metrics.level)
        headroom = gauge(Metrics.headroom)
        limit = gauge(Metrics.limit)
        footprint = gauge(Metrics.footprint)
        footprintNeeded = gauge(Metrics.footprintNeeded)
        stall = gauge(Metrics.stall)
        readings = counter(Metrics.readings)
        changes = counter(Metrics.levelChanges)
        steps = counter(Metrics.steps)
        promised = counter(Metrics.promised)
        freed = counter(Metrics.freed)
        returned = counter(Metrics.returned)
        trimmed = counter(Metrics.trimmed)
        released = counter(Metrics.released)
        needed = counter(Metrics.needed)
        refetched = counter(Metrics.refetched)
        wasted = counter(Metrics.wasted)
        retained = gauge(Metrics.retained)
        missedDeadlines = counter(Metrics.missedHandlerDeadlines)
        handlerTime = CoreMetrics.Timer(
            label: Metrics.handlerTime.label, dimensions: [], preferredDisplayUnit: .seconds, factory: factory)
        processState = gauge(Metrics.processState)
        transitions = counter(Metrics.processTransitions)
        missedLifecycleDeadlines = counter(Metrics.missedLifecycleDeadlines)
        tasksHeld = gauge(Metrics.tasksHeld)
        tasksBegun = counter(Metrics.tasksBegun)
        tasksExpired = counter(Metrics.tasksExpired)
        tasksOverdue = counter(Metrics.tasksOverdue)
        tasksLongHeld = counter(Metrics.tasksLongHeld)
        tasksRefused = counter(Metrics.tasksRefused)
        let dimension = Metrics.scenes.dimension ?? ""
        scenes = Dictionary(
            uniqueKeysWithValues: SceneState.allCases.filter { $0 != .disconnected }.map { state in
                let gauge = Gauge(
                    label: Metrics.scenes.label, dimensions: [(dimension, "\(state)")], factory: factory)
                return (state, gauge)
            })
    }

    func record(_ transition: ProcessTransition) {
        processState.record(Int(transition.to.rawValue))
        transitions.increment()
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
        headroom.record(step.headroomAfter)
        promised.increment(by: step.promisedBytes)
        freed.increment(by: step.freedBytes ?? 0)
        returned.increment(by: step.returnedBytes)
        trimmed.increment(by: step.trimmedBytes)
        retained.record(step.retainedBytes)
        for part in step.parts {
            handlerTime.recordNanoseconds(part.handlerTime.nanoseconds)
            if part.missedDeadline { missedDeadlines.increment() }
        }
    }

    func record(_ figures: Figures) {
        level.record(Int(figures.level.rawValue))
        headroom.record(figures.reading.headroomBytes)
        limit.record(figures.reading.limitBytes)
        footprint.record(figures.reading.footprintBytes)
        footprintNeeded.record(figures.footprintNeededBytes)
        stall.record(Double(figures.stallPercent) / 100)
        tasksHeld.record(figures.tasks.held)
        if let connected = figures.scenes {
            for (state, gauge) in scenes { gauge.record(connected[state] ?? 0) }
        }
        let before = told.withLock { told in
            defer {
                told.readings = max(told.readings, figures.reading.sequence)
                told.tasks = figures.tasks
                told.releases = figures.releases
                told.refetchedBytes = figures.refetchedBytes
            }
            return told
        }
        readings.increment(
            by: Int(clamping: figures.reading.sequence &- min(before.readings, figures.reading.sequence)))
        released.increment(by: max(0, figures.releases.releasedBytes - before.releases.releasedBytes))
        needed.increment(by: max(0, figures.releases.neededBytes - before.releases.neededBytes))
        refetched.increment(by: max(0, figures.refetchedBytes - before.refetchedBytes))
        wasted.increment(by: max(0, figures.releases.wastedBytes - before.releases.wastedBytes))
        tasksBegun.increment(by: max(0, figures.tasks.begun - before.tasks.begun))
        tasksExpired.increment(by: max(0, figures.tasks.expired - before.tasks.expired))
        tasksOverdue.increment(by: max(0, figures.tasks.overdue - before.tasks.overdue))
        tasksLongHeld.increment(by: max(0, figures.tasks.longHeld - before.tasks.longHeld))
        tasksRefused.increment(by: max(0, figures.tasks.refused - before.tasks.refused))
    }
}
