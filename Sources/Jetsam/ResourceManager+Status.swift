public import MemoryPressure

extension ResourceManager {
    /// What a manager knows at one instant.
    public struct Status: Sendable {
        /// The level.
        public var level: PressureLevel
        /// Why; nil while it has always been normal.
        public var reason: LevelReason?
        /// The latest reading.
        public var reading: MemoryReading
        /// Every source, used or why not.
        public var sources: [SourceStatus]
        /// The registered caches with what the ledger knows of them.
        public var caches: [CacheStatus]
        /// What has been reclaimed since the manager began.
        public var totals: ReclaimTotals
        /// The allocator, and what it retains of what was freed.
        public var allocator: AllocatorStatus
        /// The process's life cycle.
        public var process: ProcessStatus
    }

    /// A snapshot. It takes locks and allocates: for dashboards, not for hot paths.
    public var status: Status {
        let (level, reason, reading) = governor.state.withLock {
            ($0.decider.machine.level, $0.decider.machine.reason, $0.reading)
        }
        let ledger = reclaimer.state.withLock { $0.ledger }
        return Status(
            level: level, reason: reason, reading: reading, sources: sources,
            caches: registry.clients.map { CacheStatus($0, ledger[$0.id]) }, totals: reclaimTotals,
            allocator: AllocatorStatus(
                environment.allocator, statistics: environment.allocator.statistics,
                retainedBytes: channel.gauges.retainedBytes),
            process: lifecycle.status)
    }

    var sources: [SourceStatus] {
        governor.state.withLock { $0.reader.sources } + (events?.statuses ?? [])
    }
}

/// One registered cache with what the ledger knows of it. All bytes are sums since it registered.
public struct CacheStatus: Sendable, Equatable {
    /// The name that it registered with.
    public var name: String
    /// Its band.
    public var priority: CachePriority
    /// Bytes that it reports now.
    public var reportedBytes: Int
    /// Its limit in bytes; nil for none.
    public var limitBytes: Int?
    /// How often it was asked.
    public var asks: Int
    /// What it answered to have given.
    public var promisedBytes: Int
    /// Part of that: what came when the step that asked for it had ended.
    public var lateBytes: Int
    /// What its handler's threads freed; nil where the allocator cannot tell.
    public var freedBytes: Int?
    /// Its share of the falls of the footprint, and what it gave to the kernel itself too late for its step.
    public var returnedBytes: Int
    /// How often its handler threw.
    public var failures: Int
    /// How often its handler missed a deadline.
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
        failures = entry.failures
        missedDeadlines = entry.missedDeadlines
        longestHandlerTime = entry.longestHandlerTime
    }
}

/// Sums over all finished steps.
public struct ReclaimTotals: Sendable, Equatable {
    /// How often the level changed.
    public var levelChanges = 0
    /// How many steps were taken.
    public var steps = 0
    /// Bytes that caches answered to have given.
    public var promisedBytes = 0
    /// Bytes by which the footprint fell.
    public var returnedBytes = 0
    /// Bytes of these that trims of the allocator brought.
    public var trimmedBytes = 0

    mutating func add(_ step: ReclaimStep) {
        steps += 1
        promisedBytes += step.promisedBytes
        returnedBytes += step.returnedBytes
        trimmedBytes += step.trimmedBytes
    }
}
