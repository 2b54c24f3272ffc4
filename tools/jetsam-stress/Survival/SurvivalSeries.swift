internal import CommandOutput
internal import MemoryPressure
internal import _StressPatterns

/// All runs of a table, one after another, and what is kept of them.
struct SurvivalSeries {
    let programs: SurvivalRun.Programs
    let disturbances: [Disturbance]
    let ways: [Way]
    let plan: RunPlan
    let file: String?
    private(set) var table = SurvivalTable()
    private let clock = SystemMonotonicClock()
    private let start = SystemMonotonicClock().now
    private let resumes: Bool

    init(
        programs: SurvivalRun.Programs, disturbances: [Disturbance], ways: [Way], plan: RunPlan, file: String?,
        resumes: Bool
    ) {
        self.programs = programs
        self.disturbances = disturbances
        self.ways = ways
        self.plan = plan
        self.file = file
        self.resumes = resumes
    }

    /// Makes the runs that are missing.
    mutating func perform() throws {
        let configuration: String?
        do { configuration = try programs.config.map(System.text(of:)) } catch {
            throw StressError("--config: \(programs.config ?? "") cannot be read: \(error)")
        }
        if resumes, let file, Syscalls.exists(file) {
            do { table = try SurvivalTable(System.text(of: file)) } catch {
                throw StressError("--resume: \(file) cannot be used: \(error)")
            }
            guard table.configuration == configuration else {
                throw StressError("--resume: \(file) was made with another configuration than --config gives")
            }
            say("\(table.results.count.counted("run is", "runs are")) there already")
        } else {
            table.machine = try MachineFigures.measured()
            table.configuration = configuration
        }
        for path in CgroupDirectory.removeStale(in: CgroupPlaces.current()) {
            say("removed \(path), which an earlier run left behind")
        }
        for disturbance in disturbances {
            while let run = table.nextRun(disturbance, ways, plan) {
                try makeRun(disturbance, run.way, run.budgetBytes)
            }
        }
    }

    private mutating func makeRun(_ disturbance: Disturbance, _ way: Way, _ budget: Int?) throws {
        let number = table.results(disturbance, way).count + 1
        let directory = try System.makeTemporaryDirectory()
        defer { System.removeTree(directory) }
        let result = try SurvivalRun(
            programs: programs, disturbance: disturbance, way: way, budgetBytes: budget,
            seed: number, directory: directory
        ).perform()
        table.results.append(result)
        if let file {
            do { try System.replaceAtOnce(file, with: table.json.description + "\n") } catch {
                throw StressError("--json \(file) cannot be written: \(error)")
            }
        }
        let left = table.runsLeft(disturbances, ways, plan)
        let rest =
            left > 0 ? "; \(left)\(ways.contains(.fixed) && plan.budgetBytes == nil ? " or more" : "") to go" : ""
        say("\(disturbance.name), \(way.rawValue) \(number): \(result.line)\(rest)")
    }

    func sayWhatIsLeftOut() {
        let names = Disturbance.all.filter { other in !disturbances.contains { $0.name == other.name } }.map(\.name)
        let otherWays = Way.allCases.filter { !ways.contains($0) }.map(\.rawValue)
        let numbers = ways.map { way in
            let runs = disturbances.map { plan.runs($0, way) }.filter { $0 > 0 }
            let (least, most) = (runs.min() ?? 0, runs.max() ?? 0)
            return "\(least == most ? "\(least)" : "\(least) to \(most)") of \(way.rawValue)"
        }
        let chances = ways.compactMap { way in
            let names = disturbances.filter { plan.runs($0, way) == 0 }.map(\.name)
            return names.isEmpty
                ? nil : "; no \(way.rawValue) under \(names.joined(separator: ", ")), where a few runs differ by chance"
        }
        say(
            "quick: without the disturbances \(names.joined(separator: ", ")), the ways "
                + "\(otherWays.joined(separator: ", ")); runs under each disturbance: \(numbers.joined(separator: ", "))\(chances.joined())"
        )
    }

    private func say(_ text: String) {
        let seconds = Int(start.duration(to: clock.now).inSeconds)
        StandardError.write("[\(Columns.padded("\(seconds) s", 7))] \(text)")
    }
}

extension SurvivalResult {
    /// How it went, in a few words.
    var line: String {
        let budget = budgetBytes.map { " with \($0 >> 20) MiB" } ?? ""
        let end = killed ? "killed" : left ? "left in order" : "lived"
        let filled =
            fillSeconds.map { "filled in \(Int($0.rounded())) s" }
            ?? "not filled in time: \(headroomAtStart >> 20) MiB free"
        let outcome = "\(filled), \(end)\(budget) after \(Int(seconds.rounded())) s"
        guard !killed else { return outcome }
        let waste = releasedBytes > 0 ? ", \(Int((wastedShare * 100).rounded())) % wasted" : ""
        let hits = hitRate.map { ", \(Int(($0 * 100).rounded())) % hits" } ?? ""
        return outcome
            + "\(hits), released \(ByteCount(releasedBytes)), needed \(ByteCount(neededBytes))\(waste)"
    }
}
