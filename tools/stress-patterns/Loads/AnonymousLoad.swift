internal import SystemPackage

/// Anonymous memory from one mapping, taken from its start and given back from its end.
@safe final class AnonymousLoad: Load {
    private let memory: UnsafeMutableRawBufferPointer
    private(set) var heldBytes = 0

    /// Only reserves the addresses.
    init(capacity bytes: Int) throws {
        do {
            unsafe memory = try System.reserve(bytes: Self.roundedUp(bytes))
        } catch {
            throw StressError("\(bytes) bytes of address space cannot be had: \(error)")
        }
    }

    deinit {
        unsafe System.unmap(memory)
    }

    func grow(bytes: Int) throws {
        unsafe precondition(bytes <= memory.count - heldBytes, "more than was reserved")
        var page = Self.roundedUp(heldBytes)
        heldBytes += bytes
        while page < heldBytes {
            unsafe memory.storeBytes(of: UInt64(truncatingIfNeeded: page) | 1, toByteOffset: page, as: UInt64.self)
            page += System.pageSize
        }
    }

    func giveBack(bytes: Int) {
        let end = Self.roundedUp(heldBytes)
        heldBytes = max(0, heldBytes - bytes)
        let start = Self.roundedUp(heldBytes)
        guard start < end else { return }
        unsafe System.discard(.init(rebasing: memory[start..<end]))
    }

    private static func roundedUp(_ bytes: Int) -> Int {
        (bytes + System.pageSize - 1) / System.pageSize * System.pageSize
    }
}
