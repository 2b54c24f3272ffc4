/// The layout of an entry in its segment: four bytes of header, then expiry if it has one, key, value, and up to three bytes that
/// fill up to the next unit. Key and value count in bytes; an entry too large for the header has eight bytes more.
@safe struct ByteEntry {
    private static let keyBits: UInt32 = 8
    private static let valueBits: UInt32 = 20
    private static let mostKey = 1 << 8 - 1
    private static let mostValue = 1 << 20 - 1
    private static let expiryFlag: UInt32 = 1 << 28
    private static let wideFlag: UInt32 = 1 << 29

    /// Ticks a second in which expiry counts: never early, and late by less than a tick.
    static let expiryTicks: Int64 = 128
    /// After so many ticks, 194 days, an expiry counts in steps of ``coarseTicks``: so that 32 bits last for nine years.
    static let fineTicks: Int64 = 1 << 31
    private static let coarseTicks: Int64 = 16

    /// Returns the number that stands for a time in ticks in an entry: the ticks, and from ``fineTicks`` on coarser steps.
    static func tickNumber(_ ticks: Int64, roundsUp: Bool) -> Int64 {
        guard ticks > fineTicks else { return ticks }
        let (whole, rest) = (ticks - fineTicks).quotientAndRemainder(dividingBy: coarseTicks)
        return fineTicks + whole + (roundsUp && rest > 0 ? 1 : 0)
    }

    let start: UnsafeMutableRawPointer
    let keyCount: Int
    let valueCount: Int
    let hasExpiry: Bool
    private let isWide: Bool

    /// The entry that stands there.
    @inline(__always)
    init(at start: UnsafeMutableRawPointer) {
        unsafe self.start = unsafe start
        let header = unsafe start.load(as: UInt32.self)
        hasExpiry = header & Self.expiryFlag != 0
        isWide = header & Self.wideFlag != 0
        if isWide {
            keyCount = unsafe Int(start.load(fromByteOffset: 4, as: UInt32.self))
            valueCount = unsafe Int(start.load(fromByteOffset: 8, as: UInt32.self))
        } else {
            keyCount = Int(header & (1 << Self.keyBits - 1))
            valueCount = Int(header >> Self.keyBits & (1 << Self.valueBits - 1))
        }
    }

    /// Writes a header, and the expiry where there is one, in ticks.
    @inline(__always)
    init(writingAt start: UnsafeMutableRawPointer, keyCount: Int, valueCount: Int, expiry: UInt32?) {
        unsafe self.start = unsafe start
        self.keyCount = keyCount
        self.valueCount = valueCount
        hasExpiry = expiry != nil
        isWide = Self.isWide(keyCount, valueCount)
        let flags = (hasExpiry ? Self.expiryFlag : 0) | (isWide ? Self.wideFlag : 0)
        if isWide {
            unsafe start.storeBytes(of: flags, as: UInt32.self)
            unsafe start.storeBytes(of: UInt32(keyCount), toByteOffset: 4, as: UInt32.self)
            unsafe start.storeBytes(of: UInt32(valueCount), toByteOffset: 8, as: UInt32.self)
        } else {
            let word = flags | UInt32(truncatingIfNeeded: valueCount) << Self.keyBits
            unsafe start.storeBytes(of: word | UInt32(truncatingIfNeeded: keyCount), as: UInt32.self)
        }
        if let expiry { unsafe start.storeBytes(of: expiry, toByteOffset: isWide ? 12 : 4, as: UInt32.self) }
    }

    /// Fills a gap between entries with what passes for one or two without a key, so that those behind it are found.
    ///
    /// - Parameters:
    ///   - byteCount: The size of the gap, a multiple of four.
    ///   - overwrites: Indicates whether nothing may be left of what was there.
    static func writeGap(at start: UnsafeMutableRawPointer, byteCount: Int, overwrites: Bool) {
        guard byteCount > 0 else { return }
        let narrow = byteCount - 4
        let wide = byteCount - 12
        // Too much for a header of four bytes, too little for one of twelve.
        if narrow > mostValue, wide <= mostValue {
            unsafe writeGap(at: start, byteCount: 16, overwrites: overwrites)
            return unsafe writeGap(at: start + 16, byteCount: byteCount - 16, overwrites: overwrites)
        }
        let entry = unsafe ByteEntry(
            writingAt: start, keyCount: 0, valueCount: narrow > mostValue ? wide : narrow, expiry: nil)
        if overwrites { entry.overwrite() }
    }

    private static func isWide(_ keyCount: Int, _ valueCount: Int) -> Bool {
        keyCount > mostKey || valueCount > mostValue
    }

    /// Returns the size of an entry of those counts, in bytes; nil where that is no number.
    static func byteCount(keyCount: Int, valueCount: Int, hasExpiry: Bool) -> Int? {
        let header = (isWide(keyCount, valueCount) ? 12 : 4) + (hasExpiry ? 4 : 0) + ByteSlot.unitBytes - 1
        let (sum, overflow) = keyCount.addingReportingOverflow(valueCount)
        guard !overflow, sum <= Int.max - header else { return nil }
        return (sum + header) & ~(ByteSlot.unitBytes - 1)
    }

    @inline(__always) private var headerCount: Int { (isWide ? 12 : 4) + (hasExpiry ? 4 : 0) }
    @inline(__always) var key: UnsafeMutableRawPointer { unsafe start + headerCount }
    @inline(__always) var value: UnsafeMutableRawPointer { unsafe start + (headerCount + keyCount) }

    /// All that it takes.
    @inline(__always) var byteCount: Int {
        (headerCount + keyCount + valueCount + ByteSlot.unitBytes - 1) & ~(ByteSlot.unitBytes - 1)
    }

    /// The tick from which on it is gone; only where `hasExpiry`.
    var expiry: UInt32 { unsafe start.load(fromByteOffset: isWide ? 12 : 4, as: UInt32.self) }

    /// Leaves nothing of key and value.
    func overwrite() {
        unsafe key.initializeMemory(as: UInt8.self, repeating: 0, count: keyCount + valueCount)
    }

    /// Returns whether the entry that stands there has that key.
    @inline(__always)
    static func hasKey(_ key: UnsafeRawBufferPointer, at start: UnsafeMutableRawPointer) -> Bool {
        let count = key.count
        guard isPlain(unsafe start.load(as: UInt32.self), keyCount: count) else {
            return unsafe hasKeySlowly(key, at: start)
        }
        guard count > 0, let right = key.baseAddress else { return true }
        return unsafe areEqual(start + 4, right, count)
    }

    /// Returns whether a header is all that stands before a key of so many bytes, which is so for most.
    @inline(__always)
    private static func isPlain(_ header: UInt32, keyCount: Int) -> Bool {
        Int(header & (expiryFlag | wideFlag | UInt32(mostKey))) == keyCount && keyCount <= mostKey
    }

    @inline(never)
    private static func hasKeySlowly(_ key: UnsafeRawBufferPointer, at start: UnsafeMutableRawPointer) -> Bool {
        let entry = unsafe ByteEntry(at: start)
        guard entry.keyCount == key.count else { return false }
        // A key without bytes may have an address or none, and is the same.
        guard key.count > 0, let right = key.baseAddress else { return true }
        return unsafe areEqual(entry.key, right, key.count)
    }

    /// Returns whether both have the same bytes. Where the length is no multiple of the bytes compared at a time, the last
    /// comparison goes back over some bytes of the last but one.
    @inline(__always)
    private static func areEqual(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer, _ count: Int) -> Bool {
        if count >= 8 {
            let last = count &- 8
            var offset = 0
            while offset < last {
                guard unsafe differences(left, right, offset, as: UInt64.self) == 0 else { return false }
                offset &+= 8
            }
            return unsafe differences(left, right, last, as: UInt64.self) == 0
        }
        if count >= 4 {
            return unsafe differences(left, right, 0, as: UInt32.self)
                | differences(left, right, count &- 4, as: UInt32.self) == 0
        }
        return unsafe differences(left, right, 0, as: UInt8.self) | differences(left, right, count / 2, as: UInt8.self)
            | differences(left, right, count &- 1, as: UInt8.self) == 0
    }

    @inline(__always)
    private static func differences<Word: FixedWidthInteger & BitwiseCopyable>(
        _ left: UnsafeRawPointer, _ right: UnsafeRawPointer, _ offset: Int, as: Word.Type
    ) -> Word {
        unsafe (left + offset).loadUnaligned(as: Word.self) ^ (right + offset).loadUnaligned(as: Word.self)
    }
}
