extension PurgeableCache {
    /// Values now. While others put in and take out it is of no single instant.
    package var count: Int { table.sum { $0.count } }

    /// Sum of the costs of the values now, in bytes.
    package var totalCost: Int { table.sum { $0.cost } }

    /// Bytes of cost that the cache never exceeds; nil for what memory allows.
    ///
    /// Lowering it evicts what is too much before the call returns.
    public var limit: Int? {
        get { table.budget.limit == .max ? nil : table.budget.limit }
        set {
            table.budget.limit = newValue ?? .max
            table.evictExcess()
            report()
        }
    }

    /// Gives back at least so many bytes, if there are as many: costs, and what the entries themselves take.
    ///
    /// The least valuable entries go first. Values that are still in use are counted, although their memory comes back later.
    ///
    /// - Returns: The bytes that were given, in the measure of what the cache reports.
    @inlinable
    @discardableResult
    public func release(bytes: Int) -> Int {
        let given = table.release(bytes: bytes)
        reportAll()
        return given
    }

    @usableFromInline
    func reportAll() { registration.update(bytes: table.budget.bytes) }

    /// The contents of the cache and the results of the calls to it. While others use the cache, the figures are not of one
    /// single instant.
    public var statistics: PurgeableCacheStatistics {
        var statistics = PurgeableCacheStatistics()
        table.forEachShard { shard in
            statistics.hits += shard.hits
            statistics.misses += shard.misses
            statistics.evictions += shard.evictions
            statistics.expirations += shard.expirations
            statistics.entries += shard.count
            statistics.costBytes += shard.cost
        }
        statistics.loads = table.budget.loadCount
        statistics.reportedBytes = table.budget.bytes
        statistics.refetchedBytes = table.ghosts.refetched.total
        return statistics
    }
}
