internal import JetsamSystem
internal import Synchronization

/// The place of a shard's segments, without the right to change which there are.
@safe struct SegmentView {
    let records: UnsafeMutablePointer<SegmentRecord>
    let shift: UInt64

    @inline(__always)
    func record(_ id: UInt32) -> UnsafeMutablePointer<SegmentRecord> {
        unsafe records + Int(id)
    }

    /// The number of the segment of a place.
    @inline(__always)
    func id(of slot: ByteSlot) -> UInt32 { UInt32(truncatingIfNeeded: slot.location &>> shift) }

    /// The segment of a place.
    @inline(__always)
    func segment(of slot: ByteSlot) -> UnsafeMutablePointer<SegmentRecord> {
        unsafe records + Int(truncatingIfNeeded: slot.location &>> shift)
    }

    /// Returns whether the entry that the slot speaks of is still in its segment.
    @inline(__always)
    func isLive(_ slot: ByteSlot) -> Bool {
        unsafe !slot.isEmpty && segment(of: slot).pointee.generation == slot.generation
    }

    /// The entry that a slot speaks of, as long as it does.
    @inline(__always)
    func entry(of slot: ByteSlot) -> ByteEntry { unsafe ByteEntry(at: address(of: slot)) }

    @inline(__always)
    func address(of slot: ByteSlot) -> UnsafeMutableRawPointer {
        let offset = Int(truncatingIfNeeded: slot.location & (1 &<< shift &- 1)) * ByteSlot.unitBytes
        return unsafe segment(of: slot).pointee.base + offset
    }
}

/// The segments of one shard: their records, their queues and their memory.
///
/// A segment stays with the shard for ever, as address space: its memory comes and goes.
@safe struct SegmentTable: ~Copyable {
    let memory: SegmentMemory
    let stripes: ByteStripes
    let segmentBytes: Int
    /// Segments that are mapped at a time, where so much address space is to be had.
    private static let regionBytes = 16 << 20
    /// Segments from here on get huge pages, where they are wanted.
    let firstHuge: Int
    private(set) var view: SegmentView
    private(set) var capacity = 0
    private(set) var count = 0
    var free = SegmentQueue()
    var spare = SegmentQueue()
    var unswept = SegmentQueue()
    var young = SegmentQueue()
    var kept = SegmentQueue()
    /// Bytes that may be resident, those of deferred segments not counted.
    var residentBytes = 0
    var deferredBytes = 0
    var deferredCount = 0

    init(memory: SegmentMemory, segmentBytes: Int, firstHuge: Int, stripes: ByteStripes) {
        self.memory = memory
        self.stripes = stripes
        self.segmentBytes = segmentBytes
        self.firstHuge = firstHuge
        let shift = UInt64((segmentBytes / ByteSlot.unitBytes).trailingZeroBitCount)
        // Nobody looks there before there is a slot that points to a segment.
        unsafe view = SegmentView(records: UnsafeMutablePointer(bitPattern: 64).unsafelyUnwrapped, shift: shift)
    }

    /// Maps the records; false where there is no address space for them.
    private mutating func start() -> Bool {
        let most = min(1 << 16, 1 << Int(ByteSlot.locationBits - view.shift))
        guard let address = unsafe memory.map(Self.recordBytes(most, memory)) else { return false }
        let records = unsafe address.bindMemory(to: SegmentRecord.self, capacity: most)
        unsafe view = SegmentView(records: records, shift: view.shift)
        capacity = most
        return true
    }

    private static func recordBytes(_ count: Int, _ memory: SegmentMemory) -> Int {
        memory.roundedUp(count * MemoryLayout<SegmentRecord>.stride)
    }

    deinit {
        for index in 0..<count {
            let (base, resident) = unsafe (view.records[index].base, Int(view.records[index].resident))
            // What goes back to the kernel is overwritten here as well.
            if memory.isSensitive { unsafe base.initializeMemory(as: UInt8.self, repeating: 0, count: resident) }
            unsafe memory.unmap(base, segmentBytes)
        }
        guard capacity > 0 else { return }
        unsafe memory.unmap(UnsafeMutableRawPointer(view.records), Self.recordBytes(capacity, memory))
    }

    @inline(__always)
    func record(_ id: UInt32) -> UnsafeMutablePointer<SegmentRecord> {
        unsafe view.records + Int(id)
    }

    /// Returns whether a body reads it, or writes to it, now.
    func isPinned(_ id: UInt32) -> Bool {
        if unsafe record(id).pointee.bodies.load(ordering: .sequentiallyConsistent) != 0 { return true }
        return stripes.isPinned(id)
    }

    /// A place in units, for a slot.
    @inline(__always)
    func location(_ id: UInt32, offset: Int) -> UInt64 {
        UInt64(id) << view.shift | UInt64(offset / ByteSlot.unitBytes)
    }

    /// Segments with entries, full or not.
    var heldCount: Int { count - free.count - spare.count - unswept.count - deferredCount }

    /// Takes address space for more segments; false where there is none.
    mutating func grow() -> Bool {
        guard capacity > 0 || start() else { return false }
        var number = min(max(1, Self.regionBytes / segmentBytes), capacity - count)
        let isHuge = count >= firstHuge
        while number > 0 {
            if let base = unsafe memory.map(number * segmentBytes, alignment: segmentBytes) {
                let isHuge = unsafe memory.setHugePages(isHuge, base, number * segmentBytes)
                for index in 0..<number {
                    let id = UInt32(count)
                    unsafe (view.records + count).initialize(
                        to: SegmentRecord(base: base + index * segmentBytes, hasHugePages: isHuge, shard: stripes.shard)
                    )
                    count += 1
                    free.append(id, view)
                }
                return true
            }
            number /= 2
        }
        return false
    }

    /// Links a segment into the queue of its state.
    mutating func enqueue(_ id: UInt32, as wanted: SegmentRecord.State) {
        let isUnswept = unsafe record(id).pointee.generation == 0 && (wanted == .free || wanted == .spare)
        let state = isUnswept ? .unswept : wanted
        unsafe record(id).pointee.state = state
        switch state {
        case .free: free.append(id, view)
        case .spare: spare.append(id, view)
        case .unswept: unswept.append(id, view)
        case .sealed:
            if unsafe record(id).pointee.kind == .young { young.append(id, view) } else { kept.append(id, view) }
        case .filling, .deferred, .leaving: break
        }
    }

    /// Takes a segment out of the queue of its state.
    mutating func dequeue(_ id: UInt32) {
        switch unsafe record(id).pointee.state {
        case .free: free.remove(id, view)
        case .spare: spare.remove(id, view)
        case .unswept: unswept.remove(id, view)
        case .sealed:
            if unsafe record(id).pointee.kind == .young { young.remove(id, view) } else { kept.remove(id, view) }
        case .filling, .deferred, .leaving: break
        }
    }

    /// Lets segments be used again whose slots a pass through the index has swept out: those that it found without a generation.
    mutating func endPass(_ pass: UInt32) {
        var id = unswept.first
        while id != SegmentRecord.none {
            let record = unsafe record(id)
            let next = unsafe record.pointee.next
            if unsafe record.pointee.pass != pass {
                dequeue(id)
                unsafe record.pointee.generation = ByteSlot.firstGeneration
                enqueue(id, as: unsafe record.pointee.resident > 0 ? .spare : .free)
            }
            id = next
        }
    }

    /// Notes that a segment is used up to there, and so resident.
    @inline(__always)
    mutating func use(_ id: UInt32, upTo used: Int) {
        unsafe record(id).pointee.used = UInt32(truncatingIfNeeded: used)
        if unsafe used > Int(record(id).pointee.resident) { touch(id, upTo: used) }
    }

    private mutating func touch(_ id: UInt32, upTo used: Int) {
        let record = unsafe record(id)
        let bytes = unsafe record.pointee.hasHugePages ? segmentBytes : min(segmentBytes, memory.roundedUp(used))
        unsafe residentBytes += bytes - Int(record.pointee.resident)
        unsafe record.pointee.resident = UInt32(bytes)
    }

    /// Puts a segment that somebody reads aside until nobody does.
    mutating func deferRelease(_ id: UInt32) {
        let record = unsafe record(id)
        let bytes = unsafe Int(record.pointee.resident)
        residentBytes -= bytes
        deferredBytes += bytes
        deferredCount += 1
        unsafe record.pointee.state = .deferred
        unsafe record.pointee.isDeferred.store(true, ordering: .sequentiallyConsistent)
        // Either the last body to end sees it, or it is seen here that all have ended.
        stripes.synchronize()
        unsafe finishDeferred(record)
    }

    /// Gives back a segment that was put aside and that nobody reads any more; the bytes that went.
    @discardableResult
    mutating func finishDeferred(_ record: UnsafeMutablePointer<SegmentRecord>) -> Int {
        let id = unsafe UInt32(record - view.records)
        guard unsafe record.pointee.state == .deferred, !isPinned(id) else { return 0 }
        let bytes = unsafe Int(record.pointee.resident)
        unsafe record.pointee.isDeferred.store(false, ordering: .sequentiallyConsistent)
        deferredBytes -= bytes
        deferredCount -= 1
        residentBytes += bytes
        let given = unsafe memory.discard(record.pointee.base, bytes)
        finishDiscard(id, given: given)
        return given
    }

    /// Counts out what was given back of a segment that is in no queue.
    mutating func finishDiscard(_ id: UInt32, given: Int) {
        let record = unsafe record(id)
        // A segment that could not go, because it is locked in memory, is used again.
        guard unsafe given == Int(record.pointee.resident) else { return enqueue(id, as: .spare) }
        residentBytes -= given
        unsafe record.pointee.resident = 0
        enqueue(id, as: .free)
    }
}
