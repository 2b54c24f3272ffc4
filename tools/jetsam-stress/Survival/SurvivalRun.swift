internal import CommandOutput
internal import Jetsam
internal import MemoryPressure
internal import _StressPatterns

/// One run: servers of one way under a limit, with traffic, and a disturbance.
struct SurvivalRun {
    /// The programs that it needs.
    struct Programs {
        /// The demo server, built.
        var server: String
        /// The script that draws keys for `wrk`.
        var script: String
        /// The configuration of the way jetsam; nil for the defaults.
        var config: String?
    }

    /// Somebody asked the tool to stop.
    struct Interrupted: Error {
        var signal: Int32
    }

    private static let lookInterval = Duration.milliseconds(20)
    private static let startTime = Duration.seconds(20)
    /// The disturbance begins when headroom has come down to this share of the limit: just before the caches meet anything that slows
    /// them, so that each way has it, and each run the same.
    private static let headroomAtBegin = 0.35
    /// A cache with a budget is filled when it holds so much of it.
    private static let budgetAtBegin = 0.9
    /// The longest that the caches are waited for.
    static let fillTime = Duration.seconds(10)
    private static let keys = 200_000
    private static let connections = 32

    let programs: Programs
    let disturbance: Disturbance
    let way: Way
    let budgetBytes: Int?
    let seed: Int
    /// An empty directory for what the programs write.
    let directory: String
    private let clock = SystemMonotonicClock()

    init(
        programs: Programs, disturbance: Disturbance, way: Way, budgetBytes: Int?, seed: Int, directory: String
    ) {
        self.programs = programs
        self.disturbance = disturbance
        self.way = way
        self.budgetBytes = budgetBytes
        self.seed = seed
        self.directory = directory
    }

    /// A server with its load.
    private struct Served {
        var server: ChildProcess
        var load: ChildProcess
        var file: String
        var loadFile: String
        /// What the manager's threads had taken at the last look that saw the process.
        var managerNanoseconds = 0
        var goneAt: MonotonicInstant?
    }

    func perform() throws -> SurvivalResult {
        let group = try LimitedGroup(.init(hardBytes: disturbance.limitBytes))
        defer { group.remove() }
        let start = clock.now
        var served: [Served] = []
        defer {
            for index in served.indices {
                _ = served[index].load.stop(System.killSignal, grace: .seconds(5))
                _ = served[index].server.stop(System.killSignal, grace: .seconds(5))
            }
        }
        for number in 0..<disturbance.servers { served.append(try begin(number, in: group)) }
        var neighbour: ChildProcess?
        defer { _ = neighbour?.stop(System.stopSignals[1], grace: .seconds(5)) }
        var looks = try Looks(served[0].server.identifier)
        var times = Times(start: start, listening: clock.now)
        var isResized = disturbance.resizedBytes == nil
        while clock.now < times.end(disturbance), served.contains(where: { $0.goneAt == nil }) {
            looks.look(at: clock.now)
            if times.disturbed == nil {
                times.isFilled = isFilled(served, looks.looks.last)
                if times.isFilled || clock.now >= times.listening.advanced(by: Self.fillTime) {
                    times.disturbed = clock.now
                    neighbour = try disturb(served, in: group)
                }
            }
            if times.disturbed != nil, !isResized, let bytes = disturbance.resizedBytes {
                isResized = group.setLimit(bytes: bytes, swapBytes: 0) == nil
            }
            for index in served.indices { follow(&served[index]) }
            try pause(until: clock.now.advanced(by: Self.lookInterval))
        }
        return finish(served: &served, looks.looks, group, times)
    }

    /// When what of a run began.
    private struct Times {
        var start: MonotonicInstant
        /// All servers.
        var listening: MonotonicInstant
        /// Nil where it never came to the disturbance.
        var disturbed: MonotonicInstant?
        /// Whether the caches were filled then.
        var isFilled = false

        func end(_ disturbance: Disturbance) -> MonotonicInstant {
            disturbed?.advanced(by: disturbance.length) ?? MonotonicInstant(nanoseconds: .max)
        }
    }

    /// Whether the caches hold what they are to hold when the disturbance begins.
    private func isFilled(_ served: [Served], _ look: MemoryReading?) -> Bool {
        guard let look else { return false }
        if Double(look.headroomBytes) <= Double(look.limitBytes) * Self.headroomAtBegin { return true }
        guard let budgetBytes else { return false }
        return served.allSatisfy { server in
            let held = Self.samples(of: server).samples.last?.cacheBytes ?? 0
            return Double(held) >= Double(budgetBytes) * Self.budgetAtBegin
        }
    }

    /// Whether background work that would have ended was told to end before: the server says so when it has left.
    private static func cutWorkShort(_ served: Served) -> Bool {
        let lines = ((try? System.text(of: served.file)) ?? "").split(separator: "\n")
        return lines.first { $0.hasPrefix("handlers: ") }.map { !$0.hasPrefix("handlers: 0 of ") } ?? false
    }

    private static func samples(of served: Served) -> ServerSamples {
        ServerSamples((try? System.text(of: served.file + ".samples")) ?? "")
    }

    /// Starts a server and, once it listens, its load.
    private func begin(_ number: Int, in group: LimitedGroup) throws -> Served {
        let file = "\(directory)/server-\(number)"
        var server = try ChildProcess(serverCommand(file), in: group, output: file)
        var address: String?
        let due = clock.now.advanced(by: Self.startTime)
        while address == nil {
            let text = (try? System.text(of: file)) ?? ""
            address = text.split(separator: "\n").first { $0.hasPrefix("listening on ") }.map {
                String($0.dropFirst(13))
            }
            guard address == nil else { break }
            guard server.look() == nil, clock.now < due else {
                _ = server.stop(System.killSignal, grace: .seconds(5))
                throw StressError("the server did not start: \((try? System.text(of: file + ".err")) ?? "")")
            }
            try pause(until: clock.now.advanced(by: .milliseconds(20)))
        }
        let loadFile = "\(directory)/load-\(number)"
        let seconds = Int((Self.fillTime + disturbance.length) / .seconds(1)) + 60
        let threads = disturbance.servers > 1 ? 1 : 2
        let load = try ChildProcess(
            [
                "wrk", "-t", "\(threads)", "-c", "\(max(2, Self.connections / disturbance.servers))", "-d",
                "\(seconds)s",
                "--latency", "--timeout", "10s", "-s", programs.script, address ?? "", "--", "\(Self.keys)",
                disturbance.exponent, "\(seed * 10 + number)",
            ], in: nil, output: loadFile)
        return Served(server: server, load: load, file: file, loadFile: loadFile)
    }

    private func serverCommand(_ file: String) -> [String] {
        var command = [
            programs.server, "--port", "0", "--mode", way.mode, "--keys", "\(Self.keys)", "--samples",
            file + ".samples",
            "--events", file + ".events",
        ]
        if let budgetBytes { command += ["--budget", "\(budgetBytes)"] }
        if let inside = disturbance.inside {
            // The spike has a delay of its own unless one is given.
            command += ["--disturb=\(inside) --delay 0s", "--disturb-at-signal"]
        }
        if way == .jetsam {
            command += disturbance.managedArguments
            if let config = programs.config { command += ["--config", config] }
        }
        return command
    }

    /// Lets the disturbance begin, but for a cut of the limit, and gives the neighbour that is a part of it.
    private func disturb(_ served: [Served], in group: LimitedGroup) throws -> ChildProcess? {
        if disturbance.inside != nil { for server in served { server.server.send(System.userSignal) } }
        return try disturbance.beside.map { words in
            try ChildProcess(
                ["/proc/self/exe"] + words.split(separator: " ").map(String.init), in: group,
                output: "\(directory)/beside")
        }
    }

    private func follow(_ served: inout Served) {
        guard served.goneAt == nil else { return }
        if served.server.look() != nil {
            served.goneAt = clock.now
        } else if way == .jetsam,
            let time = ThreadTimes.nanoseconds(of: served.server.identifier, named: "jetsam.")
        {
            served.managerNanoseconds = time
        }
    }

    /// Sleeps, unless somebody asks the tool to stop.
    private func pause(until instant: MonotonicInstant) throws {
        let time = clock.now.duration(to: instant)
        guard time > .zero, let signal = System.nextSignal(of: System.stopSignals, within: time) else { return }
        throw Interrupted(signal: signal.number)
    }

    // MARK: - The end

    private func finish(
        served: inout [Served], _ looks: [MemoryReading], _ group: LimitedGroup, _ times: Times
    ) -> SurvivalResult {
        let end = clock.now
        let begins = times.disturbed ?? end
        var reports: [LoadReport] = []
        var failed = false
        var left = false
        for index in served.indices {
            // It tells what it saw when it is interrupted; before the server, so that it sees no refusals.
            _ = served[index].load.stop(System.stopSignals[0], grace: .seconds(5))
            reports.append(LoadReport((try? System.text(of: served[index].loadFile)) ?? ""))
            let isGone = served[index].goneAt != nil
            let status = served[index].server.stop(System.stopSignals[1], grace: .seconds(10))
            if isGone, status == .exited(0), !Self.cutWorkShort(served[index]) { left = true }
            if isGone, status != .exited(0) { failed = true }
        }
        let samples = served.map(Self.samples)
        var result = SurvivalResult()
        result.disturbance = disturbance.name
        result.who = way
        result.budgetBytes = budgetBytes
        result.killed = (group.oomKills ?? 0) > 0 || failed
        result.left = left && !result.killed
        result.seconds = times.start.duration(to: end).inSeconds
        result.fillSeconds = times.isFilled ? times.listening.duration(to: begins).inSeconds : nil
        result.headroomAtStart = looks.last { $0.instant <= begins }?.headroomBytes ?? 0
        let figures = SurvivalAccount(looks, samples).figures
        result.releasedBytes = figures.releasedBytes
        result.neededBytes = figures.neededBytes
        result.refetchedBytes = figures.refetchedBytes
        result.wastedBytes = figures.wastedBytes
        result.episodes = figures.episodes
        noteService(&result, served, reports, samples, times, end: end)
        return result
    }

    private func noteService(
        _ result: inout SurvivalResult, _ served: [Served], _ reports: [LoadReport], _ samples: [ServerSamples],
        _ times: Times, end: MonotonicInstant
    ) {
        let begins = times.disturbed ?? end
        let answered = reports.reduce(0) { $0 + $1.requests }
        let bad = reports.reduce(0) { $0 + $1.refused + $1.broken }
        var possible = Double(answered + bad)
        if !result.left {
            // A server that is gone answers none of those that it would have answered.
            let whole = (times.listening.duration(to: begins) + disturbance.length).inSeconds
            for (server, report) in zip(served, reports) {
                guard let goneAt = server.goneAt else { continue }
                let lived = max(0.1, times.listening.duration(to: goneAt).inSeconds)
                possible += Double(report.requests) * max(0, whole / lived - 1)
            }
        }
        result.failedShare =
            possible > 0 ? (possible - Double(answered) + Double(reports.reduce(0) { $0 + $1.refused })) / possible : 1
        guard !result.killed else { return }
        result.p99Milliseconds = reports.compactMap(\.p99Milliseconds).max()
        let (before, after) = (samples.map { $0.at(begins) }, samples.map { $0.at(end) })
        func grown(_ value: (ServerSamples.Sample) -> Int) -> Int {
            after.reduce(0) { $0 + value($1) } - before.reduce(0) { $0 + value($1) }
        }
        let requests = grown { $0.hits + $0.misses }
        let cpu = grown(\.cpuMicroseconds)
        // NSCache does not say.
        if way != .nscache { result.leastCacheBytes = after.map(\.cacheBytes).min() }
        if requests > 0 { result.hitRate = Double(grown(\.hits)) / Double(requests) }
        if cpu > 0 { result.requestsPerCPUSecond = Double(requests) / (Double(cpu) / 1e6) }
        guard way == .jetsam else { return }
        let total = after.reduce(0) { $0 + $1.cpuMicroseconds }
        if total > 0 {
            result.managerCPUShare = Double(served.reduce(0) { $0 + $1.managerNanoseconds }) / 1000 / Double(total)
        }
        func seconds(at level: Int) -> Double {
            samples.reduce(0) { $0 + $1.time(at: level, from: begins, to: end).inSeconds } / Double(samples.count)
        }
        result.warningSeconds = seconds(at: 1)
        result.criticalSeconds = seconds(at: 2)
    }
}

/// Looks at the headroom of a process, from outside, while it lives.
private struct Looks {
    private let reader: KernelReader
    private let process: Int32
    private(set) var looks: [MemoryReading] = []

    init(_ process: Int32) throws {
        self.process = process
        do {
            reader = try KernelReader(root: KernelRoot(processIdentifier: process))
        } catch {
            throw StressError("the server's memory cannot be read: \(error)")
        }
    }

    mutating func look(at now: MonotonicInstant) {
        // One that has ended has no cgroup any more, and what is read then is somebody else's.
        guard Syscalls.exists("/proc/\(process)/cgroup") else { return }
        reader.refreshLimits()
        let reading = reader.read(.full, at: now, includingStall: false)
        guard reading.isLimited else { return }
        looks.append(reading)
    }
}
