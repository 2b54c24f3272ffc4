/// Finds entries by hash: buckets of eight slots, one cache line each, of which every hash has two.
///
/// Its slots are not cleared when a segment goes: whoever needs the place sees by the generation that it can be had. Until
/// then such a slot tells that its key was here not long ago. The number of buckets is no power of two, so that it grows by
/// an eighth, and an entry costs at most 10.5 bytes of index.
@safe struct ByteIndex: ~Copyable {
    static let bucketSlots = 8
    /// How full it may become, in eighths.
    private static let fill = 7
    /// With more, 21 bits of hash would not spread evenly.
    private static let mostBuckets = 1 << 19

    private(set) var slots: UnsafeMutablePointer<UInt64>?
    private(set) var bucketCount: UInt64 = 0
    private let memory: SegmentMemory

    init(memory: SegmentMemory) {
        self.memory = memory
    }

    deinit {
        if let slots = unsafe slots { unsafe memory.unmap(UnsafeMutableRawPointer(slots), byteCount) }
    }

    /// Gives all of it back.
    mutating func clear() {
        if let slots = unsafe slots { unsafe memory.unmap(UnsafeMutableRawPointer(slots), byteCount) }
        unsafe slots = nil
        bucketCount = 0
    }

    var capacity: Int { Int(bucketCount) * Self.bucketSlots }
    var byteCount: Int { capacity * MemoryLayout<UInt64>.stride }
    /// Whether one more entry makes it fuller than it may be.
    func isFull(_ count: Int) -> Bool { count >= capacity / 8 * Self.fill }
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
        return unsafe ByteFinder(slots: slots, bucketCount: bucketCount, segments: segments)
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

    /// Writes the live slots into a table that is right for so many entries; false where there is no memory for it, and
    /// nothing has changed then. A slot that finds no place goes to `lose`.
    mutating func rebuild(for count: Int, _ segments: SegmentView, lose: (ByteSlot) -> Void) -> Bool {
        let wanted = (count * 9 / 8 * 8 / Self.fill + Self.bucketSlots) / Self.bucketSlots
        let line = Self.bucketSlots * MemoryLayout<UInt64>.stride
        let bytes = memory.roundedUp(min(wanted, Self.mostBuckets) * line)
        guard let address = unsafe memory.map(bytes) else { return false }
        let (old, oldCapacity, oldBytes) = unsafe (slots, capacity, byteCount)
        unsafe slots = address.bindMemory(to: UInt64.self, capacity: bytes / MemoryLayout<UInt64>.stride)
        bucketCount = UInt64(bytes / line)
        guard let old = unsafe old else { return true }
        for index in 0..<oldCapacity {
            let slot = unsafe ByteSlot(word: old[index])
            guard segments.isLive(slot) else { continue }
            if let place = unsafe place(for: slot.hash, segments) {
                unsafe place.pointee = slot.word
            } else {
                lose(slot)
            }
        }
        unsafe memory.unmap(UnsafeMutableRawPointer(old), oldBytes)
        return true
    }

    /// Clears every slot whose entry is gone.
    func sweep(_ segments: SegmentView) {
        guard let slots = unsafe slots else { return }
        for index in 0..<capacity where unsafe !segments.isLive(ByteSlot(word: slots[index])) {
            unsafe slots[index] = 0
        }
    }
}
