extension PurgeableByteCache {
    /// Removes a value; whether there was one that had not expired.
    @discardableResult
    public func removeValue(for key: String) -> Bool {
        var key = key
        return key.withUTF8 { unsafe remove(UnsafeRawBufferPointer($0)) }
    }

    /// Removes a value; whether there was one that had not expired.
    @discardableResult
    public func removeValue(for key: RawSpan) -> Bool {
        unsafe key.withUnsafeBytes { unsafe remove($0) }
    }

    /// Removes a value; whether there was one that had not expired.
    @discardableResult
    public func removeValue(for key: [UInt8]) -> Bool {
        unsafe removeValue(for: key.span.bytes)
    }

    /// Removes all values. Their memory stays for new ones; ``release(bytes:)`` gives it back.
    public func removeAll() {
        for index in 0..<sizes.shardCount {
            // What others put in meanwhile does not keep it here for ever: after as many holds as there are segments the last takes all.
            var holds = shard(index).withLock { $0.segments.heldCount }
            var isMore = true
            while isMore {
                holds -= 1
                tell(
                    shard(index).withLock { shard in
                        isMore = shard.removeSome(overwriting: holds < 0 ? .max : ByteShard.overwrittenOfHold)
                        return report(&shard, atOnce: !isMore)
                    })
            }
        }
    }

    @discardableResult
    func remove(_ key: UnsafeRawBufferPointer) -> Bool {
        let hash = unsafe ByteHash(key, seeds)
        let (wasThere, change) = shard(shardIndex(hash)).withLock { shard -> (Bool, Int) in
            guard let found = unsafe shard.find(hash.index, key) else { return (false, 0) }
            let hasExpired = isOver(shard.segments.view.entry(of: found.slot))
            if hasExpired { shard.tally.expirations += 1 }
            shard.remove(found)
            return (!hasExpired, report(&shard))
        }
        tell(change)
        return wasThere
    }

    /// The contents of the cache, and the results of the calls to it.
    public var statistics: ByteCacheStatistics {
        var sum = ByteCacheStatistics()
        sum.refetchedBytes = ghosts.refetched.total
        for index in 0..<sizes.shardCount {
            shard(index).withLock { shard in
                sum.hits += shard.segments.stripes.hits
                sum.misses += shard.segments.stripes.misses
                sum.insertions += shard.tally.insertions
                sum.refusals += shard.tally.refusals
                sum.evictions += shard.tally.evictions
                sum.expirations += shard.tally.expirations
                sum.entries += shard.contents.entries
                sum.liveBytes += shard.contents.liveBytes
                sum.residentBytes += shard.segments.residentBytes
                sum.indexBytes += shard.index.residentBytes
                sum.deferredBytes += shard.segments.deferredBytes
                sum.releasedBytes += shard.tally.releasedBytes
                sum.segments += shard.segments.heldCount
            }
        }
        return sum
    }
}
