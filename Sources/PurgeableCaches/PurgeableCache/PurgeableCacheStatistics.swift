/// The contents of a ``PurgeableCache`` and the results of the calls to it, since it was made.
public struct PurgeableCacheStatistics: Sendable, Hashable {
    /// Lookups that found a value.
    public var hits = 0
    /// Lookups that found none, or one that had expired.
    public var misses = 0
    /// Values that made room for others or were given back.
    public var evictions = 0
    /// Values whose time to live had run out when they were met.
    public var expirations = 0
    /// Calls of a `load` closure.
    public var loads = 0
    /// Values now.
    public var entries = 0
    /// Sum of the costs of the values, in bytes.
    public var costBytes = 0
    /// The bytes that the cache reports to its registry: the costs, and the memory that the entries themselves take.
    public var reportedBytes = 0
    /// Bytes that releases gave up and that were put in again within ten seconds, in the measure of ``reportedBytes``: what
    /// those entries took when they were given up. If a release gives up more than about a thousand entries, this is an
    /// estimate from samples of their keys' hashes. Its error is about 4 % if entries are of similar sizes.
    public var refetchedBytes = 0

    package init() {}

    /// The share of lookups that found a value, 0…1; 0 where there was none.
    package var hitRate: Double {
        hits + misses == 0 ? 0 : Double(hits) / Double(hits + misses)
    }
}
