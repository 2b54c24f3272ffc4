internal import MemoryPressure

/// When the allocator is asked to give back what was freed into it.
///
/// A trim is not free: with a million small free chunks every glibc trim costs 73 to 120 ms, even with nothing new to give.
struct TrimSchedule {
    private let configuration: ResourceManager.Configuration.Trim
    private var freedBytes = 0
    private var lastEnd: MonotonicInstant?
    private var lastDuration = Duration.zero

    init(configuration: ResourceManager.Configuration.Trim) {
        self.configuration = configuration
    }

    mutating func noteFreed(_ bytes: Int) {
        let sum = freedBytes.addingReportingOverflow(max(0, bytes))
        freedBytes = sum.overflow ? .max : sum.partialValue
    }

    func isDue(limitBytes: Int, at now: MonotonicInstant) -> Bool {
        let least = max(configuration.minimumFreedBytes, limitBytes / 100 * configuration.minimumFreedPercent)
        guard freedBytes >= max(1, least) else { return false }
        guard let lastEnd else { return true }
        return lastEnd.duration(to: now) >= lastDuration * configuration.durationFactor
    }

    /// The end of a critical step trims once even so, where anything was freed at all.
    var isDueAtCriticalEnd: Bool { freedBytes > 0 }

    mutating func trimmed(from start: MonotonicInstant, to end: MonotonicInstant) {
        freedBytes = 0
        lastEnd = end
        lastDuration = start.duration(to: end)
    }
}
