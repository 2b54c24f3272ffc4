/// The entries of one shard, in chunks that neither move nor are copied when more are needed. Wholly empty chunks beyond one
/// go back to the allocator.
///
/// Not safe by itself: whoever holds the shard's lock may use it, and an index must be one that is taken.
@safe struct TaskSlab: ~Copyable {
    @safe private struct Chunk {
        var entries: UnsafeMutablePointer<TaskEntry>?
        /// A place for each slot; nil until one of its tasks tells progress.
        var progress: UnsafeMutablePointer<Progress>?
        /// The first free slot that was used before; linked by `next`.
        var firstFree = TaskEntry.noIndex
        /// Slots from here on were never used.
        var untouched = 0
        var used = 0
        /// Neighbours on the list of chunks with room, or of numbers without a chunk.
        var next = -1
        var previous = -1
    }

    /// The last progress that was told in a slot. It is the present task's only where the generation is that task's, so that
    /// neither a beginning nor an end touches it.
    private struct Progress {
        var generation: UInt32
        /// As in ``TaskEntry/begunAt``.
        var time: UInt32
    }

    static let chunkShift = 10
    static let chunkSize = 1 << chunkShift
    /// The most that one slab can hold: the index of an identifier has 28 bits.
    static let mostChunks = 1 << (28 - chunkShift)

    private var chunks: UnsafeMutablePointer<Chunk>
    private var capacity = 16
    private var count = 0
    /// The first chunk that has room.
    private var withRoom = -1
    /// The first number whose chunk went back.
    private var vacant = -1
    private var emptyChunks = 0
    /// The number of slots that are taken.
    private(set) var taken = 0

    init() {
        unsafe chunks = .allocate(capacity: capacity)
    }

    deinit {
        for index in 0..<count {
            guard let entries = unsafe chunks[index].entries else { continue }
            for slot in 0..<(unsafe chunks[index].untouched) where unsafe entries[slot].phase != .free {
                unsafe (entries + slot).deinitialize(count: 1)
            }
            unsafe entries.deallocate()
            unsafe chunks[index].progress?.deallocate()
        }
        unsafe chunks.deallocate()
    }

    @inline(__always)
    func entry(_ index: UInt32) -> UnsafeMutablePointer<TaskEntry> {
        unsafe chunks[Int(index >> UInt32(Self.chunkShift))].entries! + Int(index & UInt32(Self.chunkSize - 1))
    }

    /// The entry, where the index is of a chunk that exists and the generation is the entry's.
    @inline(__always)
    func entry(_ index: UInt32, generation: UInt32) -> UnsafeMutablePointer<TaskEntry>? {
        let number = Int(index >> UInt32(Self.chunkShift))
        let slot = Int(index & UInt32(Self.chunkSize - 1))
        guard number < count, let entries = unsafe chunks[number].entries, unsafe slot < chunks[number].untouched,
            unsafe entries[slot].generation == generation, unsafe entries[slot].phase != .free
        else { return nil }
        return unsafe entries + slot
    }

    /// Returns whether an entry is at that index.
    func isTaken(_ index: UInt32) -> Bool {
        let number = Int(index >> UInt32(Self.chunkShift))
        let slot = Int(index & UInt32(Self.chunkSize - 1))
        guard number < count, let entries = unsafe chunks[number].entries else { return false }
        return unsafe slot < chunks[number].untouched && entries[slot].phase != .free
    }

    /// Takes a slot for the entry; nil where the slab is full.
    @inline(__always)
    mutating func insert(_ entry: consuming TaskEntry) -> UInt32? {
        if withRoom < 0, !addChunk() { return nil }
        let number = withRoom
        let chunk = unsafe chunks + number
        let slot: Int
        if unsafe chunk.pointee.firstFree != TaskEntry.noIndex {
            slot = unsafe Int(chunk.pointee.firstFree)
            unsafe chunk.pointee.firstFree = chunk.pointee.entries![slot].next
        } else {
            slot = unsafe chunk.pointee.untouched
            unsafe chunk.pointee.untouched += 1
        }
        unsafe (chunk.pointee.entries! + slot).initialize(to: entry)
        if unsafe chunk.pointee.used == 0 { emptyChunks -= 1 }
        unsafe chunk.pointee.used += 1
        taken += 1
        if unsafe chunk.pointee.used == Self.chunkSize { unlink(number) }
        return UInt32(truncatingIfNeeded: number << Self.chunkShift | slot)
    }

    /// Gives the slot back. The entry's handler must have been taken out: it is the user's, and is let go of elsewhere.
    @inline(__always)
    mutating func remove(_ index: UInt32) {
        let number = Int(index >> UInt32(Self.chunkShift))
        let slot = Int(index & UInt32(Self.chunkSize - 1))
        let chunk = unsafe chunks + number
        let entries = unsafe chunk.pointee.entries!
        unsafe entries[slot].phase = .free
        unsafe entries[slot].next = chunk.pointee.firstFree
        unsafe chunk.pointee.firstFree = UInt32(truncatingIfNeeded: slot)
        if unsafe chunk.pointee.used == Self.chunkSize { link(number) }
        unsafe chunk.pointee.used -= 1
        taken -= 1
        if unsafe chunk.pointee.used == 0 { becameEmpty(number) }
    }

    /// Notes that the task of that generation, whose slot is taken, made progress then. The first of a chunk allocates.
    func noteProgress(_ index: UInt32, generation: UInt32, at time: UInt32) {
        let chunk = unsafe chunks + Int(index >> UInt32(Self.chunkShift))
        if unsafe chunk.pointee.progress == nil {
            let places = UnsafeMutablePointer<Progress>.allocate(capacity: Self.chunkSize)
            // No task has generation 0.
            unsafe places.initialize(repeating: Progress(generation: 0, time: 0), count: Self.chunkSize)
            unsafe chunk.pointee.progress = places
        }
        let slot = Int(index & UInt32(Self.chunkSize - 1))
        unsafe chunk.pointee.progress![slot] = Progress(generation: generation, time: time)
    }

    /// The time when the task of that generation, whose slot is taken, last told progress; nil where it never did.
    func progress(_ index: UInt32, generation: UInt32) -> UInt32? {
        guard let places = unsafe chunks[Int(index >> UInt32(Self.chunkShift))].progress else { return nil }
        let last = unsafe places[Int(index & UInt32(Self.chunkSize - 1))]
        return last.generation == generation ? last.time : nil
    }

    /// The number of chunk numbers: `entries(ofChunk:)` takes those below.
    var chunkCount: Int { count }

    /// The touched slots of a chunk, for a walk over all entries; free ones among them.
    func entries(ofChunk number: Int) -> UnsafeMutableBufferPointer<TaskEntry> {
        guard number < count else { return unsafe UnsafeMutableBufferPointer(start: nil, count: 0) }
        return unsafe UnsafeMutableBufferPointer(
            start: chunks[number].entries, count: chunks[number].entries == nil ? 0 : chunks[number].untouched)
    }

    @inline(never)
    private mutating func addChunk() -> Bool {
        let number: Int
        if vacant >= 0 {
            number = vacant
            unsafe vacant = chunks[number].next
        } else {
            guard count < Self.mostChunks else { return false }
            if count == capacity { growDirectory() }
            number = count
            count += 1
        }
        unsafe (chunks + number).initialize(to: Chunk())
        unsafe chunks[number].entries = .allocate(capacity: Self.chunkSize)
        emptyChunks += 1
        link(number)
        return true
    }

    private mutating func growDirectory() {
        let larger = UnsafeMutablePointer<Chunk>.allocate(capacity: capacity * 2)
        unsafe larger.moveInitialize(from: chunks, count: count)
        unsafe chunks.deallocate()
        unsafe chunks = larger
        capacity *= 2
    }

    /// Keeps one empty chunk, so that a table that breathes at the edge of a chunk does not allocate with every breath.
    @inline(never)
    private mutating func becameEmpty(_ number: Int) {
        emptyChunks += 1
        guard emptyChunks > 1 else { return }
        emptyChunks -= 1
        unlink(number)
        unsafe chunks[number].entries!.deallocate()
        unsafe chunks[number].entries = nil
        unsafe chunks[number].progress?.deallocate()
        unsafe chunks[number].progress = nil
        unsafe chunks[number].next = vacant
        vacant = number
    }

    private mutating func link(_ number: Int) {
        unsafe chunks[number].next = withRoom
        unsafe chunks[number].previous = -1
        if withRoom >= 0 { unsafe chunks[withRoom].previous = number }
        withRoom = number
    }

    private mutating func unlink(_ number: Int) {
        let next = unsafe chunks[number].next
        let previous = unsafe chunks[number].previous
        if previous >= 0 { unsafe chunks[previous].next = next } else { withRoom = next }
        if next >= 0 { unsafe chunks[next].previous = previous }
    }
}
