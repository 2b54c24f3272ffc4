internal import ArgumentParser
internal import CommandOutput
internal import MemoryPressure
internal import _StressPatterns

/// `jetsam-stress survive`: servers with different ways of looking after their memory, side by side under disturbances.
struct SurviveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "survive",
        abstract: "Compares ways of handling memory under disturbances: which servers survive, and the cost.",
        discussion: """
            Each run has its own cgroup with a limit, a demo server in one way, and wrk, which requests keys by Zipf's law. The cache \
            fills until 35 % of the limit are free, or a fixed budget is nearly full, but for at most 10 s. Then the disturbance begins. \
            If the cache had not filled, the run says so. The ways take turns. 'tools/prove survival' builds everything that is needed \
            and calls this command.

            """ + Way.discussion + "\n\n" + Disturbance.discussion + """


                FIGURES. Medians of the runs; of released, needed and wasted the mean of those that lived. killed: the kernel killed a process of the group, or a server failed. failed: the share of requests \
                without a proper answer, of those that the server would have answered at its rate. hits, requests per CPU second: measured \
                from the beginning of the disturbance. released: bytes that came back because memory was short. needed: bytes that had to be \
                released to keep 20 % of the limit free (at least 48 MiB if the limit is 128 MiB or more, at most 2 GiB), for someone who \
                knows how all other memory will grow; counted by episodes, which last until 10 s pass without a release. wasted: a share of \
                the released bytes: the smaller of the bytes that were fetched again within 10 s, and of those that stayed free beyond 1.25 \
                times these 20 % when memory was shortest in these 10 s. manager: the share of the server's CPU time that Jetsam's threads took. \
                cache: what the cache holds at the end; of several servers the one that holds least. \
                at warning, at critical: the time at that level from the beginning of the disturbance, the mean of the runs that lived.

                TOGETHER. If there are several disturbances, a second table adds up their bytes and times, and has the means of their \
                shares. --config gives Jetsam other settings; 'tools/prove thresholds' compares many.

                PAIRS. Another table compares jetsam with fixed, the first run of one with the first run of the other, and so on. Each figure \
                is the median of the pairs: the ratio of the requests per CPU second and of p99, and the difference of the hits. From six \
                pairs on it has an interval in which the median lies with a probability of 95 %.

                JSON: {"machine": {…}, "configuration" (the text of --config, or null), "rows": [{"disturbance", "who", "killed", "runs", "left" (in order, before the end), "budgetBytes" \
                (fixed), "failedShare", "p99Milliseconds", "hitRate", "requestsPerCPUSecond", "releasedBytes", "neededBytes", "wastedShare" \
                (null where every run was killed, as hitRate and p99Milliseconds), "managerCPUShare", "leastCacheBytes", "warningSeconds", "criticalSeconds", "headroomAtStart"}], \
                "totals": [{"who", "disturbances", "runs", "killed", "hitRate", "releasedBytes", "neededBytes", "wastedBytes", "wastedShare", \
                "warningSeconds", "criticalSeconds"}], "pairs": \
                [{"disturbance", "budgetBytes", "pairs", "requestsPerCPUSecond": {"median", "from", "to"}, "hitRate", "p99Milliseconds" \
                (alike)}], "runs": [each run by itself, with "fillSeconds": null where the disturbance began before the cache was filled]}.

                COMPARISON. With --compare FILE, the tables agree if no way was killed under a disturbance in one table and lived through all \
                runs in the other, and if the released bytes differ by at most 25 % or 32 MiB. Bytes are compared only if no server was \
                killed.

                EXIT STATUS: 0 all runs were made, even if servers were killed; 1 the tables of --compare do not agree; 2 the runs \
                could not be made; 64 usage; 128+N stopped by signal N, with the finished runs in the file of --json.
                """
    )

    @Option(help: .init("The demo server's program.", valueName: "file"), completion: .file())
    var server: String

    @Option(help: .init("The script for wrk that draws keys.", valueName: "file"), completion: .file())
    var script: String

    @Option(help: .init("Write the table to this file after each run.", valueName: "file"), completion: .file())
    var json: String?

    @Flag(help: "Make only the runs that the file of --json lacks.")
    var resume = false

    @Flag(help: "Make a part of the table in less than 20 minutes, and say what is left out.")
    var quick = false

    @Option(
        help: .init(
            "Another table of --json: list the differences, and exit with 1 if there is one.",
            valueName: "file"),
        completion: .file())
    var compare: String?

    @Option(
        help: .init(
            "The configuration of the way jetsam, as 'jetsam check' accepts it, instead of the defaults.",
            valueName: "file"),
        completion: .file())
    var config: String?

    @Option(help: .init("Only these disturbances, separated by commas.", valueName: "names"))
    var only: String?

    @Option(help: .init("Only these ways, separated by commas.", valueName: "names"))
    var ways: String?

    @Option(
        help: .init(
            "The budget of the way fixed under every disturbance, such as 288MiB, instead of the largest that survives each.",
            valueName: "size"))
    var budget: Size?

    @Option(help: .init("Runs of the way jetsam: 1…100. By default 5; with --quick 3 or more.", valueName: "number"))
    var `repeat`: Int?

    @Option(help: .init("Runs of each other way: 1…100. By default 2; with --quick 1 or more.", valueName: "number"))
    var peerRepeat: Int?

    func validate() throws {
        for (option, number) in [("--repeat", self.repeat), ("--peer-repeat", peerRepeat)] {
            if let number, !(1...100).contains(number) {
                throw ValidationError("\(option) must be in 1…100, not \(number).")
            }
        }
        if let budget, budget.bytes < BudgetSearch.stepBytes {
            throw ValidationError(
                "--budget must be \(BudgetSearch.stepBytes >> 20)MiB or more, not \(budget.bytes) bytes.")
        }
        if resume, json == nil { throw ValidationError("--resume needs --json, whose file it goes on with.") }
        _ = try chosenDisturbances()
        let ways = try chosenWays()
        for (option, isGiven, way) in [("--config", config != nil, Way.jetsam), ("--budget", budget != nil, .fixed)]
        where isGiven && !ways.contains(way) {
            throw ValidationError("\(option) is for the way \(way.rawValue), which --ways or --quick leaves out.")
        }
    }

    func run() throws {
        do {
            try perform()
        } catch let error as StressError {
            StandardError.write("jetsam-stress: \(error)")
            throw ExitCode(2)
        } catch let stop as SurvivalRun.Interrupted {
            let kept = json.flatMap { Syscalls.exists($0) ? "what was done is in \($0)" : nil }
            StandardError.write("jetsam-stress: stopped; \(kept ?? "nothing was kept")")
            throw ExitCode(128 + stop.signal)
        }
    }

    func chosenDisturbances() throws -> [Disturbance] {
        guard let only else { return Disturbance.all.filter { quick ? $0.quickRuns != nil : !$0.isExtra } }
        guard only.contains(where: { $0 != "," }) else { throw ValidationError("--only: no disturbance is named.") }
        return try only.split(separator: ",").map { name in
            guard let found = Disturbance.all.first(where: { $0.name == name }) else {
                throw ValidationError(
                    "--only: there is no disturbance '\(name)'; allowed are "
                        + Disturbance.all.map(\.name).joined(separator: ", ") + ".")
            }
            return found
        }
    }

    private func chosenWays() throws -> [Way] {
        guard let ways else { return quick ? [.nothing, .cleared, .jetsam] : Way.allCases }
        guard ways.contains(where: { $0 != "," }) else { throw ValidationError("--ways: no way is named.") }
        return try ways.split(separator: ",").map { name in
            guard let found = Way(rawValue: String(name)) else {
                throw ValidationError(
                    "--ways: there is no way '\(name)'; allowed are "
                        + Way.allCases.map(\.rawValue).joined(separator: ", ") + ".")
            }
            return found
        }
    }

    private func perform() throws {
        let files = [("--server", server), ("--script", script)] + (config.map { [("--config", $0)] } ?? [])
        for (option, file) in files where !Syscalls.exists(file) {
            throw StressError("\(option) \(file): there is no such file")
        }
        // It is a file: a name without a slash would be looked for in PATH.
        let server = server.contains("/") ? server : "./\(server)"
        guard System.executablePath(of: server) != nil else {
            throw StressError("--server \(server): it is no file that this user may execute")
        }
        if let json { try checkDirectory(of: json, for: "--json") }
        if let json, let facts = try? FileFacts(at: json) {
            for (option, file) in files where (try? FileFacts(at: file).identity) == facts.identity {
                throw StressError("--json \(json): it is the file of \(option), which is read")
            }
        }
        guard System.executablePath(of: "wrk") != nil else {
            throw StressError("wrk is missing: install the package wrk")
        }
        System.blockSignals(System.stopSignals + [System.brokenPipeSignal])
        var series = SurvivalSeries(
            programs: .init(server: server, script: script, config: config), disturbances: try chosenDisturbances(),
            ways: try chosenWays(),
            plan: RunPlan(jetsam: self.repeat, peers: peerRepeat, isQuick: quick, budgetBytes: budget?.bytes),
            file: json, resumes: resume)
        // Read first: the file may be that of --json, which is written anew.
        let other = try compare.map(Self.rows)
        if quick { series.sayWhatIsLeftOut() }
        try series.perform()
        print(series.table.text)
        guard let other else { return }
        let comparison = SurvivalComparison(series.table.rows, with: other)
        print(comparison.text)
        guard comparison.compared > 0 else { throw StressError("--compare: the tables have no cell in common") }
        if !comparison.differences.isEmpty { throw ExitCode(1) }
    }

    private static func rows(_ file: String) throws -> [SurvivalTable.Row] {
        do { return try SurvivalTable.rows(System.text(of: file)) } catch {
            throw StressError("--compare: \(file) cannot be used: \(error)")
        }
    }
}

extension Disturbance {
    /// The help text's lists of them.
    static var discussion: String {
        "DISTURBANCES, under 512 MiB unless said:\n" + list { !$0.isExtra }
            + "\n\nMORE DISTURBANCES, only if --only names them:\n" + list(where: \.isExtra)
    }

    private static func list(where isMeant: (Disturbance) -> Bool) -> String {
        all.filter(isMeant).map { disturbance in
            let recipe = disturbance.recipe.map { " Alone: jetsam-stress \($0)" } ?? ""
            return "  \(disturbance.name): \(disturbance.text)\(recipe)"
        }.joined(separator: "\n")
    }
}
