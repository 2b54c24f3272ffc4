internal import MemoryPressure
internal import Synchronization

/// The record of what is under way, for whoever asks after the end. It is kept beside the records, which the next ones write
/// over.
extension RecordSink {
    /// The last resort is about to be called.
    func noteLastResort(at now: MonotonicInstant) {
        calledLastResort.store(true, ordering: .relaxed)
        flight?.note("the last resort is called", at: now)
    }

    /// Indicates whether the last resort was called.
    var hasCalledLastResort: Bool { calledLastResort.load(ordering: .relaxed) }

    /// Shutdown has begun.
    func noteDraining() { drains.store(true, ordering: .relaxed) }

    /// Keeps how things stand after a reading. Allocates nothing.
    func keep(
        _ reading: MemoryReading, _ level: PressureLevel, criticalEntry: Int, isReclaiming: Bool, heldTasks: Int,
        oomKills: UInt64?
    ) {
        guard let flight else { return }
        var state = FlightState()
        state.level = level
        state.isReclaiming = isReclaiming
        state.isHeadroomCritical = reading.headroomBytes < criticalEntry
        state.isLastResortCalled = hasCalledLastResort
        state.isDraining = drains.load(ordering: .relaxed)
        state.heldTasks = heldTasks
        state.headroomBytes = reading.headroomBytes
        state.limitBytes = reading.limitBytes
        state.footprintBytes = reading.footprintBytes
        state.oomKills = oomKills
        flight.keep(state, at: reading.instant)
    }
}
