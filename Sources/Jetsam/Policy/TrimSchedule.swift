internal import MemoryPressure

/// When the allocator is asked to give back what was freed into it.
///
/// A trim is not free: with a million small free chunks every glibc trim costs 73 to 120 ms, even with nothing new to give.
struct TrimSchedule {
    private let configuration: ResourceManager.Configuration.Trim
    /// Bytes that were freed since the last trim, and that it may bring: what the allocator retains of our doing.
    private(set) var freedBytes = 0
    private var lastEnd: MonotonicInstant?
    private var lastDuration = Duration.zero

    init(configuration: ResourceManager.Configuration.Trim) {
        self.configuration = configuration
    }

    mutating func noteFreed(_ bytes: Int) {
        let sum = freedBytes.addingReportingOverflow(max(0, bytes))
        freedBytes = sum.overflow ? .max : sum.partialValue
    }

    /// Due where enough was freed, or as much as is missing: then the trim alone may end the shortage, and the level must
    /// not stay up, nor caches be asked again, for what has been given already.
    func isDue(limitBytes: Int, missingBytes: Int, at now: MonotonicInstant) -> Bool {
        let least = max(configuration.minimumFreedBytes, limitBytes / 100 * configuration.minimumFreedPercent)
        guard freedBytes >= max(1, min(least, missingBytes)) else { return false }
        return now >= earliest
    }

    /// Before this instant no trim is due, whatever was freed.
    var earliest: MonotonicInstant {
        guard let lastEnd else { return MonotonicInstant(nanoseconds: .min) }
        return lastEnd.advanced(by: lastDuration * configuration.durationFactor)
    }

    /// The end of a critical step trims once even so, where anything was freed at all.
    var isDueAtCriticalEnd: Bool { freedBytes > 0 }

    mutating func trimmed(from start: MonotonicInstant, to end: MonotonicInstant) {
        freedBytes = 0
        lastEnd = end
        lastDuration = start.duration(to: end)
    }
}
