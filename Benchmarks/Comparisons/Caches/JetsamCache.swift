import Jetsam

/// `PurgeableCache`, in a registry of its own.
struct JetsamCache: Contender {
    /// So much each that what the cache itself needs would make no difference to how many fit.
    private static let cost = 1 << 20

    private let cache: PurgeableCache<Int, Int>

    init(capacity: Int?, keys: Int) {
        cache = PurgeableCache(name: "bench", limit: capacity.map { $0 * Self.cost }, registry: CacheRegistry())
    }

    @inline(__always)
    func find(_ key: Int) -> Int? { cache.value(for: key) }

    func put(_ key: Int) {
        cache.insert(key, for: key, cost: Self.cost)
    }
}
