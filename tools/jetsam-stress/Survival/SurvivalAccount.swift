internal import Jetsam
internal import MemoryPressure

/// What was released in a run, needed and wasted, by looks from outside: the group's headroom and the servers' own samples.
struct SurvivalAccount {
    /// One look at the group.
    struct Look: Equatable {
        var instant: MonotonicInstant
        var limitBytes: Int
        var headroomBytes: Int
    }

    /// A server counts a release when it is over, at most so long after its cache became smaller.
    private static let reach = Duration.milliseconds(500)

    let figures: ReleaseAccount.Figures

    init(_ looks: [Look], _ servers: [ServerSamples]) {
        var account = ReleaseAccount()
        var recent: [ReleaseAccount.Sample] = []
        var released = 0
        for look in looks {
            let parts = servers.map { $0.at(look.instant) }
            let sample = ReleaseAccount.Sample(
                instant: look.instant, limitBytes: look.limitBytes, headroomBytes: look.headroomBytes,
                cacheBytes: parts.reduce(0) { $0 + $1.cacheBytes },
                refetchedBytes: parts.reduce(0) { $0 + $1.refetchedBytes })
            let now = parts.reduce(0) { $0 + $1.releasedBytes }
            recent.removeAll { $0.instant.advanced(by: Self.reach) < look.instant }
            if now > released {
                // Before the release the caches were largest.
                let before = recent.max { $0.cacheBytes < $1.cacheBytes } ?? sample
                account.add(releasedBytes: now - released, before: before, after: sample)
                released = now
                recent = []
            } else {
                account.look(at: sample)
            }
            recent.append(sample)
        }
        figures = account.total
    }
}
