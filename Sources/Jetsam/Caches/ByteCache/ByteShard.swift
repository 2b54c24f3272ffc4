/// One part of a byte cache: an index, segments, and what is filled at the moment. Its owner holds a lock around each call.
///
/// New entries are appended to *young* segments. What was used again when its segment is needed goes into *kept* ones, in
/// the manner of S3-FIFO (Yang and others, SOSP 2023) with segments in the place of entries.
@safe struct ByteShard: ~Copyable {
    let memory: SegmentMemory
    let seeds: ByteHash.Seeds
    var index: ByteIndex
    var segments: SegmentTable
    /// The segment that new entries are appended to, and the one for those that stay.
    var fillingYoung = SegmentRecord.none
    var fillingKept = SegmentRecord.none
    /// Bytes beyond which it takes no more memory.
    var limit = Int.max
    /// How often an entry must have been used to stay, 1 or more: moved with what stays.
    var threshold: UInt8 = 1
    var entries = 0
    var liveBytes = 0
    var hits = 0
    var misses = 0
    var insertions = 0
    var refusals = 0
    var evictions = 0
    var expirations = 0
    var releasedBytes = 0
    /// Bytes by score, while segments are chosen: there from the start, because a release may not allocate.
    let sums = UnsafeMutablePointer<Int>.allocate(capacity: scores)
    /// What the registry was told last.
    var reportedBytes = 0

    init(memory: SegmentMemory, seeds: ByteHash.Seeds, segmentBytes: Int, firstHuge: Int) {
        self.memory = memory
        unsafe sums.initialize(repeating: 0, count: Self.scores)
        self.seeds = seeds
        index = ByteIndex(memory: memory)
        segments = SegmentTable(memory: memory, segmentBytes: segmentBytes, firstHuge: firstHuge)
    }

    deinit {
        unsafe sums.deallocate()
    }

    /// Lookups so far, as segments count them.
    var lookups: UInt32 { UInt32(truncatingIfNeeded: hits &+ misses) }

    /// Where an entry and its slot are.
    @safe struct Found {
        let slot: UnsafeMutablePointer<UInt64>
        let entry: ByteEntry
        let record: UnsafeMutablePointer<SegmentRecord>
    }

    /// The entry of a key, expired or not.
    @inline(__always)
    func find(_ hash: UInt64, _ key: UnsafeRawBufferPointer) -> Found? {
        guard unsafe index.slots != nil else { return nil }
        let (first, second) = unsafe index.buckets(hash)
        if let found = unsafe find(hash, key, in: first) { return found }
        return unsafe find(hash, key, in: second)
    }

    @inline(__always)
    private func find(
        _ hash: UInt64, _ key: UnsafeRawBufferPointer, in bucket: UnsafeMutablePointer<UInt64>
    ) -> Found? {
        for place in 0..<ByteIndex.bucketSlots {
            let slot = unsafe ByteSlot(word: bucket[place])
            guard slot.hash == hash, segments.view.isLive(slot) else { continue }
            let entry = unsafe ByteEntry(at: segments.view.address(of: slot))
            guard unsafe entry.hasKey(key) else { continue }
            return unsafe Found(slot: bucket + place, entry: entry, record: segments.view.segment(of: slot))
        }
        return nil
    }

    /// Finds a value and keeps its segment where it is until it is unpinned.
    ///
    /// - Parameter tick: The time, asked for only where the entry has an expiry.
    @inline(__always)
    mutating func pin(_ hash: UInt64, _ key: UnsafeRawBufferPointer, tick: () -> UInt32) -> Found? {
        guard let found = unsafe find(hash, key) else {
            misses &+= 1
            return nil
        }
        if found.entry.hasExpiry, found.entry.expiry <= tick() {
            expirations += 1
            misses &+= 1
            remove(found)
            return nil
        }
        hits &+= 1
        unsafe found.slot.pointee = ByteSlot(word: found.slot.pointee).touched.word
        unsafe found.record.pointee.hits &+= 1
        unsafe found.record.pointee.pinned &+= 1
        return found
    }

    /// Takes an entry out.
    mutating func remove(_ found: Found) {
        unsafe found.slot.pointee = 0
        forget(found)
    }

    /// Counts an entry out whose slot is gone or will be written to.
    mutating func forget(_ found: Found) {
        let bytes = found.entry.byteCount
        entries -= 1
        liveBytes -= bytes
        unsafe found.record.pointee.liveCount -= 1
        unsafe found.record.pointee.liveBytes -= UInt32(truncatingIfNeeded: bytes)
        if memory.isSensitive, unsafe !found.record.pointee.isPinned {
            unsafe found.entry.key.initializeMemory(
                as: UInt8.self, repeating: 0, count: found.entry.keyCount + found.entry.valueCount)
        }
        guard unsafe found.record.pointee.liveCount == 0, unsafe found.record.pointee.state == .sealed else { return }
        let id = unsafe UInt32(found.record - segments.view.records)
        if unsafe !found.record.pointee.isPinned { recycle(id) }
    }

    /// Puts a segment, and what is still in it, out of the cache; its memory stays for others, or goes back once nobody reads
    /// it any more.
    mutating func recycle(_ id: UInt32) {
        let record = unsafe segments.record(id)
        segments.dequeue(id)
        unlink(id)
        if unsafe record.pointee.isPinned { segments.deferRelease(id) } else { segments.enqueue(id, as: .spare) }
    }

    /// Puts what is in a segment out of the cache without touching it.
    mutating func unlink(_ id: UInt32) {
        let record = unsafe segments.record(id)
        if id == fillingYoung { fillingYoung = SegmentRecord.none }
        if id == fillingKept { fillingKept = SegmentRecord.none }
        entries -= unsafe Int(record.pointee.liveCount)
        liveBytes -= unsafe Int(record.pointee.liveBytes)
        guard unsafe record.pointee.unlink() else { return }
        index.sweep(segments.view)
        unsafe record.pointee.generation = 1
    }
}
