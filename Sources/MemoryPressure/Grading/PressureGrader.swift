/// From what is seen to what is announced, for ``MemoryPressureSource``: pure, with no clock of its own.
///
/// It rises at once and falls once nothing has called for the present level for ``calm``.
struct PressureGrader: Sendable {
    /// What is seen at one instant.
    struct Observation: Sendable, Equatable {
        var now: MonotonicInstant
        /// Bytes until the tightest hard limit, and that limit; nil where neither is known.
        var room: Room?
        /// The counters of `memory.events`.
        var events: MemoryEventCounters?
        /// PSI's `some total=`, where it was read.
        var stallSomeMicroseconds: UInt64?
        /// The grade of the PSI trigger that fired just now.
        var triggerGrade = PressureLevel.normal
        /// What systemd's watch says just now.
        var externalGrade = PressureLevel.normal
    }

    struct Room: Sendable, Equatable {
        var headroomBytes: Int
        var limitBytes: Int

        /// Whether less than half of the limit is left. With more left than that, waiting for memory is not being short of
        /// it: whoever writes a log or reads a file waits too.
        var isBelowHalf: Bool { headroomBytes < limitBytes / 2 }
    }

    /// How long nothing may have called for a level before it is left.
    static let calm = Duration.seconds(5)
    /// How long a level lasts before it is announced again.
    static let repetition = Duration.seconds(30)
    /// Percent of two seconds that some task waited: the same shares as the triggers'.
    static let stallPercent = (warning: 7, critical: 30)

    /// The level now.
    private(set) var level = PressureLevel.normal
    private var lastWarning: MonotonicInstant?
    private var lastCritical: MonotonicInstant?
    private var lastAnnouncement: MonotonicInstant?
    private var headroom = PressureLevel.normal
    private var stall = StallWindow()
    private var outOfMemory: UInt64?

    /// Takes what was seen. Gives the level to announce; nil where there is nothing new.
    mutating func observe(_ observation: Observation) -> PressureLevel? {
        let now = observation.now
        let vote = vote(observation)
        if vote == .critical { lastCritical = now }
        if vote >= .warning { lastWarning = now }
        let previous = level
        level = Self.isRecent(lastCritical, now) ? .critical : Self.isRecent(lastWarning, now) ? .warning : .normal
        let isRepetition =
            level > .normal && lastAnnouncement.map { $0.duration(to: now) >= Self.repetition } ?? false
        guard level != previous || isRepetition else { return nil }
        lastAnnouncement = now
        return level
    }

    private static func isRecent(_ instant: MonotonicInstant?, _ now: MonotonicInstant) -> Bool {
        instant.map { $0.duration(to: now) < calm } ?? false
    }

    private mutating func vote(_ observation: Observation) -> PressureLevel {
        var vote = max(observation.externalGrade, headroomVote(observation.room))
        if isOutOfMemory(observation.events) { vote = .critical }
        let stall = stallVote(observation)
        if observation.room?.isBelowHalf ?? true { vote = max(vote, stall) }
        return vote
    }

    /// Counts for as long as headroom has not come back to the exit of the grade.
    private mutating func headroomVote(_ room: Room?) -> PressureLevel {
        guard let room else { return .normal }
        let thresholds = HeadroomThresholds(limitBytes: room.limitBytes)
        let isHeld = (critical: headroom == .critical, warning: headroom >= .warning)
        if room.headroomBytes < (isHeld.critical ? thresholds.criticalExit : thresholds.criticalEntry) {
            headroom = .critical
        } else if room.headroomBytes < (isHeld.warning ? thresholds.warningExit : thresholds.warningEntry) {
            headroom = .warning
        } else {
            headroom = .normal
        }
        return headroom
    }

    private mutating func stallVote(_ observation: Observation) -> PressureLevel {
        var percent = 0
        if let total = observation.stallSomeMicroseconds {
            stall.append(totalMicroseconds: total, at: observation.now)
            percent = stall.percent(at: observation.now)
        }
        let read: PressureLevel =
            percent > Self.stallPercent.critical ? .critical : percent > Self.stallPercent.warning ? .warning : .normal
        return max(read, observation.triggerGrade)
    }

    /// Whether the kernel ran out of memory here since the last look. `high` and `max` do not count: page cache touches
    /// the limit all the time and is taken back for free.
    private mutating func isOutOfMemory(_ events: MemoryEventCounters?) -> Bool {
        guard let events else { return false }
        let count = events.oom &+ events.oomKill
        defer { outOfMemory = count }
        return outOfMemory.map { count > $0 } ?? false
    }
}
