internal import MemoryPressure

extension Governor {
    /// Bytes that can be taken before memory is short, by a fresh reading: headroom above warning's entry.
    func measureSpareBytes() -> Int {
        let reading = measure()
        let thresholds = state.withLock { $0.decider.thresholds(reading) }
        return max(0, reading.headroomBytes - thresholds.warningEntry)
    }

    /// Whether limits of caches rise again at `normal`. Not in a process that is on its way out: what it would load, nobody
    /// would use.
    func setAllowsRegrowth(_ isAllowed: Bool) {
        take(.regrowthAllowed(isAllowed), at: clock.now)
    }
}
