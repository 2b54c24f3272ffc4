#if os(Linux)
    internal import JetsamSystem

    /// The entries of a ``NSCache`` in the order of their use. Calls nobody: keys are found by their hash, and compared by the caller.
    struct CacheTable: Sendable {
        private var entries: [UInt64: CacheEntry] = [:]
        private var byHash: [Int: [UInt64]] = [:]
        private var nextNumber: UInt64 = 1
        /// The ends of the order of use; 0 where there is none.
        private var oldest: UInt64 = 0
        private var newest: UInt64 = 0
        private(set) var totalCost = 0
        private(set) var bytes = 0

        var count: Int { entries.count }

        /// The entries whose keys have that hash.
        func candidates(_ hash: Int) -> [Candidate] {
            (byHash[hash] ?? []).compactMap { number in
                entries[number].map { Candidate(number: number, key: $0.key) }
            }
        }

        struct Candidate: Sendable {
            let number: UInt64
            let key: CacheKey
        }

        subscript(number: UInt64) -> CacheEntry? { entries[number] }

        /// Makes an entry the newest, and gives it; nil where it has left.
        mutating func use(_ number: UInt64) -> CacheEntry? {
            guard let entry = entries[number] else { return nil }
            if number != newest {
                unlink(number)
                link(number)
            }
            return entry
        }

        mutating func insert(_ entry: CacheEntry) {
            let number = nextNumber
            nextNumber += 1
            entries[number] = entry
            byHash[entry.key.hash, default: []].append(number)
            totalCost = totalCost.addingSaturating(entry.cost)
            bytes = bytes.addingSaturating(entry.bytes)
            link(number)
        }

        mutating func remove(_ number: UInt64) -> CacheEntry? {
            guard let entry = entries[number] else { return nil }
            unlink(number)
            entries[number] = nil
            byHash[entry.key.hash]?.removeAll { $0 == number }
            if byHash[entry.key.hash]?.isEmpty == true { byHash[entry.key.hash] = nil }
            totalCost -= entry.cost
            bytes -= entry.bytes
            return entry
        }

        mutating func removeOldest() -> CacheEntry? { remove(oldest) }

        mutating func removeAll() -> [CacheEntry] {
            let all = Array(entries.values)
            let number = nextNumber
            self = CacheTable()
            // Numbers that callers still have must not come again.
            nextNumber = number
            return all
        }

        /// Notes that the content of an entry was thrown away. Gives the bytes that it no longer has.
        mutating func empty(_ number: UInt64) -> Int {
            guard let freed = entries[number].map({ $0.bytes - CacheEntry.emptyBytes }), freed > 0 else { return 0 }
            entries[number]?.bytes = CacheEntry.emptyBytes
            bytes -= freed
            return freed
        }

        /// The oldest entries that have so many bytes together, the oldest first; at most `most` of them, and none of `passed`.
        func oldest(bytes wanted: Int, atMost most: Int, passing passed: Set<UInt64>) -> [UInt64] {
            var found: [UInt64] = []
            var sum = 0
            var number = oldest
            while sum < wanted, found.count < most, let entry = entries[number] {
                if !passed.contains(number) {
                    found.append(number)
                    sum = sum.addingSaturating(entry.bytes)
                }
                number = entry.newer
            }
            return found
        }

        private mutating func link(_ number: UInt64) {
            entries[number]?.older = newest
            entries[number]?.newer = 0
            entries[newest]?.newer = number
            newest = number
            if oldest == 0 { oldest = number }
        }

        private mutating func unlink(_ number: UInt64) {
            guard let entry = entries[number] else { return }
            entries[entry.older]?.newer = entry.newer
            entries[entry.newer]?.older = entry.older
            if oldest == number { oldest = entry.newer }
            if newest == number { newest = entry.older }
        }
    }
#endif
