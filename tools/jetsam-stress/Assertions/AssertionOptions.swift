internal import ArgumentParser
internal import _StressPatterns

/// The options for assertions that are held beside a pattern, or alone.
struct AssertionOptions: ParsableArguments {
    static let most = 10_000_000
    static let discussion = """
        ASSERTIONS. --assertions N begins N background-task assertions and holds as many until the end, beside the pattern \
        or, without --pattern, alone. The share --overdue of them never ends: each is told once that it expires, when \
        --expiry is up, and is overdue 2 s later. The others are ended and begun again, --turnover of them a second. \
        With --managed they are refused and expire early under pressure, as a server's would.
        """

    @Option(
        help: .init("Hold so many background-task assertions: a whole number from 1 to \(most).", valueName: "number"))
    var assertions: Int?

    @Option(
        help: .init(
            "The share of the assertions that never ends: \(Share.allowed). 0 unless given.", valueName: "share"))
    var overdue: Share?

    @Option(help: .init("How long an assertion may last: \(Span.allowed). 5 s unless given.", valueName: "time"))
    var expiry: Span?

    @Option(
        help: .init(
            "How many of those that end are ended and begun again a second. So many unless given that each lasts half of --expiry.",
            valueName: "number"))
    var turnover: Int?

    func validate() throws {
        if assertions == nil {
            let others = [("--overdue", overdue != nil), ("--expiry", expiry != nil), ("--turnover", turnover != nil)]
            for (option, isGiven) in others where isGiven {
                throw ValidationError("\(option) needs --assertions, which it is about.")
            }
        }
        if let assertions, !(1...Self.most).contains(assertions) {
            throw ValidationError("--assertions must be from 1 to \(Self.most).")
        }
        if let expiry, expiry.duration <= .zero { throw ValidationError("--expiry must be more than 0.") }
        if let turnover, !(0...Self.most).contains(turnover) {
            throw ValidationError("--turnover must be from 0 to \(Self.most).")
        }
    }

    /// What to hold; nil where nothing is.
    var plan: AssertionPlan? {
        guard let assertions else { return nil }
        let expiry = expiry?.duration ?? .seconds(5)
        let stuck = (overdue ?? Share(0)).of(assertions)
        let enough = Double(assertions - stuck) * 2 / expiry.inSeconds
        return AssertionPlan(
            count: assertions, stuck: stuck, expiry: expiry,
            turnover: turnover ?? Int(min(enough.rounded(.up), Double(Self.most))))
    }
}

/// Which assertions are held, and how.
struct AssertionPlan: Hashable {
    /// Held at any time.
    var count: Int
    /// How many of them never end.
    var stuck: Int
    /// What each is begun with.
    var expiry: Duration
    /// Ended and begun again a second, of those that do end.
    var turnover: Int

    /// From the expiry until an assertion is overdue.
    static let grace = Duration.seconds(2)

    /// How long it takes until those that never end are overdue, with some time to spare.
    var duration: Duration { expiry + Self.grace + .seconds(1) }
}
