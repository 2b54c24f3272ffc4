internal import JetsamSystem

/// One part of a byte cache: an index, segments, and what is filled at the moment. Its owner holds a lock around each call.
///
/// New entries are appended to *young* segments. When a segment is needed, its entries that were used again move to *kept*
/// segments. This is S3-FIFO (Yang and others, SOSP 2023) with segments instead of entries.
@safe struct ByteShard: ~Copyable {
    let memory: SegmentMemory
    let seeds: ByteHash.Seeds
    /// The entries that were given up in releases not long ago.
    let ghosts: ReleaseGhosts
    var index: ByteIndex
    var segments: SegmentTable
    /// The segment that new entries are appended to, and the one for those that stay.
    var fillingYoung = SegmentRecord.none
    var fillingKept = SegmentRecord.none
    /// Bytes beyond which it takes no more memory.
    var limit = Int.max
    /// The number of uses that an entry must have had to stay, 1 or more. It moves with the entries that stay.
    var threshold: UInt8 = 1
    var compaction = Compaction()
    var eviction = Eviction()
    var sweep = Sweep()
    /// Bytes that the index needs to grow and that the limit does not leave it.
    var indexLack = 0
    var contents = ByteShardContents()
    var tally = ByteShardTally()
    /// Used while segments are chosen.
    var scores = SegmentScores()
    /// The bytes that the registry was told last.
    var reportedBytes = 0
    /// Segments that releases took.
    var releasedSegments = 0
    /// Segments that releases have given back, until whoever takes the locks next counts them out.
    let left = LeftSegments()

    init(
        memory: SegmentMemory, seeds: ByteHash.Seeds, ghosts: ReleaseGhosts, segmentBytes: Int, firstHuge: Int,
        stripes: ByteStripes
    ) {
        self.memory = memory
        self.ghosts = ghosts
        self.seeds = seeds
        index = ByteIndex(memory: memory)
        segments = SegmentTable(memory: memory, segmentBytes: segmentBytes, firstHuge: firstHuge, stripes: stripes)
        stripes.initialize(segments.view)
    }

    /// Bytes that may be resident and can be released.
    var residentBytes: Int { segments.residentBytes + index.residentBytes }
    /// The bytes that count against the limit.
    var heldBytes: Int { residentBytes + segments.deferredBytes }

    /// Lookups so far, as segments count them.
    var lookups: UInt32 { UInt32(truncatingIfNeeded: segments.stripes.hits &+ segments.stripes.misses) }

    /// The entry of a key, expired or not.
    @inline(__always)
    func find(_ hash: UInt64, _ key: UnsafeRawBufferPointer) -> ByteFinder.Found? {
        unsafe index.finder(segments.view)?.find(hash, key)
    }

    /// Takes an entry out.
    mutating func remove(_ found: ByteFinder.Found) {
        unsafe found.place.pointee = 0
        forget(found.slot)
        compact()
    }

    /// Counts an entry out that no slot speaks of any more.
    mutating func forget(_ slot: ByteSlot) {
        let entry = segments.view.entry(of: slot)
        let bytes = entry.byteCount
        let id = segments.view.id(of: slot)
        let record = unsafe segments.record(id)
        contents.remove(bytes: bytes)
        unsafe record.pointee.liveCount -= 1
        unsafe record.pointee.liveBytes -= UInt32(truncatingIfNeeded: bytes)
        if memory.isSensitive { overwrite(entry, in: id) }
        guard unsafe record.pointee.liveCount == 0, unsafe record.pointee.state == .sealed else { return }
        if !segments.isPinned(id) { recycle(id) }
    }

    /// Puts a segment, and what is still in it, out of the cache; its memory stays for others, or goes back once nobody reads
    /// it any more.
    mutating func recycle(_ id: UInt32) {
        segments.dequeue(id)
        let isPinned = segments.isPinned(id)
        if memory.isSensitive, !isPinned { overwriteAll(id) }
        unlink(id)
        if isPinned { segments.deferRelease(id) } else { segments.enqueue(id, as: .spare) }
    }

    /// Puts what is in a segment out of the cache without touching it.
    mutating func unlink(_ id: UInt32) {
        let record = unsafe segments.record(id)
        if id == fillingYoung { fillingYoung = SegmentRecord.none }
        if id == fillingKept { fillingKept = SegmentRecord.none }
        if id == compaction.segment { compaction.segment = SegmentRecord.none }
        if id == eviction.segment { eviction = Eviction() }
        unsafe contents.remove(entries: Int(record.pointee.liveCount), bytes: Int(record.pointee.liveBytes))
        unsafe record.pointee.unlink(sweep.pass)
    }
}
