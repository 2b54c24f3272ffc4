internal import JetsamSystem
internal import Synchronization

extension PurgeableByteCache {
    /// Gives back at least so many bytes, if it has them: empty segments first, then whole segments of the values that are
    /// read least. `Int.max` empties it.
    ///
    /// Segments that a body reads are passed over. Where the others are not enough, what is in them goes from the cache at
    /// once and their memory as soon as the last body returns; it is in ``ByteCacheStatistics/deferredBytes`` until then.
    ///
    /// - Returns: The bytes that were given to the kernel, exactly.
    @discardableResult
    public func release(bytes: Int) -> Int {
        guard bytes > 0 else { return 0 }
        let sampling = sampling(bytes, waits: true)
        var given = releaseShares(bytes, sampling)
        given += releaseRest(bytes - given, sampling)
        if given < bytes { deferPinned(bytes - given, sampling) }
        given += shrinkIndexes()
        // Shards must not use the bytes that they gave while other shards still have more than their part.
        if limit != nil { applyLimits() }
        return given
    }

    /// The same for a thread that may not wait, such as the sampler: shards that somebody is in are passed over. Allocates
    /// nothing and calls nobody.
    package func releaseWithoutWaiting(bytes: Int) -> Int {
        guard bytes > 0 else { return 0 }
        let sampling = sampling(bytes, waits: false)
        let given = releaseShares(bytes, sampling)
        return given + releaseRest(bytes - given, sampling)
    }

    private func sampling(_ bytes: Int, waits: Bool) -> ReleaseSampling {
        let held = max(0, reported.load(ordering: .relaxed))
        return ReleaseSampling(
            segments: min(bytes, held) / sizes.segmentBytes, now: clock.now.nanoseconds, waits: waits)
    }

    /// Each shard gives its share, in whole segments, and no more.
    private func releaseShares(_ bytes: Int, _ sampling: ReleaseSampling) -> Int {
        var total = 0
        for index in 0..<sizes.shardCount { total += segmentBytes(index, sampling) }
        guard total > 0 else { return 0 }
        var given = 0
        for index in 0..<sizes.shardCount where given < bytes {
            let own = segmentBytes(index, sampling)
            // All of it where more is wanted than there is: the product below must not overflow.
            let wanted = bytes >= total ? own : Int(Double(bytes) * (Double(own) / Double(total)))
            given += release(wanted, from: index, isExact: true, sampling)
        }
        return given
    }

    /// The largest shards give what is missing, some at a time, so that all stay alike: of keys whose shard had much less than the
    /// others, hardly any would be found.
    private func releaseRest(_ bytes: Int, _ sampling: ReleaseSampling) -> Int {
        guard bytes > 0 else { return 0 }
        // Each shard is asked once: to take all of its locks is work where there are many processors. No array, which is allocated.
        var left = ByteCacheSizes.OfShards(repeating: 0)
        for index in 0..<sizes.shardCount {
            // The index counts: that of a shard without entries can go.
            left[index] = withShard(index, sampling.waits) { $0.residentBytes } ?? 0
        }
        var given = 0
        while given < bytes {
            var largest = 0
            for index in 1..<sizes.shardCount where left[index] > left[largest] { largest = index }
            guard left[largest] > 0 else { break }
            let wanted = min(bytes - given, max(sizes.segmentBytes, (bytes - given) / sizes.shardCount))
            let came = release(wanted, from: largest, isExact: false, sampling)
            given += came
            // One that gives less is empty, or somebody is in it or reads it.
            left[largest] = came < wanted ? 0 : left[largest] - came
        }
        return given
    }

    /// Bytes of the segments of a shard; 0 where somebody is in it and this thread may not wait.
    private func segmentBytes(_ index: Int, _ sampling: ReleaseSampling) -> Int {
        withShard(index, sampling.waits) { $0.segments.residentBytes } ?? 0
    }

    private func release(_ bytes: Int, from index: Int, isExact: Bool, _ sampling: ReleaseSampling) -> Int {
        guard bytes > 0 else { return 0 }
        // Not through `withShard`: a closure that captures and is passed on may be allocated.
        let reference = shard(index)
        guard reference.lock(waits: sampling.waits) else { return 0 }
        let leaving = unsafe reference.locked.pointee.detach(bytes, isExact: isExact, sampling)
        let (indexBytes, remains) = unsafe detachEmptyIndex(&reference.locked.pointee)
        let change = unsafe leaving.isEmpty ? report(&reference.locked.pointee, atOnce: true) : 0
        let view = unsafe reference.locked.pointee.segments.view
        reference.unlock()
        giveBack(remains)
        guard !leaving.isEmpty else {
            tell(change)
            return indexBytes
        }
        return indexBytes + giveBack(leaving, of: reference, view, sampling)
    }

    /// Gives segments that were taken out back to the kernel; the bytes that went.
    private func giveBack(
        _ leaving: SegmentQueue, of reference: ByteShardReference, _ view: SegmentView, _ sampling: ReleaseSampling
    ) -> Int {
        var given = 0
        var id = leaving.first
        // Not under the lock: others can go on in this shard while the kernel takes the pages.
        while id != SegmentRecord.none {
            let record = unsafe view.record(id)
            let bytes = unsafe memory.discard(record.pointee.base, Int(record.pointee.resident))
            unsafe record.pointee.used = UInt32(truncatingIfNeeded: bytes)
            given += bytes
            id = unsafe record.pointee.next
        }
        reference.handOver(leaving, view)
        // Where somebody is in there and this thread may not wait, whoever takes the locks next counts them out.
        guard reference.lock(waits: sampling.waits) else { return given }
        let change = unsafe report(&reference.locked.pointee, atOnce: true)
        reference.unlock()
        tell(change)
        return given
    }

    /// Takes out the index of a shard without entries; the bytes that go with it.
    private func detachEmptyIndex(_ shard: inout ByteShard) -> (Int, ByteIndex.Remains?) {
        let bytes = shard.index.residentBytes
        guard let remains = shard.detachEmptyIndex() else { return (0, nil) }
        shard.tally.releasedBytes += bytes
        memory.countDiscarded(bytes)
        return (bytes, remains)
    }

    private func giveBack(_ remains: ByteIndex.Remains?) {
        if let remains { ByteIndex.giveBack(remains, memory) }
    }

    /// Gives memory of the indexes back where few entries are left; the bytes that went. Some of each shard's in turn: whoever waits
    /// for its locks gets them meanwhile.
    private func shrinkIndexes() -> Int {
        var given = 0
        var shrunk = [Int](repeating: 0, count: sizes.shardCount)
        var left = Array(0..<sizes.shardCount)
        while !left.isEmpty {
            left.removeAll { index in
                let (remains, isDone, change) = shard(index).withLock { shard -> (ByteIndex.Remains?, Bool, Int) in
                    let (bytes, remains) = detachEmptyIndex(&shard)
                    given += bytes
                    let before = shard.index.residentBytes
                    let isDone = !shard.shrinkIndexSome()
                    shrunk[index] += before - shard.index.residentBytes
                    if isDone, shrunk[index] > 0 {
                        shard.tally.releasedBytes += shrunk[index]
                        memory.countDiscarded(shrunk[index])
                        given += shrunk[index]
                    }
                    return (remains, isDone, report(&shard, atOnce: isDone))
                }
                giveBack(remains)
                tell(change)
                return isDone
            }
        }
        return given
    }

    private func withShard<Result>(_ index: Int, _ waits: Bool, _ body: (inout ByteShard) -> Result) -> Result? {
        let reference = shard(index)
        guard reference.lock(waits: waits) else { return nil }
        defer { reference.unlock() }
        return unsafe body(&reference.locked.pointee)
    }

    private func deferPinned(_ bytes: Int, _ sampling: ReleaseSampling) {
        var missing = bytes
        for index in 0..<sizes.shardCount where missing > 0 {
            let (deferred, change) = shard(index).withLock { shard in
                let before = shard.segments.deferredBytes
                shard.deferPinned(missing, sampling)
                return (shard.segments.deferredBytes - before, report(&shard, atOnce: true))
            }
            tell(change)
            missing -= deferred
        }
    }
}
