internal import ArgumentParser
internal import CommandOutput
internal import Jetsam
internal import JetsamConfiguration
internal import JetsamTrace
internal import MemoryPressure
internal import SystemPackage

/// `jetsam tune`: searches thresholds on recorded traces.
struct TuneCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tune",
        abstract: "Searches thresholds that would have served recorded traces better.",
        discussion: """
            It tries configurations on the traces, each as `jetsam replay --config` does: the recorded one, the shipped profiles, \
            random ones, and then neighbours of the best so far. The best one has the fewest times without headroom under the hard \
            limit, because the kernel would have killed there. If these are equal, the bytes asked of caches and the time degraded \
            decide. A wasted byte counts tenfold: it was fetched again although memory lay idle. Time at critical counts tenfold, too.

            It prints the trade-off: every configuration that no other one beats in all respects. --output writes the preferred \
            configuration to a file that `jetsam check` accepts.

            A configuration that was searched on some load may not serve other load. With --held-out, the recorded and the \
            preferred configuration are also tried on traces that the search has not seen, and the output says whether the \
            preferred one is better there. Record two days, search on one, and hold the other out.

            A trace cannot show what background tasks, scenes and the last resort would have brought, how many hits caches would \
            have had with more or less memory, what happened between two readings, or how other load would behave. After the first \
            step that differs, the figures come from a model.

            EXIT STATUS
              0     something was found, or the recorded configuration is best
              64    usage
              65    a trace cannot be used
              66    a file cannot be read
              73    the output cannot be written

            JSON, one object on one line:
              candidates, recorded, preferred, front (an array), heldOut (traces, recorded, preferred; null without --held-out)
              each configuration has purgedBytes, releasedBytes, neededBytes, refetchedBytes, wastedBytes, wastedShare (0…1), \
            warningNanoseconds, criticalNanoseconds, kills, leastHeadroomPercent, steps, levelChanges and, but for heldOut, settings \
            (what differs from the defaults: an object)
            """
    )

    @Argument(help: .init("Traces. One configuration is searched for all of them.", valueName: "trace"))
    var traces: [String]

    @Option(
        name: .customLong("held-out"),
        help: .init(
            "A trace that the search does not see. The preferred configuration is shown on it, beside the recorded one. Can be "
                + "repeated.", valueName: "trace"))
    var heldOut: [String] = []

    @Option(help: .init("The number of configurations to try: 8…100000.", valueName: "count"))
    var candidates = 200

    @Option(
        help: .init(
            "What decides if kills are equal: balance, keep-caches (fewest bytes asked of caches) or least-pressure (least "
                + "time above normal)."))
    var prefer = Aims.Preference.balance

    @Option(help: .init("The same number repeats the same search.", valueName: "number"))
    var seed: UInt64 = 1

    @Option(
        name: .shortAndLong, help: .init("Write the preferred configuration to this file, as YAML.", valueName: "file"))
    var output: String?

    @Flag(help: "The result as JSON.")
    var json = false

    func validate() throws {
        guard (8...100_000).contains(candidates) else {
            throw ValidationError("--candidates must be in 8…100000, not \(candidates).")
        }
        let searched = traces.compactMap { try? FileFacts(at: $0).identity }
        if let seen = heldOut.first(where: {
            (try? FileFacts(at: $0).identity).map(searched.contains) ?? traces.contains($0)
        }) {
            throw ValidationError("\(seen) is searched; a trace that is held out must be another one.")
        }
    }

    func run() throws {
        var file = output.map { OutputFile($0, madeFrom: traces + heldOut) }
        try file?.checkPlace()
        let recorded = try traces.map { try RecordedTrace(path: $0) }
        let unseen = try heldOut.map { try RecordedTrace(path: $0) }
        var search = Search(traces: recorded, seed: seed, aims: Aims(preference: prefer))
        search.run(candidates: candidates)
        let result = search.result(heldOut: unseen)
        if json {
            print(result.json)
        } else {
            print(result.text.joined(separator: "\n"))
        }
        guard let output else { return }
        try file?.write(Array(result.file.utf8))
        try file?.finish()
        if !json { print("\nThe preferred configuration is in \(output).") }
    }
}

/// A trace in memory, as far as a trial looks at it.
struct RecordedTrace {
    let header: TraceHeader
    private(set) var events: [(event: TraceEvent, instant: MonotonicInstant)] = []

    init(path: String) throws {
        var header: TraceHeader?
        var progress = ProgressReport(reading: path)
        var events: [(event: TraceEvent, instant: MonotonicInstant)] = []
        try TraceInput(path: path).forEach { event, instant in
            switch event {
            case .trace(let record): header = header ?? record
            case .reading, .notice, .demand, .regrowth, .ladder, .run, .step, .lost: events.append((event, instant))
            default: break
            }
            if events.count & 0xffff == 0 { progress.tick("\(events.count) records read") }
        }
        guard let header else { throw ExitCode(65) }
        self.header = header
        self.events = events
    }

    func outcome(of configuration: ManagerConfiguration) -> Trial.Outcome {
        var trial = Trial(configuration, header: header)
        for (event, instant) in events { trial.feed(event, at: instant) }
        trial.finish()
        return trial.outcome
    }
}
