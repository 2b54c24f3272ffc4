internal import CommandOutput
internal import Dispatch
internal import Jetsam
internal import JetsamConfiguration
internal import JetsamTrace
internal import MemoryPressure

/// The search: what is tried, and what came of it.
struct Search {
    private let traces: [RecordedTrace]
    private let aims: Aims
    private var random: SplitMix
    private var tried: [Candidate] = []

    init(traces: [RecordedTrace], seed: UInt64, aims: Aims) {
        self.traces = traces
        self.aims = aims
        random = SplitMix(state: seed)
    }

    /// What came of it, and what the recorded and the preferred configuration come to on traces that it has not seen.
    func result(heldOut: [RecordedTrace]) -> SearchResult {
        let preferred = tried.min { isBetter($0, $1) } ?? tried[0]
        let unseen = SearchResult.Unseen(
            traces: heldOut.count, recorded: Self.outcome(of: tried[0].configuration, on: heldOut),
            preferred: Self.outcome(of: preferred.configuration, on: heldOut))
        return SearchResult(
            recorded: tried[0], preferred: preferred, tried: tried, aims: aims, unseen: heldOut.isEmpty ? nil : unseen)
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
            let outcome = Self.outcome(of: usable[index], on: traces)
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

    private static func outcome(of configuration: ManagerConfiguration, on traces: [RecordedTrace]) -> Trial.Outcome {
        traces.reduce(into: Trial.Outcome()) { $0.add($1.outcome(of: configuration)) }
    }

    private func isBetter(_ first: Candidate, _ second: Candidate) -> Bool {
        aims.isBetter(first.outcome, second.outcome, than: tried[0].outcome)
    }
}

/// One configuration, and what came of it on all traces.
struct Candidate {
    var configuration: ManagerConfiguration
    var outcome: Trial.Outcome
}

extension Trial.Outcome {
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
}
