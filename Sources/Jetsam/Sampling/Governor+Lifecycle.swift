internal import MemoryPressure

extension Governor {
    /// Bytes that can be taken before memory is short, by a fresh reading: headroom above warning's entry.
    func measureSpareBytes() -> Int {
        let reading = measure()
        let thresholds = state.withLock { $0.decider.thresholds(reading) }
        return max(0, reading.headroomBytes - thresholds.warningEntry)
    }

    /// Sets whether limits of caches rise again at `normal`. They do not in a process that is about to end: nobody would use what
    /// it would load.
    func setAllowsRegrowth(_ isAllowed: Bool) {
        handle(.regrowthAllowed(isAllowed), at: clock.now)
    }
}
