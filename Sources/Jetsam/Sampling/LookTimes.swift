internal import MemoryPressure

/// The last times at which things were looked at that are not read with every tick.
struct LookTimes {
    /// The last full reading, and the usage that it found.
    var full: MonotonicInstant?
    var usageAtFull = 0
    var stall: MonotonicInstant?
    private var limits: MonotonicInstant?
    private var paths: MonotonicInstant?
    /// The last time when it was checked whether a cache may be probed.
    private var probe: MonotonicInstant?

    /// The process did not run for a while: what was read before is old.
    mutating func forgetReadings() {
        full = nil
        limits = nil
    }

    /// Returns whether limits are to be read again, and counts on that being done.
    mutating func areLimitsDue(_ spans: Spans, at now: MonotonicInstant) -> Bool {
        guard limits.isOlder(than: spans.limits, at: now) else { return false }
        limits = now
        return true
    }

    /// Returns whether the places of files are to be checked, and counts on that being done.
    mutating func arePathsDue(_ spans: Spans, at now: MonotonicInstant) -> Bool {
        guard paths.isOlder(than: spans.paths, at: now) else { return false }
        paths = now
        return true
    }

    /// Returns whether a cache may be probed.
    ///
    /// It has a time of its own: after an event or a step, the paths may be looked at before the sampler comes. It is not due at
    /// the start: nothing has been read yet by which memory would be short.
    mutating func isProbeDue(_ spans: Spans, isSampler: Bool, at now: MonotonicInstant) -> Bool {
        guard probe != nil else {
            probe = now
            return false
        }
        guard isSampler, probe.isOlder(than: spans.paths, at: now) else { return false }
        probe = now
        return true
    }
}

/// The time for which the sampler sleeps.
struct SamplerSleep {
    /// The time to sleep that was decided last, after a tick or an event.
    private(set) var interval = Duration.zero
    /// The time when the sampler is to wake by itself; nil before its first tick.
    private var wakesAt: MonotonicInstant?

    /// The sampler sleeps for as long again: one that is woken and finds nothing new sleeps for as long as an event decided.
    mutating func goOn(at now: MonotonicInstant) {
        wakesAt = now.advanced(by: interval)
    }

    /// Takes another time to sleep.
    ///
    /// - Parameter isSampler: The sampler itself is awake, and sleeps from here on.
    /// - Returns: Whether the sampler sleeps for longer than it may now.
    mutating func decide(_ interval: Duration, isSampler: Bool, at now: MonotonicInstant) -> Bool {
        self.interval = interval
        let next = now.advanced(by: interval)
        guard isSampler else { return wakesAt.map { next < $0 } ?? false }
        wakesAt = next
        return false
    }
}

/// What happened to time and nobody was told yet.
struct TimeNews {
    /// The time for which the process did not run.
    private(set) var pause: Duration?
    /// The time by which the wall clock was set.
    private(set) var wallClockChange: Duration?

    var isEmpty: Bool { pause == nil && wallClockChange == nil }

    mutating func add(pause: Duration) {
        self.pause = (self.pause ?? .zero) + pause
    }

    mutating func add(wallClockChange: Duration) {
        self.wallClockChange = (self.wallClockChange ?? .zero) + wallClockChange
    }
}

/// The threshold on usage at which the kernel wakes the process.
enum KernelThreshold {
    case none
    /// One was asked for under this limit, and is not there: not yet, or it cannot be had.
    case askedFor(limitBytes: Int)
    case armed(usageBytes: Int, limitBytes: Int)

    /// The limit that it was asked for under.
    var limitBytes: Int? {
        switch self {
        case .none: nil
        case .askedFor(let limitBytes), .armed(_, let limitBytes): limitBytes
        }
    }

    func isArmed(limitBytes limit: Int) -> Bool {
        if case .armed(_, limit) = self { true } else { false }
    }
}
