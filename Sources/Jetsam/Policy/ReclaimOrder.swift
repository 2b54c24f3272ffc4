/// What the order of reclaim knows of one registered cache.
struct ClientFacts: Equatable {
    var id: UInt64
    var priority: CachePriority
    var traits: CacheTraits
    /// What a byte costs to make again; nil where the cache does not say.
    var rebuildCost: Double?
    /// Bytes that the cache reports.
    var bytes: Int
    /// The limit that is set, in bytes; nil where none is.
    var limitBytes: Int?
    /// Whether the ledger knows it to give nothing.
    var givesNothing = false
    /// Whether an ineffective purge holds it off for now.
    var isHeldOff = false
    /// Whether a call of its handler has not come back yet.
    var isBusy = false
}

/// One cache's part in a step.
struct PlannedRelease: Equatable {
    var id: UInt64
    /// Bytes to ask for; 0 where the cache only gets a limit.
    var askBytes: Int
    var limit: LimitChange
    var isAsynchronous: Bool
    /// Whether it may be asked at all in this step, also for what those before it did not give.
    var canBeAsked: Bool
}

/// What becomes of a cache's limit.
enum LimitChange: Equatable {
    /// It stays as it is.
    case keep
    /// The cache may hold so many bytes.
    case set(bytes: Int)
    /// The cache has no limit again.
    case lift
}

/// Who is asked first, and for how much.
enum ReclaimOrder {
    /// By band, then cheapest to make again, then most to give. Those known to give nothing come after the rest, and
    /// lossy ones after those: asking them costs what cannot be made again.
    static func sorted(_ clients: [ClientFacts]) -> [ClientFacts] {
        func rank(_ client: ClientFacts) -> Int {
            client.traits.contains(.lossy) ? 2 : client.givesNothing ? 1 : 0
        }
        return clients.sorted { first, second in
            if rank(first) != rank(second) { return rank(first) < rank(second) }
            if first.priority != second.priority { return first.priority < second.priority }
            let costs = (first.rebuildCost ?? 1, second.rebuildCost ?? 1)
            if costs.0 != costs.1 { return costs.0 < costs.1 }
            if first.bytes != second.bytes { return first.bytes > second.bytes }
            return first.id < second.id
        }
    }

    /// The parts of a step, in order: `targetBytes` taken greedily, and a limit for everybody at what is then left.
    static func plan(_ clients: [ClientFacts], targetBytes: Int) -> [PlannedRelease] {
        var remaining = targetBytes
        return sorted(clients).map { client in
            let canBeAsked = !client.isBusy && !client.isHeldOff
            let ask = canBeAsked ? max(0, min(client.bytes, remaining)) : 0
            remaining -= ask
            let limit = max(0, client.bytes - ask)
            let isLower = client.limitBytes.map { limit < $0 } ?? true
            return PlannedRelease(
                id: client.id, askBytes: ask, limit: isLower && !client.isBusy ? .set(bytes: limit) : .keep,
                isAsynchronous: client.traits.contains(.asynchronous),
                canBeAsked: canBeAsked)
        }
    }
}
