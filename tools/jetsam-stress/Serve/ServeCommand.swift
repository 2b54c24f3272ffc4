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
            Threads look up keys as fast as they can, popular ones most often (Zipf). A missing value is made, which costs processor \
            time, and stored. --disturb runs a pattern of 'jetsam-stress allocate' in the same process, on its own thread.

            WAYS of the cache
              nothing  grows until it has every key
              fixed    holds at most --budget; the value that was not read for longest goes first
              cleared  is emptied at each warning of memory pressure, and the allocator is trimmed
              jetsam   is a PurgeableByteCache under a ResourceManager

            \(Recipe.discussion)

            EXIT STATUS: 0 the traffic came to its end; 2 the tool or the pattern of --disturb failed; 64 usage. If the OOM killer \
            takes the process, the kernel sets the status.

            JSON, one object on one line: way, budgetBytes (or null), disturbance (its words, or null), seconds, requests, \
            hits, hitRate (0 to 1), requestsPerCPUSecond (all processor time of the process counted), cacheBytes (at the end), \
            episodes (of releases; one lasts until 10 s have passed without another release), releasedBytes (bytes that came back), \
            neededBytes (bytes that had to come back to keep 20 % of the limit free, for someone who knows how all other memory will \
            grow), wastedBytes (fetched again within 10 s although even more stayed free), wastedShare (of the released bytes), \
            headroomAtStart and leastHeadroomBytes (measured every 20 ms), levelChanges and steps as in allocate, counted from the \
            start of the traffic.
            """
    )

    @Option(
        help: .init(
            "What keeps the cache from taking all memory: \(ServeWay.allCases.map(\.rawValue).joined(separator: ", ")).",
            valueName: "way"))
    var way: ServeWay

    @Option(help: .init("fixed: the most that the cache holds: \(Size.allowed).", valueName: "size"))
    var budget: Size?

    @Option(help: .init("The number of keys: 1…10000000.", valueName: "count"))
    var keys = 200_000

    @Option(help: .init("How uneven their popularity is: 0 (all alike) to 5.", valueName: "exponent"))
    var zipf = 0.99

    @Option(help: .init("The size of each value: \(Size.allowed), 64 bytes to 64KiB.", valueName: "size"))
    var value = Size(bytes: 16 << 10)

    @Option(help: .init("How often a value is overwritten while it is made: 1…10000.", valueName: "count"))
    var effort = 25

    @Option(help: .init("The number of threads that look up keys: 1…256.", valueName: "count"))
    var threads = 2

    @Option(
        help: .init(
            "Before the traffic, store this many bytes of the most popular values: \(Size.allowed).", valueName: "size")
    )
    var fill = Size(bytes: 0)

    @Option(
        help: .init(
            "How long the traffic lasts: \(Span.allowed). By default until the pattern of --disturb has ended; without one 20 s.",
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
        help: "Print a line each second on standard error, even if it is not a terminal; the manager's log too.")
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
            print(json ? result.json.description : result.text)
        } catch let error as StressError {
            StandardError.write("jetsam-stress: \(error)")
            throw ExitCode(2)
        }
    }
}
