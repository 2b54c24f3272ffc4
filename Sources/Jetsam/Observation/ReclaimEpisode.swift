internal import Logging
internal import MemoryPressure

/// What the reclaim between leaving `normal` and coming back to it came to: one line in the log instead of one a step.
struct ReclaimEpisode: Equatable {
    /// When the level left `normal`.
    var begunAt: MonotonicInstant
    /// The highest level.
    var highest: PressureLevel
    var steps = 0
    var promisedBytes = 0
    /// Nil where the allocator cannot tell.
    var freedBytes: Int?
    var returnedBytes = 0
    var trimmedBytes = 0
    /// Who was taken in later stages.
    var victims = 0
    /// Set when it is over.
    var duration = Duration.zero

    init(begunAt: MonotonicInstant, level: PressureLevel) {
        self.begunAt = begunAt
        highest = level
    }

    mutating func add(_ step: ReclaimStep) {
        steps += 1
        promisedBytes += step.promisedBytes
        if let freed = step.freedBytes { freedBytes = (freedBytes ?? 0) + freed }
        returnedBytes += step.returnedBytes
        trimmedBytes += step.trimmedBytes
        victims += step.victimCount
    }

    /// One line, such as `3 steps: promised 25.6 MiB, returned 24 MiB in 9.2 s, up to critical`.
    var message: String {
        let taken = victims == 0 ? "" : ", took \(victims)"
        let tenths = duration.nanoseconds / 100_000_000
        return """
            \(steps) \(steps == 1 ? "step" : "steps"): promised \(ByteCount(promisedBytes)), returned \
            \(ByteCount(returnedBytes))\(taken) in \(tenths / 10).\(tenths % 10) s, up to \(highest)
            """
    }

    var metadata: Logger.Metadata {
        var metadata: Logger.Metadata = [
            "steps": "\(steps)", "promisedBytes": "\(promisedBytes)", "returnedBytes": "\(returnedBytes)",
            "trimmedBytes": "\(trimmedBytes)", "milliseconds": "\(duration.milliseconds)", "highestLevel": "\(highest)",
            "victims": "\(victims)",
        ]
        if let freedBytes { metadata["freedBytes"] = "\(freedBytes)" }
        return metadata
    }
}

/// Follows changes and steps in their order, and gives each episode when it is over.
struct ReclaimEpisodes {
    private var current: ReclaimEpisode?

    /// What is to be logged of a step.
    enum Place: Equatable {
        /// It is part of an episode, whose line says what it came to.
        case inEpisode
        /// It stands alone: a call of the application's, or one that ended after its episode.
        case alone
    }

    /// The episode that this change ends, where it took any step.
    mutating func take(_ change: LevelChange) -> ReclaimEpisode? {
        guard change.level > .normal else { return end(at: change.instant) }
        var episode = current ?? ReclaimEpisode(begunAt: change.instant, level: change.level)
        episode.highest = max(episode.highest, change.level)
        current = episode
        return nil
    }

    mutating func take(_ step: ReclaimStep) -> Place {
        let isCall = step.step == 0 && step.stage == .caches
        guard !isCall, current != nil else { return .alone }
        current?.add(step)
        return .inEpisode
    }

    /// The episode that is under way, where it took any step; it is over.
    mutating func end(at instant: MonotonicInstant) -> ReclaimEpisode? {
        guard var episode = current else { return nil }
        current = nil
        episode.duration = max(.zero, episode.begunAt.duration(to: instant))
        return episode.steps > 0 ? episode : nil
    }
}
