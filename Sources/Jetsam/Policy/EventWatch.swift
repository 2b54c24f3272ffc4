internal import MemoryPressure

/// Turns the running counters of `memory.events` into "something new happened, and when".
struct EventWatch {
    private var last: MemoryEventCounters?
    private var lastReclaim: MonotonicInstant?
    private var lastOutOfMemory: MonotonicInstant?
    /// How many `high` and `max` the latest reading that had any brought.
    private(set) var newReclaim = 0
    /// How many `oom` and `oom_kill` the latest reading that had any brought.
    private(set) var newOutOfMemory = 0

    /// How long a new `oom` keeps the emergency steps allowed.
    static let emergencyHold = Duration.seconds(2)

    mutating func observe(_ counters: MemoryEventCounters?, at now: MonotonicInstant) {
        guard let counters else { return }
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

    /// Whether `high` or `max` rose within that many nanoseconds before `now`: the evidence that the kernel reclaims here.
    func sawReclaim(within nanoseconds: Int64, of now: MonotonicInstant) -> Bool {
        guard let lastReclaim else { return false }
        return now.nanoseconds - lastReclaim.nanoseconds <= nanoseconds
    }

    func isOutOfMemory(at now: MonotonicInstant, hold: Duration = emergencyHold) -> Bool {
        guard let lastOutOfMemory else { return false }
        return lastOutOfMemory.duration(to: now) <= hold
    }
}
