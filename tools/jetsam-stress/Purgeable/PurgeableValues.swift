internal import MemoryPressure

/// A cache as small as can be: values of 16 KiB on the heap that nobody reads, the oldest given back first.
final class PurgeableValues: Sendable {
    static let valueBytes = 16 << 10

    private struct State {
        var values: [[UInt8]] = []
        /// Values before this one are gone.
        var oldest = 0
    }

    private let state = Lock(State())

    /// Fills it with at least so many bytes, every one of them written to.
    init(bytes: Int) {
        let count = (bytes + Self.valueBytes - 1) / Self.valueBytes
        state.withLock { state in
            state.values.reserveCapacity(count)
            for number in 0..<count {
                state.values.append([UInt8](repeating: UInt8(truncatingIfNeeded: number), count: Self.valueBytes))
            }
        }
    }

    var heldBytes: Int {
        state.withLock { ($0.values.count - $0.oldest) * Self.valueBytes }
    }

    /// Drops values until at least so many bytes are gone, or none is left; gives the bytes that are gone.
    func release(atLeast bytes: Int) -> Int {
        state.withLock { state in
            // Not rounded up by an addition, which a caller that wants everything would make overflow.
            let wanted = max(0, bytes) / Self.valueBytes + (bytes > 0 && bytes % Self.valueBytes > 0 ? 1 : 0)
            let end = state.oldest + min(wanted, state.values.count - state.oldest)
            let count = end - state.oldest
            for index in state.oldest..<end { state.values[index] = [] }
            state.oldest = end
            return count * Self.valueBytes
        }
    }
}
