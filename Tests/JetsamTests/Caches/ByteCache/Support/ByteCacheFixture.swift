import CLinuxShims
import JetsamTesting
import MemoryPressure

@testable import Jetsam
@testable import PurgeableCaches

/// A cache of made-up sizes that is in no registry.
func makeByteCache(
    limit: Int? = nil, segmentBytes: Int = 64 << 10, shards: Int = 2, memory: SegmentMemory = SegmentMemory(),
    clock: any MonotonicClock = ManualClock(), isAsymmetric: Bool = jetsam_has_barrier_everywhere()
) -> PurgeableByteCache {
    var sizes = ByteCacheSizes(limit: nil, wanted: segmentBytes, hugePageBytes: nil, processors: 1)
    sizes.shardCount = shards
    return PurgeableByteCache(limit: limit, sizes: sizes, memory: memory, clock: clock, isAsymmetric: isAsymmetric)
}

extension PurgeableByteCache {
    /// Bytes that each shard has.
    var shardSizes: [Int] {
        (0..<sizes.shardCount).map { shard($0).withLock { $0.residentBytes } }
    }

    var shardLimits: [Int] {
        (0..<sizes.shardCount).map { shard($0).withLock { $0.limit } }
    }

    /// What is wrong with its books; empty where everything agrees.
    var contradictions: [String] {
        (0..<sizes.shardCount).flatMap { index in
            shard(index).withLock { shard in shard.contradictions.map { "shard \(index): \($0)" } }
        }
    }
}

extension ByteShard {
    fileprivate var contradictions: [String] {
        var found: [String] = []
        var (count, live, resident, deferred) = (0, 0, 0, 0)
        for index in 0..<segments.count {
            let record = unsafe segments.record(UInt32(index))
            count += unsafe Int(record.pointee.liveCount)
            live += unsafe Int(record.pointee.liveBytes)
            let bytes = unsafe Int(record.pointee.resident)
            if unsafe record.pointee.state == .deferred { deferred += bytes } else { resident += bytes }
            if unsafe record.pointee.used > record.pointee.resident { found.append("segment \(index) is used beyond") }
            if unsafe record.pointee.state == .free, bytes > 0 { found.append("free segment \(index) has memory") }
            if unsafe record.pointee.liveBytes > record.pointee.used { found.append("segment \(index) lives beyond") }
        }
        var slots = 0
        for isOld in [false, true] {
            let table = unsafe isOld ? self.index.old : self.index.slots
            let capacity = isOld ? self.index.oldCapacity : self.index.capacity
            for index in 0..<capacity {
                let slot = unsafe ByteSlot(word: table![index])
                guard segments.view.isLive(slot) else { continue }
                slots += 1
                let entry = unsafe ByteEntry(at: segments.view.address(of: slot))
                let key = unsafe UnsafeRawBufferPointer(start: entry.key, count: entry.keyCount)
                let hash = unsafe ByteHash(key, seeds).index
                if hash != slot.hash { found.append("slot \(index) points to another key") }
                let isFound = unsafe find(slot.hash, key).map { unsafe $0.place == table! + index } ?? false
                if !isFound { found.append("slot \(index) is not found") }
            }
        }
        let queued =
            segments.free.count + segments.spare.count + segments.young.count + segments.kept.count
            + segments.unswept.count
        let filling = (fillingYoung == SegmentRecord.none ? 0 : 1) + (fillingKept == SegmentRecord.none ? 0 : 1)
        let pairs = [
            ("entries", contents.entries, count), ("live slots", slots, contents.entries),
            ("live bytes", contents.liveBytes, live),
            ("resident bytes", segments.residentBytes, resident), ("deferred bytes", segments.deferredBytes, deferred),
            ("segments in queues", queued + filling + segments.deferredCount, segments.count),
        ]
        found += pairs.filter { $0.1 != $0.2 }.map { "\($0.0): \($0.1) and \($0.2)" }
        return found
    }
}
