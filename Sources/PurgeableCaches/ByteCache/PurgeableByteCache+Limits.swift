internal import Synchronization

extension PurgeableByteCache {
    /// Bytes of segments and index that it may hold at most, by its own limit and the manager's; nil for none. It stops growing there,
    /// and makes room for new values by evicting old ones.
    ///
    /// Setting it changes its own limit; nil for none. That frees nothing: a cache that is larger stays so until it is released.
    public var limit: Int? {
        get {
            let (own, manager) = (ownLimit.load(ordering: .relaxed), managerLimit.load(ordering: .relaxed))
            if own < 0 { return manager < 0 ? nil : manager }
            return manager < 0 ? own : min(own, manager)
        }
        set {
            ownLimit.store(newValue.map { max(0, $0) } ?? -1, ordering: .relaxed)
            applyLimits()
        }
    }

    func setManagerLimit(_ bytes: Int?) {
        managerLimit.store(bytes.map { max(0, $0) } ?? -1, ordering: .relaxed)
        applyLimits()
    }

    /// Gives each shard its part of the limit: what it has, scaled down where that is more in all, and an equal part of what is
    /// left. With equal parts of the whole, those that have less would grow while those that have more stay as they are, and
    /// the cache would grow where it was told to stop.
    func applyLimits() {
        let limit = limit
        let held = (0..<sizes.shardCount).map { index in
            limit == nil ? 0 : shard(index).withLock { $0.heldBytes }
        }
        let shares = limit.map { Self.shares(of: $0, held: held) }
        for index in 0..<sizes.shardCount {
            shard(index).withLock { $0.limit = shares?[index] ?? .max }
        }
    }

    /// - Parameter held: The bytes that each has now.
    /// - Returns: As many, which are never more than the limit in all.
    static func shares(of limit: Int, held: [Int]) -> [Int] {
        let sum = held.reduce(0, +)
        if sum >= limit {
            let scale = Double(limit) / Double(max(1, sum))
            return held.map { Int(Double($0) * scale) }
        }
        return held.map { $0 + (limit - sum) / held.count }
    }
}
