internal import Jetsam
internal import JetsamTrace
internal import MemoryPressure

/// What a report says of a trace, gathered in one pass and in bounded memory.
struct TraceDigest {
    struct Told<Record> {
        var instant: MonotonicInstant
        var record: Record
    }

    struct CacheTotals {
        var cache: Int
        var name: String?
        var traits = CacheTraits()
        var answers = 0
        var failures = 0
        var promisedBytes = 0
        var freedBytes: Int?
        var longest = Duration.zero
    }

    /// How many caches are told apart.
    static let mostCaches = 200

    private(set) var header: TraceHeader?
    private(set) var columns = TimeColumns(start: MonotonicInstant(nanoseconds: 0))
    private(set) var readings = 0
    private(set) var lostRecords = 0
    private(set) var isFileFull = false
    private(set) var notices = Kept<Told<NoticeRecord>>(50)
    private(set) var changes = Kept<Told<LevelRecord>>()
    private(set) var steps = Kept<Told<StepRecord>>()
    private(set) var transitions = Kept<Told<ProcessRecord>>(50)
    private(set) var sceneTransitions = 0
    private(set) var rises = 0
    private(set) var repeats = 0
    private(set) var leastHeadroom: Told<MemoryReading>?
    private(set) var peakUsage: Told<MemoryReading>?
    private(set) var lastReading: MemoryReading?
    private(set) var isEverLimited = false
    private(set) var outOfMemoryKills: Extent = .empty
    private(set) var longestStep = Duration.zero
    private(set) var disturbedSteps = 0
    private(set) var carriedOutSteps = 0
    /// Episodes of releases that are over, at the instant at which the first release of each was seen.
    private(set) var episodes = Kept<Told<ReleaseAccount.Figures>>(50)
    private(set) var stages: [StepRecord.Stage: Int] = [:]
    private(set) var caches: [Int: CacheTotals] = [:]
    private(set) var cachesLeftOut = false
    private(set) var tellsFreed = false
    /// From when on it is a model and no longer what was recorded.
    private(set) var modelBegins: MonotonicInstant?
    /// Whether the last line was cut off.
    private(set) var isCut = false

    private var level = PressureLevel.normal
    private var levelSince = MonotonicInstant(nanoseconds: 0)
    private var nanosecondsAt = [0, 0, 0]
    private var end = MonotonicInstant(nanoseconds: 0)
    private var stall = StallShare()
    private var tally = ReleaseTally()
    private var episodeBegan = MonotonicInstant(nanoseconds: 0)

    var start: MonotonicInstant { columns.start }
    var length: Duration { .nanoseconds(Int64(columns.length)) }
    /// What releases brought, needed and wasted in all.
    var releases: ReleaseAccount.Figures { tally.total }
    var isDryRun: Bool { header?.configuration.isDryRun ?? false }

    func time(at level: PressureLevel) -> Duration { .nanoseconds(Int64(nanosecondsAt[level.code])) }

    /// Adds the next record; the first one is the trace's first line.
    mutating func add(_ event: TraceEvent, at instant: MonotonicInstant) throws(TraceError) {
        if case .trace(let header) = event {
            try begin(header, at: instant)
            return
        }
        end = max(end, instant)
        switch event {
        case .reading(let record): add(record, at: instant)
        case .notice(let record):
            // The end of a step has a record of its own.
            if record.what != .stepEnded { notices.append(Told(instant: instant, record: record)) }
            if record.what == .answeredLate { tally.add(releasedBytes: record.promisedBytes) }
        case .level(let record): add(record, at: instant)
        case .demand(let record): columns.add(.asked, record.targetBytes, at: instant)
        case .run(let record): if [.step, .request, .prepare].contains(record.purpose) { tally.begin() }
        case .step(let record): add(record, at: instant)
        case .client(let record): note(record)
        case .answer(let record): add(record)
        case .cache(let record): name(record)
        case .counts(let record): add(record, at: instant)
        case .process(let record): transitions.append(Told(instant: instant, record: record))
        case .scene: sceneTransitions += 1
        case .lost(let record):
            lostRecords = lostRecords.addingSaturating(max(0, record.records))
            isFileFull = isFileFull || record.why == .fileFull
            columns.break(at: instant)
            tally.abandon()
        case .model: modelBegins = modelBegins ?? instant
        default: break
        }
    }

    /// There are no more records.
    ///
    /// - Parameter isCut: Whether the last line was not whole.
    mutating func finish(isCut: Bool) {
        self.isCut = isCut
        if let ended = tally.finish() { episodes.append(Told(instant: episodeBegan, record: ended)) }
        holdLevel(until: end)
    }

    private mutating func begin(_ header: TraceHeader, at instant: MonotonicInstant) throws(TraceError) {
        guard self.header == nil else {
            throw TraceError(line: 0, message: "a second trace begins here; a report is made of one")
        }
        self.header = header
        columns = TimeColumns(start: instant)
        levelSince = instant
        end = instant
    }

    private mutating func holdLevel(until instant: MonotonicInstant) {
        let from = max(levelSince, start)
        let until = max(from, instant)
        let nanoseconds = Int(until.nanoseconds).subtractingSaturating(Int(from.nanoseconds))
        nanosecondsAt[level.code] = nanosecondsAt[level.code].addingSaturating(nanoseconds)
        columns.set(level, from: from, to: until)
        levelSince = until
    }
}

extension TraceDigest {
    private mutating func add(_ record: ReadingRecord, at instant: MonotonicInstant) {
        let reading = record.reading
        readings += 1
        look(at: record, instant)
        lastReading = reading
        isEverLimited = isEverLimited || reading.isLimited
        columns.set(.usage, reading.usageBytes, at: instant)
        columns.set(.unreclaimable, reading.unreclaimableBytes, at: instant)
        columns.set(.limit, reading.limitBytes, at: instant)
        columns.set(.high, reading.highBytes, at: instant)
        columns.set(.headroom, reading.headroomBytes, at: instant)
        if reading.footprintBytes > 0 { columns.set(.footprint, reading.footprintBytes, at: instant) }
        if isDryRun { columns.set(.usedReally, reading.usageBytes.addingSaturating(record.creditBytes), at: instant) }
        // Where nothing else counts background tasks, readings at critical do.
        columns.set(.held, record.heldBackgroundTasks, at: instant)
        if let rule = header?.configuration.headroom {
            let thresholds = HeadroomThresholds(limitBytes: reading.limitBytes, of: rule)
            columns.set(.warningEntry, thresholds.warningEntry, at: instant)
            columns.set(.criticalEntry, thresholds.criticalEntry, at: instant)
        }
        if let total = reading.stallSomeMicroseconds {
            columns.set(.stall, stall.add(total, at: instant), at: instant)
        }
        if let kills = reading.events?.oomKill { outOfMemoryKills.include(Int(clamping: kills)) }
        if leastHeadroom.map({ reading.headroomBytes < $0.record.headroomBytes }) ?? true {
            leastHeadroom = Told(instant: instant, record: reading)
        }
        if peakUsage.map({ reading.usageBytes > $0.record.usageBytes }) ?? true {
            peakUsage = Told(instant: instant, record: reading)
        }
    }

    private mutating func look(at record: ReadingRecord, _ instant: MonotonicInstant) {
        let hadEpisode = tally.account.current != nil
        let ended = tally.look(
            at: ReleaseAccount.Sample(
                record.reading, at: instant, budget: header?.configuration.footprint,
                cacheBytes: record.reportedBytes, refetchedBytes: record.refetchedBytes))
        if let ended { episodes.append(Told(instant: episodeBegan, record: ended)) }
        if tally.account.current != nil, !hadEpisode || ended != nil { episodeBegan = instant }
    }

    private mutating func add(_ record: LevelRecord, at instant: MonotonicInstant) {
        holdLevel(until: instant)
        level = record.level
        if record.level == record.previous {
            repeats += 1
        } else {
            if record.level > record.previous { rises += 1 }
            changes.append(Told(instant: instant, record: record))
        }
    }

    private mutating func add(_ record: StepRecord, at instant: MonotonicInstant) {
        steps.append(Told(instant: instant, record: record))
        if record.stage == .caches { tally.end(releasedBytes: record.cameBackBytes) }
        stages[record.stage, default: 0] += 1
        longestStep = max(longestStep, record.duration)
        if record.isDisturbed { disturbedSteps += 1 }
        if !record.isDryRun { carriedOutSteps += 1 }
        columns.add(.promised, record.promisedBytes, at: instant)
        if let freed = record.freedBytes {
            tellsFreed = true
            columns.add(.freed, freed, at: instant)
        }
        columns.add(.returned, record.returnedBytes, at: instant)
    }

    private mutating func add(_ record: CountsRecord, at instant: MonotonicInstant) {
        columns.set(.held, record.heldTasks, at: instant)
        columns.set(.expired, record.expiredTasks, at: instant)
        columns.set(.overdue, record.overdueTasks, at: instant)
        columns.set(.refused, record.refusedTasks, at: instant)
        columns.set(.active, record.activeScenes, at: instant)
        columns.set(.inactive, record.inactiveScenes, at: instant)
        columns.set(.background, record.backgroundScenes, at: instant)
        columns.set(.suspended, record.suspendedScenes, at: instant)
    }

    private mutating func name(_ record: CacheRecord) {
        guard admit(record.cache) else { return }
        caches[record.cache, default: CacheTotals(cache: record.cache)].name = record.name
    }

    private mutating func note(_ record: ClientRecord) {
        guard admit(record.cache) else { return }
        caches[record.cache, default: CacheTotals(cache: record.cache)].traits = record.facts.traits
    }

    private mutating func add(_ record: AnswerRecord) {
        guard admit(record.cache) else { return }
        var totals = caches[record.cache] ?? CacheTotals(cache: record.cache)
        totals.answers += 1
        if record.failed { totals.failures += 1 }
        totals.promisedBytes = totals.promisedBytes.addingSaturating(max(0, record.promisedBytes))
        if let freed = record.freedBytes { totals.freedBytes = (totals.freedBytes ?? 0).addingSaturating(freed) }
        totals.longest = max(totals.longest, record.duration)
        caches[record.cache] = totals
    }

    private mutating func admit(_ cache: Int) -> Bool {
        if caches[cache] != nil || caches.count < Self.mostCaches { return true }
        cachesLeftOut = true
        return false
    }
}

extension HeadroomThresholds {
    /// Of a limit that a trace claims, which may be any number.
    fileprivate init(limitBytes: Int, of rule: ManagerConfiguration.HeadroomRule) {
        self.init(
            limitBytes: min(max(0, limitBytes), 1 << 53),
            warning: Entry(
                percent: rule.warningPercent, minimum: rule.warningMinimumBytes, maximum: rule.warningMaximumBytes),
            critical: Entry(
                percent: rule.criticalPercent, minimum: rule.criticalMinimumBytes, maximum: rule.criticalMaximumBytes),
            exitPoints: rule.exitPoints)
    }
}
