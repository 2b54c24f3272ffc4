internal import MemoryPressure

/// The readings of the kernel's figures: when which files are read again, and what they said last.
struct Readings {
    private let reader: KernelReader
    private var spans: Spans
    private var looks = LookTimes()
    private var moves = CgroupMoves()
    private var threshold = KernelThreshold.none
    private(set) var latest = MemoryReading()

    init(_ reader: KernelReader, _ sampling: ManagerConfiguration.Sampling) {
        self.reader = reader
        spans = Spans(sampling)
    }

    /// The facts that are known of the sources.
    var findings: SourceFindings { reader.findings }
    var ownOOMKills: UInt64? { reader.ownOOMKills }
    /// Indicates whether the cgroup is another one than that whose files are read.
    var hasMoved: Bool { moves.hasMoved }

    mutating func reconfigure(_ sampling: ManagerConfiguration.Sampling) {
        spans = Spans(sampling)
    }

    // MARK: Reading

    /// Reads everything now, without keeping it as the latest reading: nobody judges it.
    mutating func measure(at now: MonotonicInstant) -> MemoryReading {
        looks.full = now
        return reader.read(.full, at: now, includingStall: false)
    }

    /// Reads as much as is due at a level.
    ///
    /// - Parameter rule: The rule of the headroom. A whole decider is not handed over: it would be copied at every reading.
    mutating func read(
        _ cause: LevelCause, _ level: PressureLevel, _ rule: ManagerConfiguration.HeadroomRule, hasLiveTrigger: Bool,
        at now: MonotonicInstant
    ) -> MemoryReading {
        guard cause == .sampler, !looks.full.isOlder(than: longestAge(level), at: now) else {
            return readFull(includingStall: shouldReadStall(cause, level, hasLiveTrigger, at: now), at: now)
        }
        let reading = reader.read(.cheap, at: now, includingStall: false)
        let thresholds = HeadroomThresholds(limitBytes: reading.limitBytes, rule: rule)
        let entry = level == .normal ? thresholds.warningEntry : thresholds.criticalEntry
        // The estimate takes growth of the page cache for the process's own: look closely before it raises a level.
        if level < .critical, reading.headroomBytes < entry {
            return readFull(includingStall: false, at: now)
        }
        if hasUsageMoved(reading) || isAtBound(reading), looks.full.isOlder(than: spans.full, at: now) {
            return readFull(includingStall: shouldReadStall(cause, level, hasLiveTrigger, at: now), at: now)
        }
        latest = reading
        return reading
    }

    /// Returns whether a reading shows nothing new: it is a cheap one, and says what the last full one did.
    func isQuiet(_ reading: MemoryReading) -> Bool {
        reading.depth == .cheap && !hasMoved && !hasUsageMoved(reading)
    }

    /// Returns whether page cache gives way to whatever grows: at the limit, and at `memory.high`, usage stays as it is.
    private func isAtBound(_ reading: MemoryReading) -> Bool {
        let bound = min(reading.limitBytes, reading.highBytes ?? .max)
        return reading.isLimited && bound - reading.usageBytes < reading.limitBytes / 64
    }

    private func hasUsageMoved(_ reading: MemoryReading) -> Bool {
        (reading.usageBytes - looks.usageAtFull).magnitude > reading.limitBytes.magnitude / 512
    }

    /// Returns the greatest age of the last full reading where usage has hardly changed since: at `normal` under a limit that is not
    /// reached, cheap readings show whether there is anything to look at.
    private func longestAge(_ level: PressureLevel) -> Int64 {
        level == .normal && latest.isLimited ? max(spans.full, 1_000_000_000) : spans.full
    }

    private mutating func readFull(includingStall: Bool, at now: MonotonicInstant) -> MemoryReading {
        looks.full = now
        if includingStall { looks.stall = now }
        let reading = reader.read(.full, at: now, includingStall: includingStall)
        looks.usageAtFull = reading.usageBytes
        latest = reading
        return reading
    }

    /// Reading a PSI file starves unprivileged triggers on it, so while one stands guard at `normal` it is left alone, but
    /// for the trigger's own events; and never is it read faster than stall times can bear.
    private func shouldReadStall(
        _ cause: LevelCause, _ level: PressureLevel, _ hasLiveTrigger: Bool, at now: MonotonicInstant
    ) -> Bool {
        guard looks.stall.isOlder(than: spans.full, at: now) else { return false }
        if cause.eventSource == .pressureTrigger { return true }
        return level > .normal || !hasLiveTrigger
    }

    // MARK: What is looked at now and then

    /// The process did not run for a while: what was read before is old.
    mutating func forget() {
        looks.forgetReadings()
    }

    /// Reads limits again where that is due; returns whether it was.
    mutating func refreshLimits(at now: MonotonicInstant) -> Bool {
        guard looks.areLimitsDue(spans, at: now) else { return false }
        reader.refreshLimits(includingUnlimited: false)
        return true
    }

    /// Checks the places of the files where that is due.
    mutating func checkPaths(at now: MonotonicInstant) {
        guard looks.arePathsDue(spans, at: now) else { return }
        reader.refreshLimits()
        moves.note(hasMoved: reader.cgroupHasMoved())
    }

    /// Returns whether a cache may be probed.
    mutating func isProbeDue(isSampler: Bool, at now: MonotonicInstant) -> Bool {
        looks.isProbeDue(spans, isSampler: isSampler, at: now)
    }

    // MARK: Another cgroup

    /// Returns whether the cgroup was moved since the last call. The thresholds are armed again then.
    mutating func collectMove() -> Bool {
        guard moves.collect() else { return false }
        threshold = .none
        return true
    }

    /// Finds the files anew. The old ones are closed first.
    func rediscover() {
        reader.rediscover()
    }

    /// Reads other files from here on; returns the old ones.
    func adopt(_ found: Discovery) -> Discovery {
        reader.adopt(found)
    }

    /// Returns what came of looking for the files.
    mutating func endRediscovery() -> Governor.Rediscovery {
        moves.found(isStarved: reader.isStarved)
    }

    // MARK: The kernel's threshold

    /// Asks for a threshold under the limit of a reading; returns whether that is news.
    mutating func askForThreshold(_ reading: MemoryReading) -> Bool {
        guard reading.isLimited, threshold.limitBytes != reading.limitBytes else { return false }
        threshold = .askedFor(limitBytes: reading.limitBytes)
        return true
    }

    /// Forgets the armed threshold: it belongs to other thresholds, or is to be armed again.
    mutating func forgetThreshold() {
        threshold = .none
    }

    mutating func noteArmed(usageBytes: Int, limitBytes: Int) {
        threshold = .armed(usageBytes: usageBytes, limitBytes: limitBytes)
    }

    /// The directory where the kernel could wake us on usage; nil where nothing is to be armed anew.
    var thresholdDirectory: String? {
        guard latest.isLimited, !threshold.isArmed(limitBytes: latest.limitBytes) else { return nil }
        return reader.thresholdDirectory(level: latest.tightestLevel)
    }

    /// Returns whether an armed kernel threshold wakes us before anything can be missed.
    func isCovered(_ reading: MemoryReading) -> Bool {
        guard case .armed(let usageBytes, let limitBytes) = threshold, reading.isLimited else { return false }
        return limitBytes == reading.limitBytes && reading.usageBytes < usageBytes
    }
}

/// Whether the process's cgroup was moved, and whether its files could be opened. Each may be so without the other.
struct CgroupMoves {
    /// Indicates whether the cgroup is another one than that whose files are read.
    private(set) var hasMoved = false
    /// Indicates whether files could not be opened for want of descriptors the last time.
    private var wasStarved = false

    mutating func note(hasMoved: Bool) {
        self.hasMoved = hasMoved
    }

    /// Returns whether it was moved since the last call.
    mutating func collect() -> Bool {
        defer { hasMoved = false }
        return hasMoved
    }

    /// Takes the outcome of looking for the files.
    mutating func found(isStarved: Bool) -> Governor.Rediscovery {
        defer { wasStarved = isStarved }
        if isStarved { return wasStarved ? .stillStarved : .starved }
        return wasStarved ? .recovered : .moved
    }
}

/// The configured times in nanoseconds. Arithmetic with `Duration` is in 128 bits and out of line: a turn of the sampler that
/// finds nothing would spend a good part of its time there.
struct Spans {
    let full: Int64
    let limits: Int64
    let paths: Int64

    init(_ sampling: ManagerConfiguration.Sampling) {
        full = sampling.fullReadingInterval.nanoseconds
        limits = sampling.limitsInterval.nanoseconds
        paths = sampling.pathsInterval.nanoseconds
    }
}
