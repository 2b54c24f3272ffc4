/// CRC-32C: the polynomial 0x1EDC6F41 of Castagnoli, Bräuer and Herrmann (IEEE Transactions on Communications 41, 1993),
/// bits reflected, as RFC 3720 gives it for iSCSI. It finds every error of up to 32 bits in a row.
enum Checksum {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 0 ? value >> 1 : value >> 1 ^ 0x82F6_3B78 }
    }

    static func crc32c(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        var value = UInt32.max
        for byte in bytes { value = value >> 8 ^ table[Int(UInt8(truncatingIfNeeded: value) ^ byte)] }
        return ~value
    }
}
