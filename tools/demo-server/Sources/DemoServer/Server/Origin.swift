internal import NIOCore

/// Stands for what is behind a cache: makes a value from its key, always the same one, and takes its time over it.
struct Origin: Sendable {
    /// Keys are 0 ..< `keys`.
    var keys: Int
    /// Bytes of a value.
    var valueSize: Int
    /// Rounds of mixing behind each eight bytes.
    var rounds: Int

    /// Makes the value for `key` on the caller's thread: pure CPU work, as templates, decoding or encryption are.
    func makeValue(for key: Int) -> ByteBuffer {
        var buffer = ByteBufferAllocator().buffer(capacity: valueSize)
        var word = UInt64(truncatingIfNeeded: key) &* 0x9E37_79B9_7F4A_7C15 | 1
        for _ in 0..<(valueSize / 8) {
            for _ in 0..<rounds {
                word ^= word >> 29
                word &*= 0xBF58_476D_1CE4_E5B9
                word ^= word >> 32
            }
            buffer.writeInteger(word)
        }
        buffer.writeRepeatingByte(UInt8(truncatingIfNeeded: word), count: valueSize % 8)
        return buffer
    }
}
