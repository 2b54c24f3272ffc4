internal import CommandOutput
internal import Dispatch
internal import Jetsam
internal import JetsamConfiguration
internal import JetsamTrace
internal import MemoryPressure

/// The search: what is tried, and what came of it.
struct Search {
    private let traces: [RecordedTrace]
    private let preference: TuneCommand.Preference
    private var random: SplitMix
    private var tried: [Candidate] = []

    init(traces: [RecordedTrace], seed: UInt64, preference: TuneCommand.Preference) {
        self.traces = traces
        self.preference = preference
        random = SplitMix(state: seed)
    }

    var result: SearchResult {
        SearchResult(recorded: tried[0], preferred: tried.min { isBetter($0, $1) } ?? tried[0], tried: tried)
    }

    mutating func run(candidates: Int) {
        let recorded = traces[0].header.configuration
        evaluate([recorded] + Profile.all.map { Self.applying($0, to: recorded) }, of: candidates)
        // Half of them anywhere, the rest around what was best so far, ever closer.
        let anywhere = max(0, candidates / 2 - tried.count)
        evaluate((0..<anywhere).map { _ in Knob.random(from: recorded, &random) }, of: candidates)
        let rounds = 4
        for round in 0..<rounds {
            let left = candidates - tried.count
            let best = tried.sorted { isBetter($0, $1) }.prefix(4).map(\.configuration)
            let count = round == rounds - 1 ? left : left / (rounds - round)
            evaluate(
                (0..<count).map { Knob.neighbour(of: best[$0 % best.count], reach: 0.3 / Double(round + 1), &random) },
                of: candidates)
        }
    }

    /// Only what decides is taken from a profile.
    private static func applying(
        _ profile: Profile, to recorded: ManagerConfiguration
    ) -> ManagerConfiguration {
        var configuration = recorded
        let source = profile.settings.manager
        configuration.headroom = source.headroom
        configuration.timeToLimit = source.timeToLimit
        configuration.leadTime = source.leadTime
        configuration.reclaim = source.reclaim
        return configuration
    }

    /// On every processor, with progress.
    private mutating func evaluate(_ configurations: [ManagerConfiguration], of all: Int) {
        let usable = configurations.filter { (try? $0.validate()) != nil }
        let done = Lock(0)
        let progress = Lock(ProgressReport(reading: "tuning"))
        let before = tried.count
        let outcomes = Lock([Trial.Outcome?](repeating: nil, count: usable.count))
        DispatchQueue.concurrentPerform(iterations: usable.count) { [traces] index in
            var sum = Trial.Outcome()
            for trace in traces { sum.add(trace.outcome(of: usable[index])) }
            let outcome = sum
            outcomes.withLock { $0[index] = outcome }
            let count = done.withLock { count in
                count += 1
                return count
            }
            progress.withLock { $0.tick("\(before + count) of \(all) configurations") }
        }
        let results = outcomes.withLock { $0 }
        tried += zip(usable, results).compactMap { configuration, outcome in
            outcome.map { Candidate(configuration: configuration, outcome: $0) }
        }
    }

    private func isBetter(_ first: Candidate, _ second: Candidate) -> Bool {
        let (a, b) = (first.outcome, second.outcome)
        if a.kills != b.kills { return a.kills < b.kills }
        return cost(a) < cost(b)
    }

    /// Relative to what was recorded, so that bytes and seconds can be added.
    private func cost(_ outcome: Trial.Outcome) -> Double {
        let recorded = tried[0].outcome
        let bytes = Double(outcome.purgedBytes) / Double(max(1 << 20, recorded.purgedBytes))
        let time = Double(outcome.weightedTime) / Double(max(1_000_000_000, recorded.weightedTime))
        switch preference {
        case .balance: return bytes + time
        case .keepCaches: return bytes + time / 1000
        case .leastPressure: return time + bytes / 1000
        }
    }
}

/// One configuration, and what came of it on all traces.
struct Candidate {
    var configuration: ManagerConfiguration
    var outcome: Trial.Outcome
}

extension Trial.Outcome {
    /// Time above normal; critical counts tenfold.
    var weightedTime: Int64 { warningTime + 10 * criticalTime }

    mutating func add(_ other: Trial.Outcome) {
        readings += other.readings
        levelChanges += other.levelChanges
        steps += other.steps
        purgedBytes += other.purgedBytes
        releases.add(other.releases)
        warningTime += other.warningTime
        criticalTime += other.criticalTime
        kills += other.kills
        leastHeadroomPercent = min(leastHeadroomPercent, other.leastHeadroomPercent)
        ladderActions += other.ladderActions
        modelBegins = modelBegins ?? other.modelBegins
    }

    /// Whether it is no worse in any respect and better in one.
    func dominates(_ other: Trial.Outcome) -> Bool {
        let mine = [kills, purgedBytes, Int(weightedTime)]
        let theirs = [other.kills, other.purgedBytes, Int(other.weightedTime)]
        return mine != theirs && zip(mine, theirs).allSatisfy { $0 <= $1 }
    }
}
