/// Turns running counters (`memory.events`, refaults) into "something new happened, and when", and that into evidence that stall is a
/// matter of memory.
package struct EventWatch: Sendable {
    /// The conditions under which new events call for a level.
    package struct Thresholds: Sendable, Equatable {
        /// New `high` or `max` count only below this percent of headroom.
        package var headroomPercent: Int
        /// From so much page cache on, in percent of the limit or of a lower `memory.high`, touching them means nothing.
        package var reclaimablePercent: Int
        /// The time for which an event counts.
        package var hold: Duration

        package init(headroomPercent: Int = 50, reclaimablePercent: Int = 10, hold: Duration = .seconds(2)) {
            self.headroomPercent = headroomPercent
            self.reclaimablePercent = reclaimablePercent
            self.hold = hold
        }
    }

    private var last: MemoryEventCounters?
    private var lastReclaim: MonotonicInstant?
    private var refaults = RefaultWatch()
    private var lastOutOfMemory: MonotonicInstant?
    /// The number of new `high` and `max` in the latest reading that had any.
    package private(set) var newReclaim = 0
    /// The number of new `oom` and `oom_kill` in the latest reading that had any.
    package private(set) var newOutOfMemory = 0

    /// The time for which a new `oom` keeps the emergency steps allowed.
    package static let emergencyHold = Duration.seconds(2)

    package init() {}

    /// Returns the grade of the events so far: `critical` after a new `oom` or `oom_kill`, `warning` after a new `high` or `max`
    /// where headroom is short and little page cache is left.
    ///
    /// - Parameter warningExit: The headroom at which a warning ends, in bytes.
    package func grade(_ reading: MemoryReading, _ thresholds: Thresholds, warningExit: Int) -> PressureLevel {
        if isOutOfMemory(reading, hold: thresholds.hold, warningExit: warningExit) { return .critical }
        let isShort =
            reading.isLimited && sawEvents(within: thresholds.hold.nanoseconds, of: reading.instant)
            && reading.isHeadroomBelow(percent: max(1, thresholds.headroomPercent))
            && !Self.isCacheAtLimit(reading, percent: thresholds.reclaimablePercent)
        return isShort ? .warning : .normal
    }

    package mutating func observe(_ reading: MemoryReading) {
        if let counters = reading.events { observe(counters, at: reading.instant) }
        refaults.observe(reading)
    }

    /// Returns whether stall means that memory is short. That is so where pages of the working set come back that the kernel took, or
    /// where a limit was touched while little page cache was left. A process that reads or writes files waits at a limit too, until
    /// the kernel takes back page cache that nobody needs.
    ///
    /// - Parameter reclaimablePercent: From so much page cache on, in percent of the limit or of a lower `memory.high`, touching them
    ///   means nothing.
    package func showsShortage(_ reading: MemoryReading, reclaimablePercent: Int) -> Bool {
        refaults.showsThrash(within: StallWindow.length, of: reading.instant)
            || (sawEvents(within: StallWindow.length, of: reading.instant)
                && !Self.isCacheAtLimit(reading, percent: reclaimablePercent))
    }

    /// Page cache touches a limit all the time and is taken back for free; only when little of it is left does the kernel's work there
    /// say more than that files were read or written.
    ///
    /// - Parameter percent: From so much page cache on it is not little: in percent of the limit, or of `memory.high` if that is lower.
    package static func isCacheAtLimit(_ reading: MemoryReading, percent: Int) -> Bool {
        let reclaimable = max(0, reading.usageBytes - reading.unreclaimableBytes)
        let limit = min(reading.limitBytes, reading.highBytes ?? .max)
        return reading.isLimited && reclaimable >= limit / 100 * percent
    }

    private mutating func observe(_ counters: MemoryEventCounters, at now: MonotonicInstant) {
        defer { last = counters }
        guard let last else { return }  // What was counted before we came is nobody's news.
        func growth(_ new: UInt64, _ old: UInt64) -> Int {
            new > old ? Int(clamping: new - old) : 0
        }
        let reclaim = growth(counters.high, last.high) + growth(counters.max, last.max)
        if reclaim > 0 {
            newReclaim = reclaim
            lastReclaim = now
        }
        let outOfMemory = growth(counters.oom, last.oom) + growth(counters.oomKill, last.oomKill)
        if outOfMemory > 0 {
            newOutOfMemory = outOfMemory
            lastOutOfMemory = now
        }
    }

    /// Returns whether `high` or `max` rose within that many nanoseconds before `now`. cgroup v1's failcnt stands still on recent
    /// kernels, so these counters alone are not enough.
    package func sawEvents(within nanoseconds: Int64, of now: MonotonicInstant) -> Bool {
        lastReclaim.map { now.nanoseconds - $0.nanoseconds <= nanoseconds } ?? false
    }

    /// Returns whether this process or its cgroup has met its limit within `hold`, and is still near it.
    ///
    /// - Parameter warningExit: The headroom at which a warning ends, in bytes.
    package func isOutOfMemory(
        _ reading: MemoryReading, hold: Duration = emergencyHold, warningExit: Int
    ) -> Bool {
        guard let lastOutOfMemory, lastOutOfMemory.duration(to: reading.instant) <= hold else { return false }
        return !Self.isOver(reading, warningExit)
    }

    /// Returns whether the kernel has ended what filled the limit: so much is not even used by page cache that no warning would be
    /// left. Headroom alone does not say so: what counts as reclaimable there may not have been.
    private static func isOver(_ reading: MemoryReading, _ warningExit: Int) -> Bool {
        reading.isLimited && reading.limitBytes.subtractingSaturating(reading.usageBytes) >= warningExit
    }
}
