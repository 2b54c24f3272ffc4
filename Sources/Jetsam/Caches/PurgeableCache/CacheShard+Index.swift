extension CacheShard {
    /// The bits of a slot that hold an entry's number + 1.
    @usableFromInline static var numberMask: UInt32 { 1 << 25 - 1 }

    /// The bits of a slot above them: seven of the hash value that neither choose the shard nor, mostly, the place in the index.
    @inlinable
    @inline(__always)
    static func tag(_ hash: UInt32) -> UInt32 { (hash << 19) & ~numberMask }

    @inline(__always)
    private func home(_ hash: UInt32) -> Int {
        Int((UInt64(hash) * UInt64(slotCount)) >> 32)
    }

    @inline(__always)
    private func after(_ position: Int) -> Int {
        position + 1 == Int(slotCount) ? 0 : position + 1
    }

    mutating func addToIndex(_ entry: UInt32, hash: UInt32) {
        if (count + 1) * 4 > Int(slotCount) * 3 { growIndex() }
        put(entry, hash: hash)
    }

    private func put(_ entry: UInt32, hash: UInt32) {
        var position = home(hash)
        while unsafe slots[position] != 0 { position = after(position) }
        store(Self.tag(hash) | (entry + 1), at: position)
    }

    /// Whoever looks for something sees the first slots also behind the last, and so needs no second look from the beginning.
    @inline(__always)
    private func store(_ slot: UInt32, at position: Int) {
        unsafe slots[position] = slot
        if position < CacheStripe.mirrored { unsafe slots[Int(slotCount) + position] = slot }
    }

    /// An empty index.
    static func makeSlots(_ count: UInt32, _ memory: CacheMemory) -> UnsafeMutablePointer<UInt32> {
        let slots = unsafe memory.allocateTable(Int(count) + CacheStripe.mirrored)
        unsafe slots.initialize(repeating: 0, count: Int(count) + CacheStripe.mirrored)
        return unsafe slots
    }

    static func deallocate(_ slots: UnsafeMutablePointer<UInt32>, _ count: UInt32, _ memory: CacheMemory) {
        unsafe memory.deallocate(table: slots, Int(count) + CacheStripe.mirrored)
    }

    /// By a half, so that the index is never less than half full.
    private mutating func growIndex() {
        let old = unsafe slots
        let oldCount = slotCount
        slotCount += slotCount / 2
        unsafe slots = Self.makeSlots(slotCount, memory)
        for index in 0..<Int(oldCount) {
            let slot = unsafe old[index]
            guard slot != 0 else { continue }
            let entry = (slot & Self.numberMask) - 1
            put(entry, hash: unsafe header(entry).pointee.hash)
        }
        unsafe Self.deallocate(old, oldCount, memory)
        publish()
    }

    /// Takes the entry out and moves those behind it up, so that no lookup ends before what it looks for.
    mutating func removeFromIndex(_ entry: UInt32) {
        var hole = home(unsafe header(entry).pointee.hash)
        while unsafe slots[hole] & Self.numberMask != entry + 1 { hole = after(hole) }
        var position = hole
        while true {
            position = after(position)
            let slot = unsafe slots[position]
            guard slot != 0 else { break }
            let home = home(unsafe header((slot & Self.numberMask) - 1).pointee.hash)
            // It may stay where its home lies cyclically in hole+1...position.
            let stays = hole <= position ? home > hole && home <= position : home > hole || home <= position
            if stays { continue }
            store(slot, at: hole)
            hole = position
        }
        store(0, at: hole)
    }
}
