/// How an entry stands in its segment: four bytes of header, then expiry if it has one, key, value, and up to three bytes
/// that fill up to the next unit. Key and value count in bytes; what is too large for the header has eight bytes more.
@safe struct ByteEntry {
    private static let keyBits: UInt32 = 8
    private static let valueBits: UInt32 = 20
    private static let mostKey = 1 << 8 - 1
    private static let mostValue = 1 << 20 - 1
    private static let expiryFlag: UInt32 = 1 << 28
    private static let wideFlag: UInt32 = 1 << 29

    /// Ticks a second in which expiry counts: never early, and late by less than a tick.
    static let expiryTicks: Int64 = 128

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

    private static func isWide(_ keyCount: Int, _ valueCount: Int) -> Bool {
        keyCount > mostKey || valueCount > mostValue
    }

    /// What an entry of those counts takes, in bytes; nil where that is no number.
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

    @inline(__always)
    func hasKey(_ other: UnsafeRawBufferPointer) -> Bool {
        guard keyCount == other.count else { return false }
        guard var right = other.baseAddress else { return true }
        var left = unsafe UnsafeRawPointer(key)
        var count = keyCount
        while count >= 8 {
            guard unsafe left.loadUnaligned(as: UInt64.self) == right.loadUnaligned(as: UInt64.self) else {
                return false
            }
            unsafe left += 8
            unsafe right += 8
            count -= 8
        }
        while count > 0 {
            guard unsafe left.load(as: UInt8.self) == right.load(as: UInt8.self) else { return false }
            unsafe left += 1
            unsafe right += 1
            count -= 1
        }
        return true
    }
}
