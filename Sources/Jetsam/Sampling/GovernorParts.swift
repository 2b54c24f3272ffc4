internal import MemoryPressure
internal import Synchronization

/// What a governor looks at beside the kernel's figures, and those whom it tells.
struct GovernorParts: Sendable {
    let clock: any MonotonicClock
    let wallClock: @Sendable () -> Int64
    let backgroundTasks: BackgroundTaskRegistry
    let registry: CacheRegistry
    let channel: ReclaimChannel
    let bell: Bell
    let stock: any LadderStock
    let sequence: NotificationSequence
    let recorder: RecordSink
    let level = LevelGauge()

    var pauses: PauseWatch { backgroundTasks.pauses }

    /// Posts what was decided.
    ///
    /// Under the governor's lock, in the order in which it was decided: an earlier step that came later would take the place of the
    /// one whose end is waited for. It moves a few words and wakes a thread.
    func post(
        _ decision: Decider.Decision, _ reason: LevelReason?, of observation: Decider.Observation,
        at now: MonotonicInstant
    ) {
        if let demand = decision.demand { channel.post(demand) }
        if let open = decision.openBytes {
            let present = observation.reading.headroomBytes.addingSaturating(observation.inFlightBytes)
            channel.gauges.publish(open, presentBytes: present, at: now)
            if open.missing > 0, channel.gauges.parkedThreads > 0 { channel.spot.signal() }
        }
        if let regrowth = decision.regrowth { channel.post(regrowth) }
        if let bytes = decision.holdBytes { channel.postHold(bytes: bytes) }
        if let action = decision.ladder, let reason {
            channel.post(
                LadderOrder(
                    action: action, level: decision.level, reason: reason, decidedAt: now,
                    isEarly: decision.leavingDeficit > 0))
        }
        if let forecast = decision.forecast { bell.publish(forecast) }
        if decision.looksAtAllocator { channel.postLookAtAllocator() }
        if let bytes = decision.lackingBytes { bell.publish(lackingBytes: bytes) }
    }
}

/// The level, for whoever takes no lock.
final class LevelGauge: Sendable {
    private let level = Atomic<UInt8>(0)

    /// Nanoseconds: for hot paths.
    var current: PressureLevel { PressureLevel(rawValue: level.load(ordering: .relaxed)) ?? .normal }

    /// Sets the level; returns whether it was another.
    func exchange(_ newLevel: PressureLevel) -> Bool {
        level.exchange(newLevel.rawValue, ordering: .relaxed) != newLevel.rawValue
    }
}
