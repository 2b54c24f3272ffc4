/// The contents of a ``PurgeableByteCache``, and the results of the calls to it.
///
/// The parts of a cache are read one after another, so the figures of one value are not of exactly the same instant. All of them
/// count from the cache's beginning unless they say that they are of now.
public struct ByteCacheStatistics: Sendable, Equatable {
    /// Lookups that found a value.
    public var hits = 0
    /// Lookups that found none, those that found an expired one included.
    public var misses = 0
    /// Values that were taken in.
    public var insertions = 0
    /// Values that were not taken in: too large, no memory to be had, or no segment that could be evicted.
    public var refusals = 0
    /// Values that went to make room for others, or were given back; neither removed nor expired nor replaced ones.
    public var evictions = 0
    /// Values that were found to be past their time.
    public var expirations = 0
    /// Values now.
    public var entries = 0
    /// Bytes of the keys and values that are there now, headers included.
    public var liveBytes = 0
    /// Bytes of segments that are resident now, as far as the cache has touched them.
    public var residentBytes = 0
    /// Bytes of the index now.
    public var indexBytes = 0
    /// Bytes that are gone from the cache now and go back as soon as the bodies that still read them return.
    public var deferredBytes = 0
    /// Bytes that were given back to the kernel.
    public var releasedBytes = 0
    /// Bytes that releases gave up and that were put in again within ten seconds: what those entries took, headers included,
    /// when they were given up. If a release gives up more than a few hundred entries, this is an estimate from samples of
    /// their keys' hashes. Its error is about 5 % if the entries of a segment are of similar kinds and sizes.
    public var refetchedBytes = 0
    /// Segments that hold something now.
    package var segments = 0

    /// The share of lookups that found a value, 0…1; 0 where there were none.
    package var hitRate: Double { hits + misses == 0 ? 0 : Double(hits) / Double(hits + misses) }

    package init() {}
}
