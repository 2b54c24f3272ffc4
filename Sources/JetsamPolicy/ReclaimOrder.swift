internal import MemoryPressure
package import PurgeableCaches

/// The facts about one registered cache that the order of reclaim uses.
package struct ClientFacts: Equatable {
    package var id: UInt64
    package var priority: ResourcePriority
    package var traits: CacheTraits
    /// The cost of rebuilding one byte; nil where the cache does not say.
    package var rebuildCost: Double?
    /// Bytes that the cache reports.
    package var bytes: Int
    /// The limit that is set, in bytes; nil where none is.
    package var limitBytes: Int?
    /// Indicates whether the ledger knows that the cache gives nothing.
    package var givesNothing = false
    /// Indicates whether an ineffective purge holds the cache off for now.
    package var isHeldOff = false
    /// Indicates whether a call of its handler has not come back yet.
    package var isBusy = false
    /// The speed at which it gave.
    package var speed = ReleaseSpeed()
    /// The share of the bytes asked for that is expected to come back as memory, by the ledger. 0…1.
    package var expectedShare = 1.0
    /// Indicates whether the cache has turned entries away for its limit since limits were last looked at. Only caches of bytes
    /// say so: a cache of only a few segments may never be nearly full.
    package var turnsAway = false
    /// Bytes that it keeps in a step at `warning`: a part of what it had before memory became short.
    package var keptBytes = 0

    package init(
        id: UInt64, priority: ResourcePriority, traits: CacheTraits, rebuildCost: Double? = nil, bytes: Int,
        limitBytes: Int? = nil, givesNothing: Bool = false, isHeldOff: Bool = false, isBusy: Bool = false,
        speed: ReleaseSpeed = ReleaseSpeed(), expectedShare: Double = 1.0, turnsAway: Bool = false, keptBytes: Int = 0
    ) {
        self.id = id
        self.priority = priority
        self.traits = traits
        self.rebuildCost = rebuildCost
        self.bytes = bytes
        self.limitBytes = limitBytes
        self.givesNothing = givesNothing
        self.isHeldOff = isHeldOff
        self.isBusy = isBusy
        self.speed = speed
        self.expectedShare = expectedShare
        self.turnsAway = turnsAway
        self.keptBytes = keptBytes
    }

    /// Indicates whether its limit holds it back.
    package var isFull: Bool { limitBytes.map { turnsAway || bytes >= $0 - $0 / 8 } ?? false }
    /// Bytes that a step may ask for.
    var askableBytes: Int { max(0, bytes.subtractingSaturating(keptBytes)) }
    /// Indicates whether it may be asked in a step.
    var canBeAsked: Bool { !isBusy && !isHeldOff }

    /// The bytes that may be expected of it. A cache that gave little back still counts for something.
    package var expectedBytes: Double { Double(max(0, bytes)) * max(0.01, expectedShare) }
}

/// One cache's part in a step.
package struct PlannedRelease: Equatable {
    package var id: UInt64
    /// Bytes to ask for; 0 where the cache only gets a limit.
    package var askBytes: Int
    package var limit: LimitChange
    package var isAsynchronous: Bool
    /// Indicates whether its memory is the library's own: it gives on a thread of its own, beside the others.
    var ownsSegments = false
    /// Indicates whether it may be asked at all in this step, also for what those before it did not give.
    var canBeAsked: Bool
    /// Indicates whether it is still at work for an earlier step, and may be asked once it has come back.
    var isAwaitedBack = false
    /// The speed at which it gave.
    package var speed = ReleaseSpeed()
    /// Bytes that it keeps whatever the others give.
    package var keptBytes = 0
    /// Indicates whether the ledger knows that the cache gives nothing. The bytes that it promises are then asked of the others
    /// as well.
    package var givesNothing = false
    /// The cache's limit once ``limit`` is carried out; `.max` where it has none.
    package var limitBytes = Int.max
    /// The place of its rank in the order: caches of one rank share what is asked of it.
    var rank = 0

    /// Indicates whether it is asked for nothing before its turn has come. It ranks behind a cache that is known to give nothing, and is
    /// asked only for what that one is not seen to give.
    var waitsForTurn = false

    /// Indicates whether it gets its limit at the beginning, and answers while others are asked.
    var isStarted: Bool { isAsynchronous || ownsSegments }
    /// Indicates whether it is asked at the beginning.
    var isAskedAtOnce: Bool { isStarted && !waitsForTurn }
}

/// The change of a cache's limit.
package enum LimitChange: Equatable {
    /// It stays as it is.
    case keep
    /// The cache may hold so many bytes.
    case set(bytes: Int)
    /// The cache has no limit again.
    case lift

    /// The limit that is set; nil where none is.
    package var bytes: Int? { if case .set(let bytes) = self { bytes } else { nil } }
}

/// The order in which caches are asked, and the bytes that each is asked for.
package enum ReclaimOrder {
    /// Those of one rank share what is asked of it.
    private struct Rank: Comparable {
        /// Those known to give nothing come after the rest, and lossy ones after those: asking them costs what cannot be made
        /// again.
        var isLast: Int
        var priority: ResourcePriority
        var cost: Double
        /// One that pages memory in to give some of it comes after those that do not.
        var isTraversal: Int

        init(_ client: ClientFacts) {
            isLast = (client.traits.contains(.lossy) ? 2 : 0) + (client.givesNothing ? 1 : 0)
            priority = client.priority
            cost = client.rebuildCost ?? 1
            isTraversal = client.traits.contains(.traversal) ? 1 : 0
        }

        static func < (first: Rank, second: Rank) -> Bool {
            (first.isLast, first.priority, first.cost, first.isTraversal)
                < (second.isLast, second.priority, second.cost, second.isTraversal)
        }
    }

    /// By priority, then the cheapest to rebuild, then the cache that is expected to give most.
    package static func sorted(_ clients: [ClientFacts]) -> [ClientFacts] {
        clients.sorted { first, second in
            let ranks = (Rank(first), Rank(second))
            if ranks.0 != ranks.1 { return ranks.0 < ranks.1 }
            if first.expectedBytes != second.expectedBytes { return first.expectedBytes > second.expectedBytes }
            if first.bytes != second.bytes { return first.bytes > second.bytes }
            return first.id < second.id
        }
    }

    /// The parts of a step, in order, and a limit for everybody at what is then left.
    ///
    /// `targetBytes` are taken rank by rank; within a rank each gives in proportion to what may be expected of it, so that none
    /// is emptied for the others. The bytes asked of caches that are known to give nothing are asked of the later ones too.
    ///
    /// - Parameter timeLeft: The time until memory is at the limit. What caches cannot give by then is asked of the later ones too; nil where
    ///   there is time for all of it.
    package static func plan(
        _ clients: [ClientFacts], targetBytes: Int, within timeLeft: Duration? = nil
    ) -> [PlannedRelease] {
        let order = sorted(clients)
        let asks = asks(order, targetBytes: targetBytes, within: timeLeft)
        var rank = 0
        return order.indices.map { index in
            let client = order[index]
            if index > 0, Rank(client) != Rank(order[index - 1]) { rank += 1 }
            let limit = max(0, client.bytes - asks[index])
            let isLower = client.limitBytes.map { limit < $0 } ?? true
            return PlannedRelease(
                id: client.id, askBytes: asks[index], limit: isLower && !client.isBusy ? .set(bytes: limit) : .keep,
                isAsynchronous: client.traits.contains(.asynchronous),
                ownsSegments: client.traits.contains(.segments), canBeAsked: client.canBeAsked,
                isAwaitedBack: client.isBusy && !client.isHeldOff, speed: client.speed, keptBytes: client.keptBytes,
                givesNothing: client.givesNothing,
                limitBytes: isLower && !client.isBusy ? limit : client.limitBytes ?? .max, rank: rank)
        }
    }

    /// The same for a call of the application's: it frees, and holds nobody down afterwards.
    package static func planForRequest(_ clients: [ClientFacts], targetBytes: Int) -> [PlannedRelease] {
        plan(clients, targetBytes: targetBytes).map { part in
            var part = part
            part.limit = .keep
            return part
        }
    }

    private static func asks(_ order: [ClientFacts], targetBytes: Int, within timeLeft: Duration?) -> [Int] {
        var asks = [Int](repeating: 0, count: order.count)
        var remaining = targetBytes
        var start = 0
        while start < order.count, remaining > 0 {
            let rank = Rank(order[start])
            let end = order[start...].firstIndex { Rank($0) != rank } ?? order.count
            let asked = divide(remaining, among: order[start..<end], &asks)
            if !order[start].givesNothing {
                remaining -= timeLeft.map { hurry(order[start..<end], &asks, within: $0) } ?? asked
            }
            start = end
        }
        return asks
    }

    /// Has the fast caches of a rank asked for what the slow ones cannot give within a time.
    ///
    /// - Returns: The bytes that they give by then, of what they are asked for.
    private static func hurry(_ rank: ArraySlice<ClientFacts>, _ asks: inout [Int], within timeLeft: Duration) -> Int {
        var (inTime, late) = (0, 0)
        let most = rank.map { client in
            client.speed.bytes(within: timeLeft, assuming: ReleaseProgress.assumedRate(client.traits))
        }
        for (index, most) in zip(rank.indices, most) {
            inTime = inTime.addingSaturating(min(asks[index], most))
            late = late.addingSaturating(max(0, asks[index] - most))
        }
        for (index, most) in zip(rank.indices, most) where rank[index].canBeAsked {
            let more = min(late, max(0, min(most, rank[index].askableBytes) - asks[index]))
            asks[index] += more
            inTime = inTime.addingSaturating(more)
            late -= more
        }
        return inTime
    }

    /// Divides up to `amount` and gives how much of it could be asked for.
    private static func divide(_ amount: Int, among rank: ArraySlice<ClientFacts>, _ asks: inout [Int]) -> Int {
        var open = rank.indices.filter { rank[$0].canBeAsked && rank[$0].askableBytes > 0 }
        var rest = amount
        while !open.isEmpty, rest > 0 {
            let total = open.reduce(0.0) { $0 + rank[$1].expectedBytes }
            // Those of whom more would be asked than they have give it all, and the others the more.
            let full = open.filter { Double(rest) * rank[$0].expectedBytes >= Double(rank[$0].askableBytes) * total }
            guard full.isEmpty else {
                for index in full {
                    asks[index] = min(rank[index].askableBytes, rest)
                    rest -= asks[index]
                }
                open.removeAll { full.contains($0) }
                continue
            }
            for index in open {
                asks[index] = min(rest, Int(saturating: Double(rest) * rank[index].expectedBytes / total))
            }
            rest = max(0, open.reduce(rest) { $0 - asks[$1] })
            // What rounding left.
            for index in open {
                let more = min(rest, rank[index].askableBytes - asks[index])
                asks[index] += more
                rest -= more
            }
            open = []
        }
        return amount - rest
    }
}
