package import MemoryPressure

/// The schedule by which the allocator is asked to give back the bytes that were freed into it, and the number of those bytes.
///
/// A trim is not free: with a million small free chunks every glibc trim costs 73 to 120 ms, even with nothing new to give.
package struct TrimSchedule {
    private var configuration: ManagerConfiguration.Trim
    /// Bytes that were freed and that a trim may bring: counted where the allocator tells, else what caches gave since the
    /// last one.
    package private(set) var retainedBytes = 0
    /// Free bytes that a trim was seen to leave behind: the next one will not bring them either.
    private var floorBytes = 0
    private var lastEnd: MonotonicInstant?
    private var lastDuration = Duration.zero

    /// Less than this is not worth the purge, however cheap that is.
    static let leastBytes = 1 << 20

    package init(configuration: ManagerConfiguration.Trim) {
        self.configuration = configuration
    }

    package mutating func reconfigure(_ configuration: ManagerConfiguration.Trim) {
        self.configuration = configuration
    }

    /// Caches have freed so many bytes into the allocator.
    ///
    /// - Parameter returnedBytes: The bytes of these that have left the process without a trim. Nothing is left of them to be
    ///   trimmed, and the next step must ask caches for what it misses.
    package mutating func noteFreed(_ bytes: Int, returnedBytes: Int = 0) {
        let freed = max(0, bytes)
        retainedBytes = retainedBytes.addingSaturating(freed - min(freed, max(0, returnedBytes)))
    }

    /// The allocator has told how many bytes are free in it.
    package mutating func noteCounted(_ bytes: Int) {
        // If less is free now, that part of the unreachable bytes has been used again.
        floorBytes = min(floorBytes, max(0, bytes))
        retainedBytes = max(0, bytes) - floorBytes
    }

    /// Due where enough was freed, or nearly as much as is missing: then the trim alone may end the shortage, and the level must
    /// not stay up, nor caches be asked again, for what has been given already. A cheap one is due for anything to speak of.
    package func isDue(limitBytes: Int, missingBytes: Int, isCheap: Bool = false, at now: MonotonicInstant) -> Bool {
        let due = Self.dueBytes(
            configuration, limitBytes: limitBytes, missingBytes: missingBytes, isCheap: isCheap)
        return retainedBytes >= due && (isCheap || now >= earliest)
    }

    /// The bytes that must be retained for a trim to be due, apart from the time. What would be missing after it is too little for a
    /// step that asks caches.
    static func dueBytes(
        _ configuration: ManagerConfiguration.Trim, limitBytes: Int, missingBytes: Int, isCheap: Bool = false
    ) -> Int {
        let least =
            isCheap
            ? leastBytes : max(configuration.minimumFreedBytes, limitBytes / 100 * configuration.minimumFreedPercent)
        guard missingBytes > 0 else { return max(1, least) }
        let nearly = missingBytes - limitBytes / StepScheduler.leastShare
        return max(1, min(least, max(leastBytes, nearly), missingBytes))
    }

    /// Before this instant no trim is due, whatever was freed.
    package var earliest: MonotonicInstant {
        guard let lastEnd else { return MonotonicInstant(nanoseconds: .min) }
        return lastEnd.advanced(by: lastDuration * configuration.durationFactor)
    }

    /// The end of a critical step trims once even so, where anything was freed at all.
    package var isDueAtCriticalEnd: Bool { retainedBytes > 0 }

    /// A trim is done; `left` is what the allocator tells to be free still, nil where it does not.
    package mutating func trimmed(from start: MonotonicInstant, to end: MonotonicInstant, leaving left: Int? = nil) {
        floorBytes = left.map { max(0, $0) } ?? floorBytes.addingSaturating(retainedBytes)
        retainedBytes = 0
        lastEnd = end
        lastDuration = start.duration(to: end)
    }
}
