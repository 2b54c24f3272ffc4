/// The step from observations to announcements, for ``MemoryPressureSource``: pure, with no clock of its own.
///
/// It rises at once and falls once nothing has called for the present level for ``calm``.
struct PressureGrader: Sendable {
    /// The observations of one instant.
    struct Observation: Sendable, Equatable {
        var now: MonotonicInstant
        /// Nil where nothing can be read.
        var reading: MemoryReading?
        /// The grade of the PSI trigger that fired just now.
        var triggerGrade = PressureLevel.normal
        /// The level that systemd's watch says just now.
        var externalGrade = PressureLevel.normal
    }

    /// The time for which nothing may have called for a level before it is left.
    static let calm = Duration.seconds(5)
    /// The time that a level lasts before it is announced again.
    static let repetition = Duration.seconds(30)
    /// Percent of two seconds that some task waited: the same shares as the triggers'.
    static let stallPercent = (warning: 7, critical: 30)
    /// With so much page cache left, in percent of the limit, touching that means nothing: a manager's default.
    private static let reclaimablePercent = 10

    /// The level now.
    private(set) var level = PressureLevel.normal
    private var lastWarning: MonotonicInstant?
    private var lastCritical: MonotonicInstant?
    private var lastAnnouncement: MonotonicInstant?
    private var headroom = PressureLevel.normal
    private var stall = StallWindow()
    private var events = EventWatch()

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
        let stall = stallVote(observation)
        guard let reading = observation.reading else { return max(observation.externalGrade, stall) }
        events.observe(reading)
        var vote = observation.externalGrade
        // While the kernel can page out it does not kill.
        let entry = HeadroomThresholds(limitBytes: reading.limitBytes).criticalEntry
        let canPageOut = reading.usableSwapBytes > entry
        if reading.limitBytes > 0 { vote = max(vote, headroomVote(reading)) }
        if canPageOut, stall == .normal { vote = min(vote, .warning) }
        if events.isOutOfMemory(at: observation.now, hold: .zero) { vote = .critical }
        if countsStall(reading) { vote = max(vote, stall) }
        return vote
    }

    /// With half of the limit left, waiting for memory is not being short of it. Where headroom is not known, stall is all there is.
    private func countsStall(_ reading: MemoryReading) -> Bool {
        guard reading.limitBytes > 0 else { return true }
        return reading.headroomBytes < reading.limitBytes / 2
            && events.showsShortage(reading, reclaimablePercent: Self.reclaimablePercent)
    }

    /// Counts for as long as headroom has not come back to the exit of the grade.
    private mutating func headroomVote(_ reading: MemoryReading) -> PressureLevel {
        let thresholds = HeadroomThresholds(limitBytes: reading.limitBytes)
        let isHeld = (critical: headroom == .critical, warning: headroom >= .warning)
        if reading.headroomBytes < (isHeld.critical ? thresholds.criticalExit : thresholds.criticalEntry) {
            headroom = .critical
        } else if reading.headroomBytes < (isHeld.warning ? thresholds.warningExit : thresholds.warningEntry) {
            headroom = .warning
        } else {
            headroom = .normal
        }
        return headroom
    }

    private mutating func stallVote(_ observation: Observation) -> PressureLevel {
        var percent = 0
        if let total = observation.reading?.stallSomeMicroseconds {
            stall.append(totalMicroseconds: total, at: observation.now)
            percent = stall.percent(at: observation.now)
        }
        let read: PressureLevel =
            percent > Self.stallPercent.critical ? .critical : percent > Self.stallPercent.warning ? .warning : .normal
        return max(read, observation.triggerGrade)
    }
}
