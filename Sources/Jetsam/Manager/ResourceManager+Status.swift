public import MemoryPressure

extension ResourceManager {
    /// The state of a manager at one instant.
    public struct Status: Sendable {
        /// The level.
        public var level: PressureLevel
        /// The reason for the level; nil while it has always been normal.
        public var reason: LevelReason?
        /// The latest reading.
        public var reading: MemoryReading
        /// Every source, used or why not.
        public var sources: [SourceStatus]
        /// The registered caches with what the ledger knows of them.
        public var caches: [CacheStatus]
        /// The totals of reclaim since the manager began.
        public var totals: ReclaimTotals
        /// The allocator, and what it retains of what was freed.
        public var allocator: AllocatorStatus
        /// The process's life cycle.
        public var process: ProcessStatus
        /// The background tasks in numbers.
        public var backgroundTasks: BackgroundTaskStatistics
        /// The background tasks that are held, the longest-running first, five at most.
        package var longestTasks: [HeldBackgroundTask]
        /// The scenes in numbers.
        public var scenes: SceneStatistics
        /// The newest finished steps of reclaim, eight at most, the newest last, each with the time when it was told of: a moment
        /// after its end.
        public var recentSteps: [(step: ReclaimStep, instant: MonotonicInstant)]
        /// Bytes that the process needs for itself: of its footprint what neither caches that can give it back nor the allocator
        /// hold. An autoscaler can go by it: see <doc:Observability>.
        public var footprintNeededBytes: Int
        /// The share of the last two seconds in which some task waited for memory, in percent, as far as that was read: at
        /// `normal` it is not, where the kernel watches for it.
        public var stallPercent: Int
        /// The headroom where the levels of the `headroom` rule begin now, in bytes.
        public var headroomThresholds: (warningBytes: Int, criticalBytes: Int)
        /// The time since ``ResourceManager/run()`` began; nil before.
        public var uptime: Duration?
        /// The instant of this status.
        public var instant: MonotonicInstant
        /// Indicates whether the manager only decides and does nothing.
        public var isDryRun: Bool
        /// The process's own budget, and the footprint where the levels of the `footprint` rule begin, in bytes; nil without one.
        package var footprintBudget: (bytes: Int, warningBytes: Int, criticalBytes: Int)?
        /// The rule that called for a higher level before; nil where the level rose last.
        package var endedRule: PressureRule?
        /// The hard limit that was announced, and for which caches are held; nil where none is.
        package var announcedLimit: AnnouncedLimit?
    }

    /// A snapshot. It takes locks and allocates: for dashboards, not for hot paths.
    public var status: Status {
        let now = environment.clock.now
        let figures = governor.figures
        var history = history.withLock { $0 }
        history.totals.add(figures.releases.account.total, refetchedBytes: registry.refetchedBytes)
        let ledger = reclaimer.ledger
        return Status(
            level: figures.level, reason: figures.reason, reading: figures.reading,
            sources: figures.sources.statuses + (events?.statuses ?? []),
            caches: registry.clients.map { CacheStatus($0, ledger[$0.id]) }, totals: history.totals,
            allocator: AllocatorStatus(
                environment.allocator, statistics: environment.allocator.statistics,
                retainedBytes: channel.gauges.retainedBytes),
            process: lifecycle.status, backgroundTasks: backgroundTasks.statistics,
            longestTasks: backgroundTasks.heldTasks(limit: 5), scenes: scenes.statistics, recentSteps: history.recent,
            footprintNeededBytes: footprintNeededBytes(figures), stallPercent: figures.stallPercent,
            headroomThresholds: (figures.thresholds.warningEntry, figures.thresholds.criticalEntry),
            uptime: begunAt.map { $0.duration(to: now) }, instant: now, isDryRun: figures.isDryRun,
            footprintBudget: figures.budget.map { ($0.budgetBytes, $0.warningBytes, $0.criticalBytes) },
            endedRule: figures.endedRule, announcedLimit: figures.announcedLimit)
    }

    /// Bytes of the footprint that would be left with empty caches, of those that give back what they say, and after a trim.
    func footprintNeededBytes(_ figures: Governor.Figures) -> Int {
        let purgeable = max(0, registry.reportedBytes - figures.hollowBytes)
        return max(
            0,
            figures.reading.footprintBytes.subtractingSaturating(purgeable).subtractingSaturating(
                channel.gauges.retainedBytes))
    }

    /// Bytes that caches were asked for and have not answered. At rest there are none.
    package var inFlightBytes: Int { channel.gauges.inFlightBytes }

    var sources: [SourceStatus] {
        governor.sources + (events?.statuses ?? [])
    }
}

/// One registered cache with what the ledger knows of it. All bytes are sums since it registered.
public struct CacheStatus: Sendable, Equatable {
    /// The name that it registered with.
    public var name: String
    /// Its priority.
    public var priority: ResourcePriority
    /// Bytes that it reports now.
    public var reportedBytes: Int
    /// Its limit in bytes; nil for none.
    public var limitBytes: Int?
    /// The number of times that it was asked.
    public var asks: Int
    /// The bytes that it answered to have given.
    public var promisedBytes: Int
    /// Part of that: what came when the step that asked for it had ended.
    public var lateBytes: Int
    /// The bytes that its handler's threads freed; nil where the allocator cannot tell.
    public var freedBytes: Int?
    /// Its share of the falls of the footprint, and what it gave to the kernel itself too late for its step.
    public var returnedBytes: Int
    /// Bytes that releases gave up and that were put in again within ten seconds; nil for a cache whose keys are not known.
    public var refetchedBytes: Int?
    /// The number of times that its handler threw.
    public var failures: Int
    /// The number of times that its handler missed a deadline.
    public var missedDeadlines: Int
    /// The longest that its handler took.
    public var longestHandlerTime: Duration

    init(_ client: CacheClient, _ entry: LedgerEntry?) {
        let entry = entry ?? LedgerEntry()
        name = client.name
        priority = client.priority
        reportedBytes = client.reportedBytes
        limitBytes = client.limitBytes
        asks = entry.asks
        promisedBytes = entry.promisedBytes
        lateBytes = entry.lateBytes
        freedBytes = entry.freedBytes
        returnedBytes = entry.returnedBytes
        refetchedBytes = client.refetched?.total
        failures = entry.failures
        missedDeadlines = entry.missedDeadlines
        longestHandlerTime = entry.longestHandlerTime
    }
}

/// Sums over all finished steps.
public struct ReclaimTotals: Sendable, Equatable {
    /// The number of changes of the level.
    public var levelChanges = 0
    /// The number of steps that were taken.
    public var steps = 0
    /// Bytes that caches answered to have given.
    public var promisedBytes = 0
    /// Bytes that their threads freed, as far as the allocator can tell.
    public var freedBytes = 0
    /// Bytes by which the footprint fell.
    public var returnedBytes = 0
    /// Bytes of these that trims of the allocator brought.
    public var trimmedBytes = 0
    /// Bytes that caches gave and that came back: of what they promised, what the allocator or the footprint shows to be gone.
    public var releasedBytes = 0
    /// Bytes that would have had to be released to keep a fixed reserve free; see <doc:Observability>.
    public var neededBytes = 0
    /// Bytes that releases gave up and that were put in again within ten seconds, by caches of ours.
    public var refetchedBytes = 0
    /// Bytes of these that nothing else had needed meanwhile; those of the latest ten seconds may still become fewer.
    public var wastedBytes = 0

    mutating func add(_ step: ReclaimStep) {
        steps += 1
        promisedBytes = promisedBytes.addingSaturating(step.promisedBytes)
        freedBytes = freedBytes.addingSaturating(step.freedBytes ?? 0)
        returnedBytes = returnedBytes.addingSaturating(step.returnedBytes)
        trimmedBytes = trimmedBytes.addingSaturating(step.trimmedBytes)
    }

    mutating func add(_ releases: ReleaseAccount.Figures, refetchedBytes: Int) {
        releasedBytes = releases.releasedBytes
        neededBytes = releases.neededBytes
        wastedBytes = releases.wastedBytes
        self.refetchedBytes = refetchedBytes
    }
}

/// The totals of reclaim since the manager began, and the newest steps.
struct ReclaimHistory {
    /// The number of steps that are kept.
    static let capacity = 8

    var totals = ReclaimTotals()
    private(set) var recent: [(step: ReclaimStep, instant: MonotonicInstant)] = []

    mutating func add(_ step: ReclaimStep, at instant: MonotonicInstant) {
        totals.add(step)
        if recent.count == Self.capacity { recent.removeFirst() }
        recent.append((step, instant))
    }
}
