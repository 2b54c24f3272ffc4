/// Remembers, by a few bits of their hashes, what was evicted lately: 10 bytes an entry, in buckets of eight.
///
/// A page of it takes memory from its first use on. So a release, which is to bring memory, makes no table and no larger one: it
/// remembers what it evicts only where there is a table.
///
/// It may forget, and once in some ten thousand lookups take one key for another; either costs a little of the hit rate.
@safe struct GhostTable {
    /// The queue that it was evicted from.
    enum Origin: UInt32 {
        case small = 0
        case main = 1
    }

    private static let bucketSize = 8

    private let memory: CacheMemory
    private var words: UnsafeMutablePointer<UInt32>?
    private var buckets: UInt32 = 0
    /// The number of entries that it was made for.
    package private(set) var capacity = 0
    /// Evictions from either queue.
    private var clocks: (small: UInt64, main: UInt64) = (0, 0)
    /// Evictions in a tick, as a power of two: ages are kept in 15 bits.
    private var tickShift: UInt64 = 0

    init(_ memory: CacheMemory) {
        self.memory = memory
    }

    private var wordCount: Int { Int(buckets) * Self.bucketSize }

    /// Makes room to remember about five evictions for every two entries, as a bucket may be full while others are not; forgets
    /// what there was.
    mutating func resize(for entries: Int) {
        clear()
        capacity = max(8, entries)
        buckets = UInt32(clamping: capacity * 5 / (2 * Self.bucketSize)) + 1
        tickShift = UInt64(max(0, Int.bitWidth - capacity.leadingZeroBitCount - 12))
        unsafe words = memory.allocateZeros(wordCount)
    }

    mutating func clear() {
        if let words = unsafe words { unsafe memory.deallocate(zeros: words, wordCount) }
        unsafe words = nil
        buckets = 0
        capacity = 0
    }

    private func bucket(_ hash: UInt32) -> UnsafeMutablePointer<UInt32>? {
        let number = (UInt64(hash &* 0x9E37_79B1) * UInt64(buckets)) >> 32
        return unsafe words.map { unsafe $0 + Int(number) * Self.bucketSize }
    }

    private func fingerprint(_ hash: UInt32) -> UInt32 {
        // The lowest bits are the same in all of a shard.
        max(1, hash >> 6 & 0xFFFF) << 16
    }

    private func now(_ origin: Origin) -> UInt32 {
        UInt32(truncatingIfNeeded: (origin == .small ? clocks.small : clocks.main) >> tickShift) & 0x7FFF
    }

    private func age(_ word: UInt32) -> UInt32 {
        (now(word & 0x8000 == 0 ? .small : .main) &- word) & 0x7FFF
    }

    mutating func insert(_ hash: UInt32, from origin: Origin) {
        switch origin {
        case .small: clocks.small &+= 1
        case .main: clocks.main &+= 1
        }
        guard let bucket = unsafe bucket(hash) else { return }
        var oldest = 0
        var oldestAge: UInt32 = 0
        for index in 0..<Self.bucketSize {
            let word = unsafe bucket[index]
            guard word != 0 else {
                oldest = index
                break
            }
            let age = age(word)
            if age >= oldestAge { (oldest, oldestAge) = (index, age) }
        }
        unsafe bucket[oldest] = fingerprint(hash) | origin.rawValue << 15 | now(origin)
    }

    /// Returns the queue that it was evicted from and the number of evictions from there since; nil where it is not remembered.
    /// Forgets it.
    mutating func remove(_ hash: UInt32) -> (origin: Origin, age: Int)? {
        guard let bucket = unsafe bucket(hash) else { return nil }
        let wanted = fingerprint(hash)
        for index in 0..<Self.bucketSize {
            let word = unsafe bucket[index]
            guard word & 0xFFFF_0000 == wanted else { continue }
            unsafe bucket[index] = 0
            return (word & 0x8000 == 0 ? .small : .main, Int(age(word)) << Int(tickShift))
        }
        return nil
    }
}
