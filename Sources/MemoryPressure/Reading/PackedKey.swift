/// A key of a kernel file, packed into four words: comparing is exact and looks at no memory.
///
/// Keys of more than 32 bytes pack into `tooLong`, which equals no key that is asked for.
struct PackedKey: Equatable {
    private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    private var count = 0

    init() {}

    init(_ key: StaticString) {
        precondition(key.utf8CodeUnitCount <= 32)
        for index in 0..<key.utf8CodeUnitCount { append(unsafe key.utf8Start[index]) }
    }

    @inline(__always)
    mutating func append(_ byte: UInt8) {
        switch count >> 3 {
        case 0: words.0 = words.0 << 8 | UInt64(byte)
        case 1: words.1 = words.1 << 8 | UInt64(byte)
        case 2: words.2 = words.2 << 8 | UInt64(byte)
        case 3: words.3 = words.3 << 8 | UInt64(byte)
        default: break
        }
        count &+= 1
    }

    @inline(__always)
    static func == (lhs: PackedKey, rhs: PackedKey) -> Bool {
        lhs.count == rhs.count && lhs.words == rhs.words
    }
}
