internal import CLinuxShims
internal import JetsamSystem

/// Finds entries by hash: buckets of eight slots, one cache line each, of which every hash has two.
///
/// Its slots are not cleared when a segment goes: whoever needs the place sees by the generation that it can be had. Until
/// then such a slot tells that its key was here not long ago. The number of buckets is no power of two, so that it grows by
/// an eighth, and an entry costs at most 10.5 bytes of index.
///
/// It grows and shrinks by moving its slots to another table, some with each call, so that nobody waits for all of them. Until the
/// last has moved, a hash has two buckets in each of the tables, and new slots go to the new one.
@safe struct ByteIndex: ~Copyable {
    /// The rest of a table that was taken out.
    @safe struct Remains {
        var tables: (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) = (nil, nil)
        var byteCounts = (0, 0)
    }

    static let bucketSlots = 8
    /// The greatest fill, in eighths.
    private static let fill = 7
    /// With more, 21 bits of hash would not spread evenly.
    private static let mostBuckets = 1 << 19
    private static let lineBytes = bucketSlots * MemoryLayout<UInt64>.stride
    /// The size of the pieces in which memory goes back that slots have moved out of.
    private static let pieceBytes = 128 << 10

    private(set) var slots: UnsafeMutablePointer<UInt64>?
    private(set) var bucketCount: UInt64 = 0
    /// The table that slots move out of, as long as they do.
    private(set) var old: UnsafeMutablePointer<UInt64>?
    private(set) var oldBucketCount: UInt64 = 0
    /// The number of its slots that are empty, from its beginning.
    private var moved = 0
    /// Bytes from its beginning that were gone through for being given back, and how many of them went.
    private var passedBytes = 0
    private var discardedBytes = 0
    private let memory: SegmentMemory

    init(memory: SegmentMemory) {
        self.memory = memory
    }

    deinit {
        if let slots = unsafe slots { unsafe memory.unmap(UnsafeMutableRawPointer(slots), byteCount) }
        if let old = unsafe old { unsafe memory.unmap(UnsafeMutableRawPointer(old), oldByteCount) }
    }

    /// Leaves nothing of it. To give back what there was may take long: that is for when no lock is held.
    mutating func detachAll() -> Remains {
        let remains = unsafe Remains(
            tables: (UnsafeMutableRawPointer(slots), UnsafeMutableRawPointer(old)),
            byteCounts: (byteCount, oldByteCount))
        unsafe slots = nil
        bucketCount = 0
        endMove()
        return remains
    }

    /// Gives back what was taken out.
    static func giveBack(_ remains: Remains, _ memory: SegmentMemory) {
        if let table = unsafe remains.tables.0 { unsafe memory.unmap(table, remains.byteCounts.0) }
        if let table = unsafe remains.tables.1 { unsafe memory.unmap(table, remains.byteCounts.1) }
    }

    var capacity: Int { Int(bucketCount) * Self.bucketSlots }
    private var byteCount: Int { Int(bucketCount) * Self.lineBytes }
    private var oldByteCount: Int { Int(oldBucketCount) * Self.lineBytes }
    var oldCapacity: Int { Int(oldBucketCount) * Self.bucketSlots }
    /// Bytes of it that may be resident: of all of a table, as hashes soon reach each of its pages.
    var residentBytes: Int { byteCount + oldByteCount - discardedBytes }
    /// Indicates whether slots are on their way to another table.
    var isMoving: Bool { unsafe old != nil }
    /// Returns whether one more entry makes it fuller than it may be.
    func isFull(_ count: Int) -> Bool { count >= capacity / 8 * Self.fill }
    /// Returns the number of entries for which it has room before it is full, 1 at least.
    func room(_ count: Int) -> Int { max(1, capacity / 8 * Self.fill - count) }
    /// Slots that have to move yet.
    var unmoved: Int { oldCapacity - moved }
    /// Returns whether it is so full that before long an entry finds no place.
    func isCrowded(_ count: Int) -> Bool { count >= capacity / 16 * 15 }
    var isLargest: Bool { bucketCount >= Self.mostBuckets }

    /// The first slot of the bucket of a hash.
    @inline(__always)
    static func bucket(_ hash: UInt64, of count: UInt64) -> Int {
        Int(truncatingIfNeeded: (hash &* count) &>> ByteSlot.hashBits) * bucketSlots
    }

    /// The other bucket's hash, a permutation of the first's.
    @inline(__always)
    static func other(_ hash: UInt64) -> UInt64 {
        (hash &* 0x9E37_79B1) & (1 << ByteSlot.hashBits - 1)
    }

    /// Looks for entries of those segments; nil where there are no slots.
    @inline(__always)
    func finder(_ segments: SegmentView) -> ByteFinder? {
        guard let slots = unsafe slots else { return nil }
        return unsafe ByteFinder(
            slots: slots, bucketCount: bucketCount, old: old, oldBucketCount: oldBucketCount, segments: segments)
    }

    /// A slot that can be written to, one of another hash that is gone rather than one that still tells of this.
    func place(for hash: UInt64, _ segments: SegmentView) -> UnsafeMutablePointer<UInt64>? {
        guard let finder = finder(segments) else { return nil }
        let (first, second) = unsafe finder.buckets(hash)
        if let place = unsafe Self.room(first, segments) { return unsafe place }
        if let place = unsafe Self.room(second, segments) { return unsafe place }
        if let place = unsafe Self.makeRoom(first, 2, finder) { return unsafe place }
        return unsafe Self.makeRoom(second, 2, finder)
    }

    private static func room(
        _ bucket: UnsafeMutablePointer<UInt64>, _ segments: SegmentView
    ) -> UnsafeMutablePointer<UInt64>? {
        var stale: UnsafeMutablePointer<UInt64>?
        for index in 0..<bucketSlots {
            let slot = unsafe ByteSlot(word: bucket[index])
            if slot.isEmpty { return unsafe bucket + index }
            if unsafe stale == nil, !segments.isLive(slot) { unsafe stale = bucket + index }
        }
        return unsafe stale
    }

    /// Moves a slot of a full bucket to its other one, or one from there first.
    private static func makeRoom(
        _ bucket: UnsafeMutablePointer<UInt64>, _ depth: Int, _ finder: ByteFinder
    ) -> UnsafeMutablePointer<UInt64>? {
        for pass in 0..<min(depth, 2) {
            for index in 0..<bucketSlots {
                let word = unsafe bucket[index]
                let (first, second) = unsafe finder.buckets(ByteSlot(word: word).hash)
                let other = unsafe first == bucket ? second : first
                guard unsafe other != bucket else { continue }
                let found = unsafe pass == 0 ? room(other, finder.segments) : makeRoom(other, depth - 1, finder)
                guard let place = unsafe found, unsafe bucket[index] == word else { continue }
                unsafe place.pointee = word
                unsafe bucket[index] = 0
                return unsafe bucket + index
            }
        }
        return nil
    }

    /// Bytes of a table that is right for so many entries.
    func tableBytes(for count: Int) -> Int {
        let wanted = (count * 9 / 8 * 8 / Self.fill + Self.bucketSlots) / Self.bucketSlots
        return memory.roundedUp(min(wanted, Self.mostBuckets) * Self.lineBytes)
    }

    /// Begins to move to a table that is right for so many entries; false where there is no memory for it, and nothing has changed
    /// then. To be called where none are on their way.
    mutating func beginMove(for count: Int) -> Bool {
        let bytes = tableBytes(for: count)
        guard let address = unsafe memory.map(bytes) else { return false }
        unsafe old = slots
        oldBucketCount = bucketCount
        unsafe slots = address.bindMemory(to: UInt64.self, capacity: bytes / MemoryLayout<UInt64>.stride)
        bucketCount = UInt64(bytes / Self.lineBytes)
        return true
    }

    /// Moves what is in so many slots more of the old table; true with the last of them. A slot that finds no place goes to `lose`.
    mutating func move(_ count: Int, _ segments: SegmentView, lose: (ByteSlot) -> Void) -> Bool {
        guard let old = unsafe old, let finder = finder(segments) else { return false }
        let end = min(moved + count, oldCapacity)
        for index in moved..<end {
            let slot = unsafe ByteSlot(word: old[index])
            if !slot.isEmpty { unsafe jetsam_prefetch(UnsafeRawPointer(finder.buckets(slot.hash).0)) }
        }
        for index in moved..<end {
            let slot = unsafe ByteSlot(word: old[index])
            if slot.isEmpty { continue }
            // Nobody is to find it here as well.
            unsafe old[index] = 0
            guard segments.isLive(slot) else { continue }
            if let place = unsafe place(for: slot.hash, segments) {
                unsafe place.pointee = slot.word
            } else {
                lose(slot)
            }
        }
        moved = end
        while moved * MemoryLayout<UInt64>.stride - passedBytes >= Self.pieceBytes {
            if unsafe memory.drop(UnsafeMutableRawPointer(old) + passedBytes, Self.pieceBytes) {
                discardedBytes += Self.pieceBytes
            }
            passedBytes += Self.pieceBytes
        }
        guard moved == oldCapacity else { return false }
        unsafe memory.unmap(UnsafeMutableRawPointer(old), oldByteCount)
        endMove()
        return true
    }

    private mutating func endMove() {
        unsafe old = nil
        oldBucketCount = 0
        moved = 0
        passedBytes = 0
        discardedBytes = 0
    }

    /// Clears those slots from `start` on, so many, whose entries are gone. Gives where to go on; nil at the end.
    func sweep(from start: Int, _ count: Int, _ segments: SegmentView) -> Int? {
        guard let slots = unsafe slots else { return nil }
        let end = min(start + count, capacity)
        for index in min(start, end)..<end where unsafe !segments.isLive(ByteSlot(word: slots[index])) {
            unsafe slots[index] = 0
        }
        return end == capacity ? nil : end
    }
}
