/// The data that a cache keeps of an entry beside key and value, and that a hit does not need.
@usableFromInline
struct CacheEntryHeader {
    /// The queue that an entry is in.
    enum Place {
        static let none: UInt8 = 0
        /// New ones, which have yet to be asked for again.
        static let small: UInt8 = 1
        /// Those that were.
        static let main: UInt8 = 2
    }

    /// No entry.
    @usableFromInline static let none = UInt32.max
    /// The most that a cost can be: 40 bits, 1 TiB − 1.
    @usableFromInline static let greatestCost = 1 << 40 - 1

    var costLow: UInt32 = 0
    @usableFromInline var expiryLow: UInt32 = 0
    var costHigh: UInt8 = 0
    @usableFromInline var expiryHigh: UInt8 = 0
    var place = Place.none
    var previous = CacheEntryHeader.none
    /// The next in its queue, or the next that is free.
    var next = CacheEntryHeader.none
    @usableFromInline var hash: UInt32 = 0

    init(hash: UInt32, cost: Int, expiry: UInt64) {
        self.hash = hash
        costLow = UInt32(truncatingIfNeeded: cost)
        costHigh = UInt8(truncatingIfNeeded: cost >> 32)
        expiryLow = UInt32(truncatingIfNeeded: expiry)
        expiryHigh = UInt8(truncatingIfNeeded: expiry >> 32)
    }

    /// In bytes.
    @usableFromInline var cost: Int { Int(costLow) | Int(costHigh) << 32 }

    /// The tick that it expires at; 0 for never.
    @inlinable var expiry: UInt64 { UInt64(expiryLow) | UInt64(expiryHigh) << 32 }
}

/// Time as entries keep it: ticks of 2²⁰ ns (1.05 ms) in 40 bits, enough for 36 years.
@usableFromInline
enum CacheTick {
    @usableFromInline
    static func expiry(now: Int64, after: Int64) -> UInt64 {
        let (end, overflow) = now.addingReportingOverflow(after)
        // Rounded up: nothing expires early.
        return overflow ? 1 << 40 - 1 : min(UInt64(max(1, end &+ (1 << 20 - 1))) >> 20, 1 << 40 - 1)
    }

    @inlinable
    static func hasPassed(_ expiry: UInt64, now: Int64) -> Bool {
        expiry != 0 && UInt64(max(0, now)) >> 20 >= expiry
    }
}
