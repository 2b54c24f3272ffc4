internal import CommandOutput

/// Many small heap blocks, some of them freed at random: what leaves an allocator with pages that it cannot give back.
@safe final class FragmentLoad: Load {
    static let sizes = 16...4096

    private var blocks: [UnsafeMutableRawBufferPointer] = unsafe []
    private var random: SplitMix
    private(set) var heldBytes = 0
    /// Blocks taken in all.
    private(set) var blocksTaken = 0

    var blockCount: Int { unsafe blocks.count }

    init(seed: UInt64) {
        random = SplitMix(state: seed)
    }

    deinit {
        unsafe blocks.forEach { unsafe $0.deallocate() }
    }

    /// Ends with exactly `bytes` more than before, however many blocks that takes.
    func grow(bytes: Int) {
        let target = heldBytes + bytes
        while heldBytes < target {
            // A block of one in four steps is freed, as long as there is one.
            if blocksTaken % 4 == 3, unsafe blocks.count > 1 { freeOne() }
            let size = min(Int.random(in: Self.sizes, using: &random), target - heldBytes)
            let block = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
            unsafe block.initializeMemory(as: UInt8.self, repeating: UInt8(truncatingIfNeeded: blocksTaken))
            unsafe blocks.append(block)
            heldBytes += size
            blocksTaken += 1
        }
    }

    /// Frees blocks picked at random until at least `bytes` fewer are held.
    func giveBack(bytes: Int) {
        let target = max(0, heldBytes - bytes)
        while heldBytes > target { freeOne() }
    }

    private func freeOne() {
        let index = unsafe Int.random(in: 0..<blocks.count, using: &random)
        unsafe blocks.swapAt(index, blocks.count - 1)
        let block = unsafe blocks.removeLast()
        heldBytes -= block.count
        unsafe block.deallocate()
    }
}
