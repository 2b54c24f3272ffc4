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

    /// Returns whether there is a run of a byte anywhere in its segments, in entries or in what is left of them.
    func holds(_ byte: UInt8) -> Bool {
        (0..<sizes.shardCount).contains { index in
            shard(index).withLock { shard in
                (0..<shard.segments.count).contains { id in
                    let base = unsafe shard.segments.record(UInt32(id)).pointee.base
                    return unsafe UnsafeRawBufferPointer(start: base, count: sizes.segmentBytes).holds(byte)
                }
            }
        }
    }

    /// What is wrong with its books; empty where everything agrees.
    var contradictions: [String] {
        (0..<sizes.shardCount).flatMap { index in
            shard(index).withLock { shard in shard.contradictions.map { "shard \(index): \($0)" } }
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Returns whether there are eight of the byte in a row, at a multiple of eight: a few of them may be in a header.
    func holds(_ byte: UInt8) -> Bool {
        let word = UInt64(byte) &* 0x0101_0101_0101_0101
        var offset = (8 - Int(bitPattern: baseAddress) & 7) & 7
        while offset + 8 <= count {
            if unsafe load(fromByteOffset: offset, as: UInt64.self) == word { return true }
            offset += 8
        }
        return false
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
            var offset = 0
            while unsafe offset < Int(record.pointee.used), unsafe record.pointee.liveCount > 0 {
                offset += unsafe ByteEntry(at: record.pointee.base + offset).byteCount
            }
            if unsafe record.pointee.liveCount > 0, unsafe offset != Int(record.pointee.used) {
                found.append("segment \(index) has something that is no entry")
            }
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
