package import ArgumentParser

/// The options that say how memory is taken.
package struct PatternOptions: ParsableArguments {
    @Option(
        help: .init(
            "How to take it: \(Pattern.allCases.map(\.rawValue).joined(separator: ", ")).", valueName: "pattern"))
    package var pattern: Pattern?

    @Option(help: .init("The most to take: \(Amount.allowed).", valueName: "size"))
    package var limit: Amount?

    @Option(help: .init("How fast: \(Rate.allowed). 200MB/s unless given; leak 1MB/s.", valueName: "rate"))
    package var rate: Rate?

    @Option(
        help: .init(
            "How long to hold what was taken: \(Span.allowed). 5 s unless given; sawtooth 0, waves 1 s.",
            valueName: "time"))
    package var hold: Span?

    @Option(help: .init("When to end whatever goes on: \(Span.allowed).", valueName: "time"))
    package var duration: Span?

    @Option(
        help: .init(
            "How long to wait before the first byte: \(Span.allowed). 0 unless given; spike 1 s.", valueName: "time"))
    package var delay: Span?

    @Option(
        help: .init(
            "fragment: picks the sizes and the blocks that are freed: a whole number from 0. 1 unless given.",
            valueName: "number"))
    package var seed: UInt64?

    @Option(help: .init("pagecache: where the file is written. /var/tmp unless given.", valueName: "directory"))
    package var directory: String?

    @Flag(help: "pagecache: read the file over and over once it is written.")
    package var reread = false

    @Flag(help: "pagecache: read pages in random order, as a database does, rather than from end to end.")
    package var randomOrder = false

    @Option(help: .init("pagecache: anonymous memory to take first and hold: \(Size.allowed).", valueName: "size"))
    package var anonymous: Size?

    package init() {}

    package func validate() throws {
        if pattern == nil {
            let others = [
                ("--limit", limit != nil), ("--rate", rate != nil), ("--hold", hold != nil), ("--delay", delay != nil),
            ]
            for (option, isGiven) in others where isGiven {
                throw ValidationError("\(option) needs --pattern, which it is about.")
            }
        } else if limit == nil {
            throw ValidationError("--limit is needed: the most that --pattern takes.")
        }
        let only: [(String, Bool, Pattern)] = [
            ("--seed", seed != nil, .fragment), ("--directory", directory != nil, .pagecache),
            ("--reread", reread, .pagecache), ("--anonymous", anonymous != nil, .pagecache),
        ]
        for (option, isGiven, owner) in only where isGiven && pattern != owner {
            throw ValidationError(
                "\(option) is only for --pattern \(owner.rawValue)\(pattern.map { ", not \($0.rawValue)" } ?? "").")
        }
        if pattern == .spike, rate != nil {
            throw ValidationError("--rate is not for --pattern spike, which goes as fast as it can.")
        }
        if pattern == .leak, hold != nil {
            throw ValidationError("--hold is not for --pattern leak, which holds until --duration.")
        }
        if randomOrder, !reread { throw ValidationError("--random-order is only for --reread.") }
        if reread, hold != nil { throw ValidationError("--hold is not for --reread, which reads until --duration.") }
        if case .bytes(0) = limit { throw ValidationError("--limit must be at least 1 byte.") }
    }
}
