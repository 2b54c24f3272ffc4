internal import ArgumentParser
internal import Jetsam
internal import JetsamTrace

/// What makes one outcome better than another: fewer kills; if they are equal, less taken from caches and less time degraded.
struct Aims {
    /// What decides where the kills are the same.
    enum Preference: String, ExpressibleByArgument, CaseIterable {
        case balance, keepCaches = "keep-caches", leastPressure = "least-pressure"
    }

    let preference: Preference

    /// Whether `first` is better than `second`, both weighed by what was recorded on the same traces.
    func isBetter(_ first: Trial.Outcome, _ second: Trial.Outcome, than recorded: Trial.Outcome) -> Bool {
        if first.kills != second.kills { return first.kills < second.kills }
        return cost(first, recorded) < cost(second, recorded)
    }

    /// Relative to what was recorded, so that bytes and seconds can be added.
    private func cost(_ outcome: Trial.Outcome, _ recorded: Trial.Outcome) -> Double {
        let bytes = Double(outcome.weightedBytes) / Double(max(1 << 20, recorded.weightedBytes))
        let time = Double(outcome.weightedTime) / Double(max(1_000_000_000, recorded.weightedTime))
        switch preference {
        case .balance: return bytes + time
        case .keepCaches: return bytes + time / 1000
        case .leastPressure: return time + bytes / 1000
        }
    }
}

extension Trial.Outcome {
    /// Bytes asked of caches; each wasted one counts tenfold, as memory lay idle.
    fileprivate var weightedBytes: Int { purgedBytes + 9 * releases.wastedBytes }

    /// Time above normal, in nanoseconds; critical counts tenfold.
    fileprivate var weightedTime: Int64 { warningTime + 10 * criticalTime }

    /// Whether it is no worse in any respect and better in one.
    func dominates(_ other: Trial.Outcome) -> Bool {
        zip(respects, other.respects).allSatisfy { $0 <= $1 } && respects != other.respects
    }

    private var respects: [Int] { [kills, purgedBytes, releases.wastedBytes, Int(weightedTime)] }
}
