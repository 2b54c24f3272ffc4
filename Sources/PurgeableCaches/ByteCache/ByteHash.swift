/// The hash of a key, and the seeds for it.
///
/// Sixteen bytes at a time are multiplied to 128 bits whose halves are folded. Both factors hold a secret of the cache's,
/// so that nobody outside can choose keys that meet.
struct ByteHash {
    /// The number that chooses the shard: to be reduced to as many bits as needed, from the top.
    var shard: UInt64
    /// The number that chooses the buckets of the index, 21 bits.
    var index: UInt64
    /// All of it.
    var whole: UInt64

    struct Seeds: Sendable {
        var first: UInt64
        var second: UInt64

        /// Random ones.
        init() {
            first = UInt64.random(in: .min ... .max)
            second = UInt64.random(in: .min ... .max) | 1
        }
    }

    @inline(__always)
    init(_ value: UInt64) {
        shard = value >> 56
        index = (value >> 24) & (1 << ByteSlot.hashBits - 1)
        whole = value
    }

    @inline(__always)
    init(_ key: UnsafeRawBufferPointer, _ seeds: Seeds) {
        let length = UInt64(truncatingIfNeeded: key.count)
        var state = seeds.first
        // A key without bytes may have an address or none, and is the same.
        guard length > 0, var bytes = key.baseAddress else {
            self.init(Self.fold(seeds.first, seeds.second))
            return
        }
        var left = key.count
        while left > 16 {
            state = unsafe Self.fold(
                Self.word(bytes) ^ state, Self.word(bytes + 8) ^ seeds.second &+ UInt64(truncatingIfNeeded: left))
            unsafe bytes += 16
            left -= 16
        }
        let low: UInt64
        let high: UInt64
        if left >= 8 {
            low = unsafe Self.word(bytes)
            high = unsafe Self.word(bytes + (left - 8))
        } else if left >= 4 {
            low = unsafe UInt64(bytes.loadUnaligned(as: UInt32.self))
            high = unsafe UInt64((bytes + (left - 4)).loadUnaligned(as: UInt32.self))
        } else if left > 0 {
            low = unsafe UInt64(bytes.load(as: UInt8.self))
            high =
                unsafe UInt64((bytes + left / 2).load(as: UInt8.self)) << 8
                | UInt64((bytes + (left - 1)).load(as: UInt8.self))
        } else {
            low = 0
            high = 0
        }
        state = Self.fold(low ^ state, high ^ seeds.second)
        self.init(Self.fold(state ^ seeds.second, (0x9E37_79B9_7F4A_7C15 ^ seeds.first) &+ length))
    }

    @inline(__always)
    private static func word(_ bytes: UnsafeRawPointer) -> UInt64 {
        unsafe bytes.loadUnaligned(as: UInt64.self)
    }

    @inline(__always)
    private static func fold(_ a: UInt64, _ b: UInt64) -> UInt64 {
        let (high, low) = a.multipliedFullWidth(by: b)
        return high ^ low
    }
}
