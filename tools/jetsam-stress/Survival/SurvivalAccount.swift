internal import Jetsam
internal import MemoryPressure

/// What was released in a run, needed and wasted, by looks from outside: the group's headroom and the servers' own samples.
struct SurvivalAccount {
    /// A server counts a release when it is over, at most so long after its cache became smaller.
    private static let reach = Duration.milliseconds(500)

    private var account = ReleaseAccount()
    /// Looks that may have come while a release was under way, which nobody can know yet.
    private var recent: [ReleaseAccount.Sample] = []
    private var releasedBytes = 0

    /// - Parameter looks: Readings of the group.
    init(_ looks: [MemoryReading], _ servers: [ServerSamples]) {
        for look in looks {
            let parts = servers.map { $0.at(look.instant) }
            let sample = ReleaseAccount.Sample(
                look, at: look.instant, budget: nil, cacheBytes: parts.reduce(0) { $0 + $1.cacheBytes },
                refetchedBytes: parts.reduce(0) { $0 + $1.refetchedBytes })
            add(sample, releasedBytes: parts.reduce(0) { $0 + $1.releasedBytes })
        }
        for sample in recent { account.look(at: sample) }
    }

    var figures: ReleaseAccount.Figures { account.total }

    private mutating func add(_ sample: ReleaseAccount.Sample, releasedBytes total: Int) {
        while let first = recent.first, first.instant.advanced(by: Self.reach) < sample.instant {
            account.look(at: recent.removeFirst())
        }
        if total > releasedBytes {
            // The release began when the caches were largest. In between they have given what is not free yet.
            let largest = recent.indices.max { recent[$0].cacheBytes < recent[$1].cacheBytes } ?? recent.endIndex
            for earlier in recent.prefix(largest) { account.look(at: earlier) }
            let before = largest < recent.endIndex ? recent[largest] : sample
            account.add(releasedBytes: total - releasedBytes, before: before, after: sample)
            releasedBytes = total
            recent = []
        }
        recent.append(sample)
    }
}
