internal import MemoryPressure

/// Records on their way to a file: put in by whoever records, taken out by the thread that writes.
///
/// Its memory is there from the start. Where the file is too slow the newest records are left out and counted: what is decided
/// waits for no disk.
@safe final class TraceQueue: Sendable {
    struct Entry {
        var kind: TraceKind
        var instant: MonotonicInstant
        /// The number of bytes that it has.
        var count: Int
    }

    private struct State {
        var first = 0
        var count = 0
        var lost = 0
        /// Headers are longer than a slot, and rare: they wait here for the records that stand for them.
        var headers: [TraceHeader] = []
    }

    /// A slot: the instant, the kind, the length, the record's bytes.
    private static let stride = 12 + RecordBytes.most + 4
    private let capacity: Int
    /// Read and written under the lock alone.
    nonisolated(unsafe) private let slots: UnsafeMutableRawBufferPointer
    private let state = Lock(State())

    /// - Parameter capacity: The number of records that may wait; 228 bytes each.
    init(capacity: Int) {
        self.capacity = capacity
        unsafe slots = .allocate(byteCount: capacity * Self.stride, alignment: 8)
        // Touched now, so that no page is faulted in while something is decided.
        unsafe slots.initializeMemory(as: UInt8.self, repeating: 0)
    }

    deinit {
        unsafe slots.deallocate()
    }

    func append(_ kind: TraceKind, at instant: MonotonicInstant, _ bytes: UnsafeRawBufferPointer) {
        state.withLock { state in _ = unsafe put(kind, at: instant, bytes, &state) }
    }

    /// False where there is no room; then it is counted as lost.
    private func put(
        _ kind: TraceKind, at instant: MonotonicInstant, _ bytes: UnsafeRawBufferPointer, _ state: inout State
    ) -> Bool {
        guard state.count < capacity else {
            state.lost += 1
            return false
        }
        let offset = (state.first + state.count) % capacity * Self.stride
        unsafe slots.storeBytes(of: instant.nanoseconds, toByteOffset: offset, as: Int64.self)
        unsafe slots.storeBytes(of: kind.rawValue, toByteOffset: offset + 8, as: UInt16.self)
        unsafe slots.storeBytes(of: UInt16(bytes.count), toByteOffset: offset + 10, as: UInt16.self)
        let place = unsafe UnsafeMutableRawBufferPointer(rebasing: slots[(offset + 12)..<(offset + Self.stride)])
        unsafe place.copyMemory(from: bytes)
        state.count += 1
        return true
    }

    /// The next header, for a record of the kind `trace` that has no bytes.
    func popFirstHeader() -> TraceHeader? {
        state.withLock { $0.headers.isEmpty ? nil : $0.headers.removeFirst() }
    }

    func append(_ header: TraceHeader, at instant: MonotonicInstant) {
        state.withLock { state in
            // A header whose record is lost goes with it: it would be taken for the next one's.
            let none = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
            if unsafe put(.trace, at: instant, none, &state) { state.headers.append(header) }
        }
    }

    /// Copies the oldest record to `place`, which has room for ``RecordBytes/most`` bytes; nil where none waits. Nothing is
    /// allocated under the lock, for whoever decides may wait for it.
    func popFirst(into place: UnsafeMutableRawBufferPointer) -> Entry? {
        state.withLock { state in
            guard state.count > 0 else { return nil }
            let offset = state.first * Self.stride
            let nanoseconds = unsafe slots.load(fromByteOffset: offset, as: Int64.self)
            let kind = unsafe slots.load(fromByteOffset: offset + 8, as: UInt16.self)
            let count = unsafe Int(slots.load(fromByteOffset: offset + 10, as: UInt16.self))
            unsafe place.copyMemory(
                from: UnsafeRawBufferPointer(rebasing: slots[(offset + 12)..<(offset + 12 + count)]))
            state.first = (state.first + 1) % capacity
            state.count -= 1
            return TraceKind(rawValue: kind).map {
                Entry(kind: $0, instant: MonotonicInstant(nanoseconds: nanoseconds), count: count)
            }
        }
    }

    /// Returns the number of records that were left out since the last call.
    func collectLostCount() -> Int {
        state.withLock { state in
            defer { state.lost = 0 }
            return state.lost
        }
    }
}
