package import MemoryPressure
internal import PurgeableCaches

/// The rise of limits at `normal`: they rise by a share of the spare headroom a second, so that usage nears the edge and never
/// saws.
///
/// If the level rises again soon after the limits did, the limits came too close for how memory comes and goes beside the caches.
/// The distance that is kept from the edge is then doubled. It is halved again after a time in which that did not happen.
package struct Regrowth {
    private var configuration: ManagerConfiguration.Reclaim
    private var last: MonotonicInstant?
    /// The share of the way from warning's entry to its exit that is kept free, in percent.
    private(set) var floorPercent: Int
    private var lastRaise: MonotonicInstant?
    /// The time when the level was last above normal because tasks waited.
    private var lastStall: MonotonicInstant?
    /// The time since which the level has been normal; nil while it is not.
    private var normalSince: MonotonicInstant?

    package static let interval = Duration.seconds(1)
    /// Above this percent of headroom limits that hold nobody back are lifted.
    static let liftPercent = 50
    /// Growth of unmanaged memory for this long is kept free.
    private static let reserveSeconds = 10
    /// A level that rises within this time of the last raise came from it.
    private static let tooSoon = Duration.seconds(120)
    /// For so long after tasks had waited for memory limits stay: headroom does not say how much of it they need.
    private static let afterStall = Duration.seconds(30)
    /// After so long without that the distance is halved.
    private static let calm = Duration.seconds(600)
    /// A smaller cache counts as this part of the mean: one that had to give everything is to grow again beside those that have much.
    private static let leastShare = 0.125

    package struct Decision: Equatable {
        /// The bytes by which limits may rise in all.
        package var bytes: Int
        /// Indicates whether limits that hold nobody back may be lifted. Limits that do hold a cache back only rise, because a
        /// cache that may have all of the room at once takes it at once.
        package var mayLift = false
    }

    /// The change of the limits.
    package enum Change: Equatable {
        /// Caches without a limit get one: what they have, and a share of these bytes. A limit of the process is about to be set, or
        /// their own growth would soon lead to a warning.
        case hold(bytes: Int)
        case lift
        case raise(bytes: Int)
    }

    package init(configuration: ManagerConfiguration.Reclaim) {
        self.configuration = configuration
        floorPercent = configuration.regrowthFloorPercent
    }

    /// The distance that was learnt is kept, unless a larger one is configured.
    package mutating func reconfigure(_ configuration: ManagerConfiguration.Reclaim) {
        let isLearnt = floorPercent > self.configuration.regrowthFloorPercent
        floorPercent =
            isLearnt ? max(floorPercent, configuration.regrowthFloorPercent) : configuration.regrowthFloorPercent
        self.configuration = configuration
    }

    /// - Parameters:
    ///   - required: Bytes of headroom that growth needs now.
    ///   - isStalled: The level was raised because tasks waited for memory.
    ///   - rise: The bytes by which unmanaged memory rose within ten seconds at most: it may again.
    package mutating func next(
        reading: MemoryReading, thresholds: HeadroomThresholds, level: PressureLevel, growthRate: Int?,
        required: Int = 0, rise: Int = 0, isStalled: Bool = false
    ) -> Decision? {
        if isStalled, level > .normal { lastStall = reading.instant }
        guard noteLevel(level, at: reading.instant) else {
            last = reading.instant
            return nil
        }
        if let last, last.duration(to: reading.instant) < Self.interval { return nil }
        last = reading.instant
        if let lastStall, lastStall.duration(to: reading.instant) < Self.afterStall { return nil }
        let floor = max(thresholds.regrowthFloor(percent: floorPercent), required)
        let growth = (growthRate ?? 0).multipliedReportingOverflow(by: Self.reserveSeconds)
        let reserve = max(growth.overflow ? .max : growth.partialValue, rise)
        let spare = reading.headroomBytes.subtractingSaturating(floor).subtractingSaturating(reserve)
        let bytes = spare / 100 * configuration.regrowthPercent
        guard bytes > 0 else { return nil }
        lastRaise = reading.instant
        return Decision(
            bytes: bytes, mayLift: reading.headroomBytes / Self.liftPercent >= reading.limitBytes / 100)
    }

    /// Takes the level. Returns whether it is normal.
    private mutating func noteLevel(_ level: PressureLevel, at now: MonotonicInstant) -> Bool {
        guard level == .normal else {
            if normalSince != nil, let lastRaise, lastRaise.duration(to: now) < Self.tooSoon {
                floorPercent = min(100, max(1, floorPercent * 2))
            }
            normalSince = nil
            return false
        }
        let since = normalSince ?? now
        normalSince = since
        if since.duration(to: now) >= Self.calm {
            floorPercent = max(configuration.regrowthFloorPercent, floorPercent / 2)
            normalSince = now
        }
        return true
    }

    /// New limits that share `bytes` by size among the full caches of the highest priority that has any.
    package static func limits(_ clients: [ClientFacts], bytes: Int) -> [(id: UInt64, limitBytes: Int)] {
        // One that has not filled its limit has room already; raising it too would promise the same headroom twice.
        let waiting = clients.filter { $0.isFull && !$0.isBusy }
        guard let band = waiting.map(\.priority).max() else { return [] }
        let full = waiting.filter { $0.priority == band }
        return zip(full, shares(of: bytes, full)).compactMap { client, share in
            guard let limit = client.limitBytes else { return nil }
            // A limit frees nothing: one that was set below what the cache held on to stands for that.
            let raised = max(limit, client.bytes).addingSaturating(share)
            return raised == limit ? nil : (client.id, raised)
        }
    }

    /// Divides bytes among caches by their sizes.
    private static func shares(of bytes: Int, _ clients: [ClientFacts]) -> [Int] {
        let mean = clients.reduce(0.0) { $0 + Double(max(0, $1.bytes)) } / Double(max(1, clients.count))
        let weights = clients.map { max(1, mean * leastShare, Double($0.bytes)) }
        let total = weights.reduce(0, +)
        return weights.map { Int(saturating: Double(bytes) * $0 / total) }
    }

    /// Limits for those that have none.
    private static func firstLimits(_ clients: [ClientFacts], bytes: Int) -> [(id: UInt64, limit: LimitChange)] {
        let free = clients.filter { $0.limitBytes == nil && !$0.isBusy }
        return zip(free, shares(of: max(0, bytes), free)).map { client, share in
            (client.id, .set(bytes: max(0, client.bytes).addingSaturating(share)))
        }
    }

    /// Returns the change that a decision comes to: it depends on which caches are full.
    package static func change(_ decision: Decision, for facts: [ClientFacts]) -> Change {
        decision.mayLift && !facts.contains(where: \.isFull) ? .lift : .raise(bytes: decision.bytes)
    }

    /// The new limits of those that get one.
    package static func plan(_ change: Change, for facts: [ClientFacts]) -> [PlannedRelease] {
        let changes: [(id: UInt64, limit: LimitChange)] =
            switch change {
            case .hold(let bytes): firstLimits(facts, bytes: bytes)
            case .lift: facts.compactMap { $0.limitBytes == nil || $0.isBusy ? nil : ($0.id, .lift) }
            case .raise(let bytes): limits(facts, bytes: bytes).map { ($0.id, .set(bytes: $0.limitBytes)) }
            }
        let asynchronous = Set(facts.filter { $0.traits.contains(.asynchronous) }.map(\.id))
        return changes.map { change in
            PlannedRelease(
                id: change.id, askBytes: 0, limit: change.limit, isAsynchronous: asynchronous.contains(change.id),
                canBeAsked: false)
        }
    }
}
