package import MemoryPressure

/// The largest rise of memory beside the caches within ten seconds, in the last five minutes. Memory that comes and goes faster
/// than caches refill comes again, so room for it is kept free. The memory that a process takes as it starts does not count: a
/// window that is not full counts nothing.
package struct LargestUnmanagedRise {
    private struct Slot {
        var number = Int64.min
        var bytes = 0
    }

    /// In seconds: a rise is looked for in so many.
    private static let reach: Int64 = 10
    /// The number of these that are remembered.
    private static let memory: Int64 = 30

    /// The least of each second, and the largest rise of each ten seconds. Of full length from the start: a reading may not allocate.
    private var lows = [Slot](repeating: Slot(), count: Int(reach) + 1)
    private var rises = [Slot](repeating: Slot(), count: Int(memory) + 1)
    /// The first second of the window; nil before.
    private var since: Int64?
    /// The largest of what is remembered, in bytes.
    package private(set) var largest = 0

    package init() {}

    /// - Parameter bytes: Memory beside the caches; only differences mean anything.
    package mutating func append(_ bytes: Int, at instant: MonotonicInstant) {
        let second = instant.nanoseconds / 1_000_000_000
        let since = self.since ?? second
        self.since = since
        let low = Int(second % Int64(lows.count))
        if lows[low].number != second || lows[low].bytes > bytes { lows[low] = Slot(number: second, bytes: bytes) }
        var lowest = bytes
        // By number: going through an array itself can allocate.
        for index in 0..<lows.count where lows[index].number > second - Self.reach {
            lowest = min(lowest, lows[index].bytes)
        }

        let current = second / Self.reach
        let rise = second - since > Self.reach ? bytes.subtractingSaturating(lowest) : 0
        let index = Int(current % Int64(rises.count))
        if rises[index].number != current || rises[index].bytes < rise {
            rises[index] = Slot(number: current, bytes: rise)
        }
        largest = 0
        for index in 0..<rises.count where rises[index].number > current - Self.memory {
            largest = max(largest, rises[index].bytes)
        }
    }

    /// After a gap a difference is no rise; what was seen before it stays.
    package mutating func pause() {
        for index in 0..<lows.count { lows[index] = Slot() }
        since = nil
    }
}
