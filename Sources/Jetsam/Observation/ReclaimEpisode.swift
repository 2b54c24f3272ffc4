internal import Logging
internal import MemoryPressure

/// The result of the reclaim between leaving `normal` and coming back to it: one line in the log instead of one a step.
struct ReclaimEpisode: Equatable {
    /// The time when the level left `normal`.
    var begunAt: MonotonicInstant
    /// The highest level.
    var highest: PressureLevel
    var steps = 0
    var promisedBytes = 0
    /// Nil where the allocator cannot tell.
    var freedBytes: Int?
    var returnedBytes = 0
    var trimmedBytes = 0
    /// The number of victims that were taken in later stages.
    var victims = 0
    /// Indicates whether some of the steps were only decided.
    var isDryRun = false
    /// The bytes that each cache promised, by its name.
    var given: [String: Int] = [:]
    /// The time for which steps were under way, together.
    var working = Duration.zero
    /// Set when it is over.
    var duration = Duration.zero

    init(begunAt: MonotonicInstant, level: PressureLevel) {
        self.begunAt = begunAt
        highest = level
    }

    mutating func add(_ step: ReclaimStep) {
        steps += 1
        isDryRun = isDryRun || step.isDryRun
        promisedBytes = promisedBytes.addingSaturating(step.promisedBytes)
        if let freed = step.freedBytes { freedBytes = (freedBytes ?? 0).addingSaturating(freed) }
        returnedBytes = returnedBytes.addingSaturating(step.returnedBytes)
        trimmedBytes = trimmedBytes.addingSaturating(step.trimmedBytes)
        victims += step.victimCount
        working += step.duration
        for part in step.parts where part.promisedBytes > 0 {
            given[part.name, default: 0] = given[part.name, default: 0].addingSaturating(part.promisedBytes)
        }
    }

    /// So many caches are named, those that gave most.
    private static let mostNamed = 4

    /// One line, such as `3 steps: promised 25.6 MiB (pages 20 MiB, thumbnails 5.6 MiB), returned 24 MiB; worked 0.1 s of 9.2 s, up to
    /// critical`.
    var message: String {
        let taken = victims == 0 ? "" : ", took \(victims)"
        return """
            \(steps) \(steps == 1 ? "step" : "steps")\(isDryRun ? " in a dry run, which asks no cache" : ""): promised \(ByteCount(promisedBytes))\(givers), returned \
            \(ByteCount(returnedBytes))\(taken); worked \(working.shortText) of \(duration.shortText), up to \(highest)
            """
    }

    private var givers: String {
        let most = given.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        guard !most.isEmpty else { return "" }
        let named = most.prefix(Self.mostNamed).map { "\($0.key.onOneLine) \(ByteCount($0.value))" }
        let rest = most.count - named.count
        return " (\(named.joined(separator: ", "))\(rest > 0 ? ", and \(rest) more" : ""))"
    }

    var metadata: Logger.Metadata {
        var metadata: Logger.Metadata = [
            "steps": "\(steps)", "promisedBytes": "\(promisedBytes)", "returnedBytes": "\(returnedBytes)",
            "trimmedBytes": "\(trimmedBytes)", "milliseconds": "\(duration.milliseconds)",
            "workMilliseconds": "\(working.milliseconds)", "highestLevel": "\(highest)",
            "victims": "\(victims)", "isDryRun": "\(isDryRun)",
        ]
        if let freedBytes { metadata["freedBytes"] = "\(freedBytes)" }
        return metadata
    }
}

/// Follows changes and steps in their order, and gives each episode when it is over.
struct ReclaimEpisodes {
    private var current: ReclaimEpisode?

    /// The place of a step in the log.
    enum Place: Equatable {
        /// It is part of an episode, whose line says what it came to.
        case inEpisode
        /// It stands alone: a call of the application's, or one that ended after its episode.
        case alone
    }

    /// The episode that this change ends, where it took any step.
    mutating func add(_ change: LevelChange) -> ReclaimEpisode? {
        guard change.level > .normal else { return end(at: change.instant) }
        var episode = current ?? ReclaimEpisode(begunAt: change.instant, level: change.level)
        episode.highest = max(episode.highest, change.level)
        current = episode
        return nil
    }

    mutating func add(_ step: ReclaimStep) -> Place {
        guard !step.isCall, current != nil else { return .alone }
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
