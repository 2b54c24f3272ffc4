internal import ArgumentParser
internal import MemoryPressure
internal import _StressPatterns

/// The options for background tasks that are held beside a pattern, or alone.
struct TaskOptions: ParsableArguments {
    static let most = 10_000_000
    static let discussion = """
        BACKGROUND TASKS. --tasks N begins N background tasks and holds as many until the end, beside the pattern \
        or, without --pattern, alone. The share --overdue of them never ends: each is told once that it expires, when \
        --expiry is up, and is overdue 2 s later. The others are ended and begun again, --turnover of them a second. \
        With --managed they are refused and expire early under pressure, as a server's would.
        """

    @Option(
        help: .init("Hold so many background tasks: a whole number from 1 to \(most).", valueName: "number"))
    var tasks: Int?

    /// The older name of `--tasks`.
    @Option(name: .customLong("assertions"), help: .hidden)
    var assertions: Int?

    private var count: Int? { tasks ?? assertions }

    @Option(
        help: .init(
            "The share of the background tasks that never ends: \(Share.allowed). 0 unless given.", valueName: "share"))
    var overdue: Share?

    @Option(help: .init("How long a background task may last: \(Span.allowed). 5 s unless given.", valueName: "time"))
    var expiry: Span?

    @Option(
        help: .init(
            "How many of those that end are ended and begun again a second. So many unless given that each lasts half of --expiry.",
            valueName: "number"))
    var turnover: Int?

    func validate() throws {
        if count == nil {
            let others = [("--overdue", overdue != nil), ("--expiry", expiry != nil), ("--turnover", turnover != nil)]
            for (option, isGiven) in others where isGiven {
                throw ValidationError("\(option) needs --tasks, which it is about.")
            }
        }
        if let count, !(1...Self.most).contains(count) {
            throw ValidationError("--tasks must be from 1 to \(Self.most).")
        }
        if let expiry, expiry.duration <= .zero { throw ValidationError("--expiry must be more than 0.") }
        if let turnover, !(0...Self.most).contains(turnover) {
            throw ValidationError("--turnover must be from 0 to \(Self.most).")
        }
    }

    /// What to hold; nil where nothing is.
    var plan: TaskPlan? {
        guard let count else { return nil }
        let expiry = expiry?.duration ?? .seconds(5)
        let stuck = (overdue ?? Share(0)).of(count)
        let enough = Double(count - stuck) * 2 / expiry.inSeconds
        return TaskPlan(
            count: count, stuck: stuck, expiry: expiry,
            turnover: turnover ?? Int(min(enough.rounded(.up), Double(Self.most))))
    }
}

/// Which background tasks are held, and how.
struct TaskPlan: Hashable {
    /// Held at any time.
    var count: Int
    /// How many of them never end.
    var stuck: Int
    /// What each is begun with.
    var expiry: Duration
    /// Ended and begun again a second, of those that do end.
    var turnover: Int

    /// From the expiry until a background task is overdue.
    static let grace = Duration.seconds(2)

    /// How long it takes until those that never end are overdue, with some time to spare.
    var duration: Duration { expiry + Self.grace + .seconds(1) }
}
