/// The step from observations to announcements, for ``MemoryPressureSource``: pure, with no clock of its own.
///
/// It grades headroom, stall and events as a manager with the default configuration does, and its level takes the same course. But a
/// warning that is only the way down from critical is not announced: caches would be given up for it although memory is back.
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

    private static let stallThresholds = StallGrade.Thresholds()
    private static let eventThresholds = EventWatch.Thresholds()

    private var course = LevelCourse()
    private var announced = PressureLevel.normal
    private var headroom = Hysteresis()
    private var stall = StallGrade()
    private var events = EventWatch()

    /// The level now.
    var level: PressureLevel { course.level }

    /// The time when the level may fall next; nil where the last observation called for it.
    var fallsAt: MonotonicInstant? { course.fallsAt }

    /// Takes what was seen. Gives the level to announce; nil where there is nothing new.
    mutating func observe(_ observation: Observation) -> PressureLevel? {
        let vote = vote(observation)
        let step = course.handle(vote, at: observation.now)
        guard vote >= level, step != .unchanged || level != announced else { return nil }
        announced = level
        return level
    }

    private mutating func vote(_ observation: Observation) -> PressureLevel {
        let now = observation.now
        stall.observe(
            totalMicroseconds: observation.reading?.stallSomeMicroseconds, trigger: observation.triggerGrade, at: now,
            Self.stallThresholds)
        guard let reading = observation.reading else {
            stall.judge(at: now, counts: true, Self.stallThresholds)
            return max(observation.externalGrade, stall.level)
        }
        events.observe(reading)
        stall.judge(at: now, counts: countsStall(reading), Self.stallThresholds)
        return max(
            observation.externalGrade, stall.level,
            events.grade(
                reading, Self.eventThresholds,
                warningExit: HeadroomThresholds(limitBytes: reading.limitBytes).warningExit),
            headroomVote(reading))
    }

    /// Where headroom is not known, stall is all there is.
    private func countsStall(_ reading: MemoryReading) -> Bool {
        guard reading.limitBytes > 0 else { return true }
        return reading.isHeadroomBelow(percent: Self.stallThresholds.headroomPercent)
            && events.showsShortage(reading, reclaimablePercent: Self.eventThresholds.reclaimablePercent)
    }

    private mutating func headroomVote(_ reading: MemoryReading) -> PressureLevel {
        guard reading.limitBytes > 0 else { return .normal }
        let thresholds = HeadroomThresholds(limitBytes: reading.limitBytes)
        let level = headroom.judge(headroomBytes: reading.headroomBytes, thresholds)
        return thresholds.eased(level, reading, isStalled: stall.level > .normal)
    }
}
