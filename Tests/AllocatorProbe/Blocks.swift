import JetsamSystem

/// 128 MiB in small blocks.
final class Blocks: Sendable {
    private static let blockBytes = 1000
    private static let count = (128 << 20) / blockBytes

    private let addresses: Lock<[UInt]>

    init() {
        // Touched before anything is measured.
        var places = [UInt](repeating: 1, count: Self.count)
        places.removeAll(keepingCapacity: true)
        addresses = Lock(places)
    }

    func fill() {
        addresses.withLock { list in
            for _ in 0..<Self.count { list.append(Self.allocate()) }
        }
    }

    func free() {
        addresses.withLock { list in
            for address in list { Self.free(address) }
            list.removeAll(keepingCapacity: true)
        }
    }

    /// A block that was written to.
    static func allocate() -> UInt {
        let block = UnsafeMutableRawPointer.allocate(byteCount: blockBytes, alignment: 16)
        unsafe block.initializeMemory(as: UInt8.self, repeating: 1, count: blockBytes)
        return UInt(bitPattern: block)
    }

    static func free(_ address: UInt) {
        unsafe UnsafeMutableRawPointer(bitPattern: address)?.deallocate()
    }
}
