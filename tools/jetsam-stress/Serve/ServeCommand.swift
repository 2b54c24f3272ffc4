internal import ArgumentParser
internal import CommandOutput
internal import MemoryPressure
internal import _StressPatterns

/// `jetsam-stress serve`: a server without a network.
struct ServeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serves values from a cache under traffic, without a network, while a pattern disturbs it.",
        discussion: """
            Threads ask for keys as fast as they can: the most popular one most often (Zipf). What is not in the cache is made, \
            which costs processor time, and stored. --disturb runs a pattern of 'jetsam-stress allocate' in the same process, \
            on a thread of its own.

            WAYS of the cache
              nothing  grows until every key is in it
              fixed    holds at most --budget; what was not read for the longest time goes first
              cleared  is emptied at each warning of memory pressure, and the allocator trimmed
              jetsam   is a PurgeableByteCache under a ResourceManager

            \(Recipe.discussion)

            EXIT STATUS: 0 the traffic came to its end; 2 the tool could not, or the pattern of --disturb; 64 usage; and whatever the \
            kernel gives a process that the OOM killer takes.

            JSON, one object on one line: way, budgetBytes (or null), disturbance (its words, or null), seconds, requests, \
            hits, hitRate (0 to 1), requestsPerCPUSecond (all processor time of the process counted), cacheBytes (at the end), \
            episodes (of releases; one lasts until 10 s have passed without another release), releasedBytes (what came back), \
            neededBytes (what had to come back, for somebody who knew how all other memory would grow, to keep 20 % of the \
            limit free), wastedBytes (fetched again within 10 s although even more stayed free), wastedShare (of the released \
            bytes), headroomAtStart and leastHeadroomBytes (every 20 ms looked at), levelChanges and steps as allocate has them, \
            counted from the start of the traffic.
            """
    )

    @Option(
        help: .init(
            "What keeps the cache from taking all memory: \(ServeWay.allCases.map(\.rawValue).joined(separator: ", ")).",
            valueName: "way"))
    var way: ServeWay

    @Option(help: .init("fixed: the most that the cache holds: \(Size.allowed).", valueName: "size"))
    var budget: Size?

    @Option(help: .init("How many keys there are: 1…10000000.", valueName: "count"))
    var keys = 200_000

    @Option(help: .init("How uneven their popularity is: 0 (all alike) to 5.", valueName: "exponent"))
    var zipf = 0.99

    @Option(help: .init("How large each value is: \(Size.allowed), 64 bytes to 64KiB.", valueName: "size"))
    var value = Size(bytes: 16 << 10)

    @Option(help: .init("How often a value is written over before it is done: 1…10000.", valueName: "count"))
    var effort = 25

    @Option(help: .init("How many threads ask: 1…256.", valueName: "count"))
    var threads = 2

    @Option(
        help: .init(
            "Before the traffic, store so many bytes of the most popular values: \(Size.allowed).", valueName: "size"))
    var fill = Size(bytes: 0)

    @Option(
        help: .init(
            "How long the traffic lasts: \(Span.allowed). Unless given, until the pattern of --disturb has ended; without one 20 s.",
            valueName: "time"))
    var duration: Span?

    @Option(parsing: .unconditional, help: .init("The words of a pattern, in quotes.", valueName: "words"))
    var disturb: String?

    @Option(
        help: .init(
            "--way jetsam: the directory of a control socket, for 'jetsam status' and the others. An absolute path.",
            valueName: "directory"))
    var control: String?

    @Flag(help: "The result as JSON.")
    var json = false

    @Flag(
        help: "A line each second on the standard error, also where that is no terminal; the manager's log too.")
    var progress = false

    private static let defaultDuration = Duration.seconds(20)

    private func allows<Value: Comparable>(
        _ option: String, _ value: Value, _ range: ClosedRange<Value>, _ unit: String = ""
    ) throws {
        guard range.contains(value) else {
            throw ValidationError(
                "\(option) must be in \(range.lowerBound)…\(range.upperBound)\(unit), not \(value).")
        }
    }

    func validate() throws {
        if way == .fixed, budget == nil { throw ValidationError("--way fixed needs --budget.") }
        if way != .fixed, budget != nil {
            throw ValidationError("--budget is only for --way fixed, not \(way.rawValue).")
        }
        if control != nil, way != .jetsam {
            throw ValidationError("--control is only for --way jetsam, not \(way.rawValue).")
        }
        if let control, !control.hasPrefix("/") {
            throw ValidationError("--control must be an absolute path, not '\(control)'.")
        }
        try allows("--keys", keys, 1...10_000_000)
        try allows("--zipf", zipf, 0...5)
        try allows("--value", value.bytes, 64...65536, " bytes")
        try allows("--effort", effort, 1...10_000)
        try allows("--threads", threads, 1...256)
        if let disturb {
            do { _ = try StressPattern(disturb) } catch { throw ValidationError("--disturb: \(error)") }
        }
    }

    func run() throws {
        do {
            let result = try ServeRun(
                .init(
                    way: way, budget: budget?.bytes, keys: keys, exponent: zipf,
                    value: ServedValue(bytes: value.bytes, effort: effort), threads: threads, fillBytes: fill.bytes,
                    duration: duration?.duration ?? (disturb == nil ? Self.defaultDuration : nil),
                    disturbance: disturb.map { try StressPattern($0) }, control: control,
                    showsProgress: progress || System.standardErrorIsTerminal, logs: progress)
            ).run()
            System.writeToStandardOutput((json ? result.json.description : result.text) + "\n")
        } catch let error as StressError {
            StandardError.write("jetsam-stress: \(error)")
            throw ExitCode(2)
        }
    }
}
