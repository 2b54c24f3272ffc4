internal import CommandOutput

/// How a value of `serve` is made and read.
struct ServedValue: Sendable {
    var bytes: Int
    /// How often all of it is written to: what it costs to make.
    var effort: Int

    /// Makes the value of a key, which takes so much of the processor as making one costs.
    func make(_ key: Int) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: bytes) { buffer, count in
            var random = SplitMix(state: UInt64(truncatingIfNeeded: key))
            for _ in 0..<effort {
                var offset = 0
                while offset + 8 <= bytes {
                    unsafe buffer.baseAddress!.advanced(by: offset).withMemoryRebound(to: UInt64.self, capacity: 1) {
                        unsafe $0.pointee = random.next()
                    }
                    offset += 8
                }
            }
            count = bytes
        }
    }

    /// Looks at a byte of every cache line, as a server does that sends it.
    static func word(_ span: RawSpan) -> UInt64 {
        var sum: UInt64 = 0
        var offset = 0
        while offset < span.byteCount {
            sum &+= unsafe UInt64(span.unsafeLoad(fromByteOffset: offset, as: UInt8.self))
            offset += 64
        }
        return sum
    }
}
