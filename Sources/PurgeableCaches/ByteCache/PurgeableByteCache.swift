internal import CLinuxShims
public import JetsamSystem
internal import Synchronization

/// A cache of bytes that gives back the memory that it says it does.
///
/// Values and keys are copied into segments of the cache's own, one behind the other, and go with their segment: what is
/// released is whole segments, each with one call to the kernel and without touching what is in them. Dropping
/// values one by one gives an allocator bytes, but the kernel hardly a page: the survivors keep them. Where values are
/// removed or replaced one by one, the survivors of the emptiest segments are moved together, a few with each call.
///
/// The cache registers itself in a ``CacheRegistry``, so that a `ResourceManager` limits and releases it; it can be used
/// without one. All of it may be used from any thread. Values are read where they are, by `withValue(for:_:)`; the
/// body runs under no lock, as long as it likes, and may use the cache.
///
/// Beside key and value an entry takes at most 16 bytes: a slot of the index, a header, and what fills up to four bytes. One
/// that expires takes 4 more. The layout follows Segcache (Yang, Yue and Vinayak, NSDI 2021), the choice of what stays
/// S3-FIFO (Yang and others, SOSP 2023).
@safe public final class PurgeableByteCache: Sendable {
    nonisolated(unsafe) let shards: UnsafeMutablePointer<ByteShardReference>
    let stripes: ByteStripeTable
    /// Indicates whether a body's end needs no barrier of its own.
    @usableFromInline let isAsymmetric: Bool
    let sizes: ByteCacheSizes
    let memory: SegmentMemory
    let seeds = ByteHash.Seeds()
    let clock: any MonotonicClock
    let start: Int64
    /// The entries that were given up in releases not long ago.
    let ghosts: ReleaseGhosts
    /// Bytes that the registry is told of.
    let reported = Atomic<Int>(0)
    /// Less than 0 for none.
    let ownLimit: Atomic<Int>
    let managerLimit = Atomic<Int>(-1)
    // Written once, before the initializer returns; the handlers do not use it.
    nonisolated(unsafe) private(set) var registration: CacheRegistration?

    /// An empty cache, registered.
    ///
    /// - Parameters:
    ///   - name: The name in logs, metrics and the ledger. At most 128 characters are kept.
    ///   - priority: Its priority; lower ones are asked first.
    ///   - limit: Bytes of segments and index that it may hold at most; nil for what the manager allows. Negative values count as 0.
    ///     Less than the largest value needs is no use: a limit under about 1 MiB leaves room for one segment.
    ///   - segmentBytes: The size of a segment and so of the largest entry; rounded up to a power of two from 64 KiB to
    ///     64 MiB. Nil for one that suits the limit, and 1 MiB without one.
    ///   - rebuildCost: The cost of rebuilding one byte; see ``CacheRegistry``.
    ///   - traits: With ``CacheTraits/sensitive`` the segments are kept out of core dumps, and overwritten before they go back.
    ///     Removed and replaced values are overwritten when nobody reads their segment any more.
    ///   - scene: The scene that it belongs to, if any.
    ///   - hugePages: The choice whether to ask for huge pages.
    ///   - registry: The registry where it registers itself.
    public convenience init(
        name: String, priority: ResourcePriority = .normal, limit: Int? = nil, segmentBytes: Int? = nil,
        rebuildCost: Double? = nil, traits: CacheTraits = [], scene: SceneIdentifier? = nil,
        hugePages: HugePages = .never, registry: CacheRegistry = .shared
    ) {
        let sizes = ByteCacheSizes(
            limit: limit, wanted: segmentBytes, hugePageBytes: hugePages.bytes(),
            processors: Int(jetsam_processor_count()))
        self.init(
            limit: limit, sizes: sizes, memory: SegmentMemory(isSensitive: traits.contains(.sensitive)),
            clock: SystemMonotonicClock(), refetched: registry.makeRefetchedBytes())
        register(name, priority, rebuildCost, traits, scene, registry)
    }

    /// One that is not registered.
    init(
        limit: Int?, sizes: ByteCacheSizes, memory: SegmentMemory, clock: any MonotonicClock,
        refetched: RefetchedBytes = RefetchedBytes(), isAsymmetric: Bool = jetsam_has_barrier_everywhere()
    ) {
        ghosts = ReleaseGhosts(refetched)
        self.sizes = sizes
        self.memory = memory
        self.clock = clock
        start = clock.now.nanoseconds
        ownLimit = Atomic(limit.map { max(0, $0) } ?? -1)
        self.isAsymmetric = isAsymmetric
        stripes = ByteStripeTable(shards: sizes.shardCount, processors: Int(jetsam_processor_count()))
        unsafe shards = .allocate(capacity: sizes.shardCount)
        for index in 0..<sizes.shardCount {
            let shard = ByteShard(
                memory: memory, seeds: seeds, ghosts: ghosts, segmentBytes: sizes.segmentBytes,
                firstHuge: sizes.firstHuge,
                stripes: stripes.row(index, isAsymmetric: isAsymmetric))
            unsafe (shards + index).initialize(to: ByteShardReference(shard))
        }
        applyLimits()
    }

    func register(
        _ name: String, _ priority: ResourcePriority, _ rebuildCost: Double?, _ traits: CacheTraits,
        _ scene: SceneIdentifier?, _ registry: CacheRegistry
    ) {
        unsafe registration = registry.registerSegments(
            name, priority: priority, rebuildCost: rebuildCost, traits: traits, scene: scene,
            refetched: ghosts.refetched, limit: { [weak self] in self?.setManagerLimit($0) },
            release: { [weak self] in self?.release(bytes: $0) ?? 0 },
            lastResort: { [weak self] bytes, client in
                guard let self else { return 0 }
                client.borrow(self)
                return releaseWithoutWaiting(bytes: bytes)
            })
    }

    deinit {
        unsafe registration?.end()
        for index in 0..<sizes.shardCount { unsafe shards[index].destroy() }
        unsafe shards.deallocate()
        stripes.deallocate()
    }

    @inline(__always)
    func shard(_ index: Int) -> ByteShardReference { unsafe shards[index] }

    @inline(__always)
    func shardIndex(_ hash: ByteHash) -> Int { Int(truncatingIfNeeded: hash.shard) & (sizes.shardCount - 1) }

    /// Values now.
    package var count: Int { sum { $0.contents.entries } }

    /// Bytes of segments and index that are resident now, as far as the cache has touched them, and can be released.
    package var bytes: Int { sum { $0.residentBytes } }

    private func sum(_ part: (borrowing ByteShard) -> Int) -> Int {
        (0..<sizes.shardCount).reduce(0) { total, index in total + shard(index).withLock { part($0) } }
    }

    /// Reports a shard's size once it has changed by enough to matter, or at once.
    @inline(__always)
    func report(_ shard: inout ByteShard, atOnce: Bool = false) -> Int {
        let change = shard.residentBytes - shard.reportedBytes
        if change == 0 || (!atOnce && change > 0 && change < sizes.segmentBytes / 16) { return 0 }
        shard.reportedBytes = shard.residentBytes
        return change
    }

    /// Tells the registry that it wants more than the manager's limit, where that is what holds it back.
    @inline(never)
    func noteTurnedAway() {
        let (own, manager) = (ownLimit.load(ordering: .relaxed), managerLimit.load(ordering: .relaxed))
        guard manager >= 0, own < 0 || manager < own else { return }
        unsafe registration?.noteTurnedAway()
    }

    /// Tells the registry of a change that a shard has counted. Under no lock.
    func tell(_ change: Int) {
        guard change != 0 else { return }
        var total = reported.add(change, ordering: .relaxed).newValue
        guard let registration = unsafe registration else { return }
        // The last change must win.
        while true {
            registration.update(bytes: total)
            let now = reported.load(ordering: .relaxed)
            if now == total { return }
            total = now
        }
    }
}
