internal import CLinuxShims
internal import Synchronization

/// The place of an index and of its segments: all that is needed to find an entry in them.
@safe struct ByteFinder {
    let slots: UnsafeMutablePointer<UInt64>
    let bucketCount: UInt64
    /// The table that slots are moving out of; nil where they are not.
    let old: UnsafeMutablePointer<UInt64>?
    let oldBucketCount: UInt64
    let segments: SegmentView

    /// The place of an entry in the index, and what stands there.
    @safe struct Found {
        let place: UnsafeMutablePointer<UInt64>
        let slot: ByteSlot
    }

    /// The two buckets of a hash, in the table that new slots go to.
    @inline(__always)
    func buckets(_ hash: UInt64) -> (UnsafeMutablePointer<UInt64>, UnsafeMutablePointer<UInt64>) {
        unsafe (
            slots + ByteIndex.bucket(hash, of: bucketCount),
            slots + ByteIndex.bucket(ByteIndex.other(hash), of: bucketCount)
        )
    }

    /// The two buckets of a hash in the table that slots are moving out of; nil where they are not.
    @inline(__always)
    func oldBuckets(_ hash: UInt64) -> (UnsafeMutablePointer<UInt64>, UnsafeMutablePointer<UInt64>)? {
        guard let old = unsafe old else { return nil }
        return unsafe (
            old + ByteIndex.bucket(hash, of: oldBucketCount),
            old + ByteIndex.bucket(ByteIndex.other(hash), of: oldBucketCount)
        )
    }

    /// The entry of a key, expired or not.
    @inline(__always)
    func find(_ hash: UInt64, _ key: UnsafeRawBufferPointer) -> Found? {
        let (first, other) = unsafe buckets(hash)
        if let found = unsafe Self.find(hash, key, first, other, segments) { return found }
        guard let (first, other) = unsafe oldBuckets(hash) else { return nil }
        return unsafe Self.find(hash, key, first, other, segments)
    }

    /// The slot of a hash for which the body is true, in any of its buckets.
    @inline(__always)
    func slot(_ hash: UInt64, where body: (ByteSlot) -> Bool) -> UnsafeMutablePointer<UInt64>? {
        let (first, second) = unsafe buckets(hash)
        if let place = unsafe Self.slot(first, second, body) { return unsafe place }
        guard let (first, second) = unsafe oldBuckets(hash) else { return nil }
        return unsafe Self.slot(first, second, body)
    }

    @inline(__always)
    private static func slot(
        _ first: UnsafeMutablePointer<UInt64>, _ second: UnsafeMutablePointer<UInt64>, _ body: (ByteSlot) -> Bool
    ) -> UnsafeMutablePointer<UInt64>? {
        for place in 0..<ByteIndex.bucketSlots {
            if body(ByteSlot(word: unsafe first[place])) { return unsafe first + place }
            if body(ByteSlot(word: unsafe second[place])) { return unsafe second + place }
        }
        return nil
    }

    /// The same in two buckets.
    @inline(__always)
    static func find(
        _ hash: UInt64, _ key: UnsafeRawBufferPointer, _ first: UnsafeMutablePointer<UInt64>,
        _ other: UnsafeMutablePointer<UInt64>, _ segments: SegmentView
    ) -> Found? {
        let tag = UInt32(truncatingIfNeeded: hash &<< (ByteSlot.hashShift - 32))
        let mask: UInt32 = ~0 &<< UInt32(ByteSlot.hashShift - 32)
        // All slots of both are compared before one is looked at: where it stands is not to be guessed.
        var matches = unsafe jetsam_match8(first, tag, mask) | jetsam_match8(other, tag, mask) &<< 8
        while matches != 0 {
            let index = matches.trailingZeroBitCount
            matches &= matches &- 1
            let place =
                unsafe (index & ByteIndex.bucketSlots == 0 ? first : other) + (index & (ByteIndex.bucketSlots - 1))
            let slot = unsafe load(place)
            guard segments.isLive(slot), unsafe ByteEntry.hasKey(key, at: segments.address(of: slot)) else { continue }
            return unsafe Found(place: place, slot: slot)
        }
        return nil
    }

    /// A slot, of which others may be counting a use.
    @inline(__always)
    private static func load(_ slot: UnsafeMutablePointer<UInt64>) -> ByteSlot {
        unsafe ByteSlot(word: atomic(slot).pointee.load(ordering: .relaxed))
    }

    @inline(__always)
    private static func atomic(_ slot: UnsafeMutablePointer<UInt64>) -> UnsafeMutablePointer<Atomic<UInt64>> {
        unsafe UnsafeMutableRawPointer(slot).assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    /// Counts a use of an entry and of its segment. Where others do so at the same time, one of the uses may be lost.
    ///
    /// - Parameter count: Uses that were counted so far on this stripe.
    @inline(__always)
    static func touch(_ found: Found, _ record: UnsafeMutablePointer<SegmentRecord>, _ count: Int) {
        var weight: UInt32 = 1
        if found.slot.frequency != ByteSlot.mostFrequency {
            unsafe atomic(found.place).pointee.store(found.slot.touched.word, ordering: .relaxed)
        } else {
            // One in eight, and not every eighth, of those that have been used much: each write to the record takes its line
            // away from the other processors.
            guard UInt64(truncatingIfNeeded: count) &* 0x9E37_79B9_7F4A_7C15 < 1 << 61 else { return }
            weight = 8
        }
        let hits = unsafe record.pointee.hits.load(ordering: .relaxed)
        unsafe record.pointee.hits.store(hits &+ weight, ordering: .relaxed)
    }
}
