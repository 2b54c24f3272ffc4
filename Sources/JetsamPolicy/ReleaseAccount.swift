package import MemoryPressure
internal import PurgeableCaches

/// Counts what releases of caches brought, how much of it was needed, and how much was wasted, episode by episode.
///
/// An episode lasts from the first release until ten seconds have passed without another one. Two figures come of it:
/// - *Needed*: the bytes that had to be released once, at the start of the episode, to keep ``reserveBytes(limitBytes:)`` free
///   all the time, for someone who knows how all other memory will grow. Growth of caches needs no release: a limit stops it.
/// - *Wasted*: the smaller one of two. The bytes that were fetched again within ten seconds of a release. And the bytes that
///   stayed free beyond 1.25 × the reserve when memory was shortest in the episode. Growth of caches since a release counts as
///   free there, and so do the bytes of a later release: the episode as a whole took too much, or not.
///
/// The reserve does not follow the configuration, so that figures of different configurations can be compared.
package struct ReleaseAccount: Equatable, Sendable {
    /// The time in which a release can still turn out to be wasted, and in which an episode outlasts its last release.
    package static let window = RefetchedBytes.window

    /// The bytes that a release is meant to keep free: 20 % of the limit, at least 48 MiB where the limit is 128 MiB or more, and at most
    /// 2 GiB.
    package static func reserveBytes(limitBytes: Int) -> Int {
        HeadroomThresholds(limitBytes: limitBytes, warning: reserve).warningEntry
    }

    // Written down here: whoever changes where warnings begin must not change what figures are compared by.
    private static let reserve = HeadroomThresholds.Entry(percent: 20, minimum: 48 << 20, maximum: 2 << 30)

    /// One look at the memory.
    package struct Sample: Equatable, Sendable {
        package var instant: MonotonicInstant
        package var limitBytes: Int
        package var headroomBytes: Int
        /// Bytes that all caches hold together.
        package var cacheBytes: Int
        /// Bytes that were fetched again after a release, in all since the start.
        package var refetchedBytes: Int

        package init(
            instant: MonotonicInstant, limitBytes: Int, headroomBytes: Int, cacheBytes: Int, refetchedBytes: Int
        ) {
            self.instant = instant
            self.limitBytes = limitBytes
            self.headroomBytes = headroomBytes
            self.cacheBytes = cacheBytes
            self.refetchedBytes = refetchedBytes
        }

        /// What a reading shows of the limit that lacks most of its reserve: the hard one, `memory.high`, or the process's own budget.
        package init(
            _ reading: MemoryReading, at instant: MonotonicInstant, budget: ManagerConfiguration.FootprintRule?,
            cacheBytes: Int, refetchedBytes: Int
        ) {
            self.init(
                instant: instant, limitBytes: reading.limitBytes, headroomBytes: reading.headroomBytes,
                cacheBytes: cacheBytes, refetchedBytes: refetchedBytes)
            if let budget = budget?.budgetBytes {
                yield(to: budget, budget.subtractingSaturating(reading.footprintBytes))
            }
            if let high = reading.highBytes, let distance = reading.distanceToHighBytes { yield(to: high, distance) }
        }

        /// Takes another limit, with what is left to it, if that lacks more of its reserve. No closure: that would allocate where
        /// nothing is optimised.
        private mutating func yield(to limit: Int, _ headroom: Int) {
            guard Self.lacking(limit, headroom) > Self.lacking(limitBytes, headroomBytes) else { return }
            (limitBytes, headroomBytes) = (limit, headroom)
        }

        private static func lacking(_ limit: Int, _ headroom: Int) -> Int {
            ReleaseAccount.reserveBytes(limitBytes: limit).subtractingSaturating(headroom)
        }
    }

    /// The figures of one episode, or the sums of several.
    package struct Figures: Equatable, Sendable {
        /// The number of episodes that it counts.
        package var episodes = 0
        /// Bytes that came back.
        package var releasedBytes = 0
        package var refetchedBytes = 0
        package var neededBytes = 0
        package var wastedBytes = 0

        package init() {}

        /// Wasted bytes as a part of the released ones, from 0 to 1; 0 where nothing was released.
        package var wastedShare: Double {
            releasedBytes > 0 ? Double(wastedBytes) / Double(releasedBytes) : 0
        }

        package mutating func add(_ other: Figures) {
            episodes += other.episodes
            releasedBytes = releasedBytes.addingSaturating(other.releasedBytes)
            refetchedBytes = refetchedBytes.addingSaturating(other.refetchedBytes)
            neededBytes = neededBytes.addingSaturating(other.neededBytes)
            wastedBytes = wastedBytes.addingSaturating(other.wastedBytes)
        }
    }

    /// The episode that is under way.
    private struct Episode: Equatable, Sendable {
        /// The bytes that the caches held before its first release.
        var firstCacheBytes: Int
        /// The bytes that had been fetched again before its first release.
        var firstRefetchedBytes: Int
        var lastRelease: MonotonicInstant
        var releasedBytes: Int
        /// The bytes that the caches had left after the last release.
        var leftBytes: Int
        /// The bytes that they grew between releases.
        var grownBytes = 0
        var refetchedBytes = 0
        var neededBytes = 0
        /// The least that was free beyond 1.25 × the reserve, had all releases come at once; nil before the first has ended.
        var leastExcessBytes: Int?

        var figures: Figures {
            var figures = Figures()
            figures.episodes = 1
            figures.releasedBytes = releasedBytes
            figures.refetchedBytes = refetchedBytes
            figures.neededBytes = neededBytes
            figures.wastedBytes = min(releasedBytes, refetchedBytes, max(0, leastExcessBytes ?? 0))
            return figures
        }

        func isOver(at now: MonotonicInstant) -> Bool {
            lastRelease.duration(to: now) > ReleaseAccount.window
        }

        mutating func look(at sample: Sample) {
            refetchedBytes = max(refetchedBytes, sample.refetchedBytes.subtractingSaturating(firstRefetchedBytes))
            noteNeed(sample)
            let reserve = ReleaseAccount.reserveBytes(limitBytes: sample.limitBytes)
            let grown = grownBytes.addingSaturating(max(0, sample.cacheBytes.subtractingSaturating(leftBytes)))
            let free = sample.headroomBytes.subtractingSaturating(reserve.addingSaturating(reserve / 4))
            let excess = free.addingSaturating(grown)
            leastExcessBytes = min(leastExcessBytes ?? excess, excess)
        }

        /// All memory but the caches' takes limit − headroom − caches. With that knowledge the caches could have kept the rest,
        /// less the reserve.
        mutating func noteNeed(_ sample: Sample) {
            let reserve = ReleaseAccount.reserveBytes(limitBytes: sample.limitBytes)
            let missing = reserve.subtractingSaturating(sample.headroomBytes)
                .addingSaturating(firstCacheBytes.subtractingSaturating(sample.cacheBytes))
            neededBytes = max(neededBytes, min(missing, firstCacheBytes))
        }

        /// A release has ended.
        mutating func add(_ bytes: Int, before: Sample, after: Sample) {
            noteNeed(before)
            grownBytes = grownBytes.addingSaturating(max(0, before.cacheBytes.subtractingSaturating(leftBytes)))
            releasedBytes = releasedBytes.addingSaturating(bytes)
            // Memory was short before it came. Its bytes were needed then, like those that were released earlier.
            let fall = max(0, before.cacheBytes.subtractingSaturating(after.cacheBytes))
            leastExcessBytes = leastExcessBytes.map { $0.addingSaturating(fall) }
            lastRelease = after.instant
            leftBytes = after.cacheBytes
            look(at: after)
        }
    }

    /// The sums over all episodes that are over.
    package private(set) var finished = Figures()
    private var episode: Episode?

    package init() {}

    /// The sums over all episodes, the one that is under way included.
    package var total: Figures {
        var total = finished
        if let episode { total.add(episode.figures) }
        return total
    }

    /// The episode that is under way; nil between two.
    package var current: Figures? { episode?.figures }

    /// Counts a release that has ended.
    ///
    /// - Parameters:
    ///   - bytes: The bytes that came back.
    ///   - before: The last look before it began.
    ///   - after: A look at its end.
    /// - Returns: The episode that ended before this release began, where one did.
    @discardableResult
    package mutating func add(releasedBytes bytes: Int, before: Sample, after: Sample) -> Figures? {
        let ended = look(at: before)
        guard bytes > 0 else {
            let endedSince = look(at: after)
            return ended ?? endedSince
        }
        var current =
            episode
            ?? Episode(
                firstCacheBytes: before.cacheBytes, firstRefetchedBytes: before.refetchedBytes,
                lastRelease: after.instant, releasedBytes: 0, leftBytes: before.cacheBytes)
        current.add(bytes, before: before, after: after)
        episode = current
        return ended
    }

    /// Looks at the memory. Not to be called while a release is under way: what caches have given is not free yet then, and would count
    /// as needed.
    ///
    /// - Returns: The episode that this look shows to be over, where it does.
    @discardableResult
    package mutating func look(at sample: Sample) -> Figures? {
        guard var current = episode else { return nil }
        guard !current.isOver(at: sample.instant) else { return end() }
        current.look(at: sample)
        episode = current
        return nil
    }

    /// Ends the episode that is under way.
    @discardableResult
    package mutating func end() -> Figures? {
        guard let figures = episode?.figures else { return nil }
        episode = nil
        finished.add(figures)
        return figures
    }
}
