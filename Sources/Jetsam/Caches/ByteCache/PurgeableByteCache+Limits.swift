internal import Synchronization

extension PurgeableByteCache {
    /// Bytes of segments that it may hold at most, by its own limit and the manager's; nil for none. It stops growing there,
    /// and makes room for new values by evicting old ones.
    public var limit: Int? {
        let (own, manager) = (ownLimit.load(ordering: .relaxed), managerLimit.load(ordering: .relaxed))
        if own < 0 { return manager < 0 ? nil : manager }
        return manager < 0 ? own : min(own, manager)
    }

    /// Changes its own limit; nil for none. Frees nothing: a cache that is larger stays so until it is released.
    public func setLimit(bytes: Int?) {
        ownLimit.store(bytes.map { max(0, $0) } ?? -1, ordering: .relaxed)
        applyLimits()
    }

    func setManagerLimit(_ bytes: Int?) {
        managerLimit.store(bytes.map { max(0, $0) } ?? -1, ordering: .relaxed)
        applyLimits()
    }

    func applyLimits() {
        let share = limit.map { $0 / sizes.shardCount } ?? .max
        for index in 0..<sizes.shardCount { shard(index).withLock { $0.limit = share } }
    }
}
