internal import MemoryPressure

/// Values on the heap, of which those go first that were not read for the longest time.
final class RecentlyUsedCache: ServedCache {
    private struct State {
        /// Empty where there is none.
        var values: [[UInt8]]
        /// The neighbours in the order of use. The ring's last place is nobody's: the latest is before it, the oldest after it.
        var earlier: [Int]
        var later: [Int]
        var heldBytes = 0

        init(keys: Int) {
            values = Array(repeating: [], count: keys)
            earlier = Array(repeating: keys, count: keys + 1)
            later = earlier
        }

        private var end: Int { values.count }

        mutating func unlink(_ key: Int) {
            later[earlier[key]] = later[key]
            earlier[later[key]] = earlier[key]
        }

        mutating func link(_ key: Int) {
            let latest = earlier[end]
            later[latest] = key
            earlier[key] = latest
            later[key] = end
            earlier[end] = key
        }

        mutating func remove(_ key: Int) -> [UInt8] {
            guard !values[key].isEmpty else { return [] }
            unlink(key)
            heldBytes -= values[key].count
            defer { values[key] = [] }
            return values[key]
        }

        mutating func removeOldest() -> [UInt8] { remove(later[end]) }
    }

    private let state: Lock<State>
    private let budget: Int
    private let keys: Int

    init(keys: Int, budget: Int?) {
        self.keys = keys
        self.budget = budget ?? .max
        state = Lock(State(keys: keys))
    }

    var heldBytes: Int { state.withLock { $0.heldBytes } }

    func read(_ key: Int) -> UInt64? {
        let value: [UInt8] = state.withLock { state in
            guard !state.values[key].isEmpty else { return [] }
            state.unlink(key)
            state.link(key)
            return state.values[key]
        }
        return value.isEmpty ? nil : unsafe ServedValue.word(value.span.bytes)
    }

    func store(_ value: [UInt8], for key: Int) {
        guard !value.isEmpty, value.count <= budget else { return }
        // Freed once the lock is given up.
        var dropped: [[UInt8]] = []
        state.withLock { state in
            dropped.append(state.remove(key))
            while state.heldBytes > budget - value.count { dropped.append(state.removeOldest()) }
            state.values[key] = value
            state.heldBytes += value.count
            state.link(key)
        }
        dropped.removeAll()
    }

    /// Drops everything, and gives how many bytes that were.
    func clear() -> Int {
        let empty = State(keys: keys)
        let old = state.withLock { state in
            defer { state = empty }
            return state
        }
        return old.heldBytes
    }
}
