import ComparisonSupport
import Glibc
import Jetsam

/// Blocks of the process's allocator, freed one by one in random order: what a dictionary of values comes to.
@safe struct HeapStock: Stock, @unchecked Sendable {
    private let sizes: Sizes
    private let blocks: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    private let order: [Int32]

    init(bytes: Int, sizes range: ClosedRange<Int>) {
        sizes = Sizes(bytes: bytes, in: range)
        let count = sizes.list.count
        unsafe blocks = .allocate(capacity: count)
        // Touched, so that it is not counted with what is held.
        unsafe blocks.initialize(repeating: UnsafeMutableRawPointer(bitPattern: 1), count: count)
        var random = Shuffle(state: 11)
        order = (0..<Int32(count)).shuffled(using: &random)
        unsafe blocks.update(repeating: nil, count: count)
    }

    func fill() {
        for (index, size) in sizes.list.enumerated() {
            guard let block = unsafe malloc(Int(size)) else { stop("no memory") }
            unsafe memset(block, 1, Int(size))
            unsafe blocks[index] = unsafe block
        }
    }

    func drop(share: Double) {
        for index in order.prefix(Int(Double(order.count) * share)) { _ = free(Int(index)) }
    }

    func release(bytes: Int) -> Int {
        var given = 0
        for index in order where given < bytes { given += free(Int(index)) }
        Heap.allocator.trim()
        return given
    }

    var liveBytes: Int {
        sizes.list.indices.reduce(0) { unsafe blocks[$1] == nil ? $0 : $0 + Int(sizes.list[$1]) }
    }

    private func free(_ index: Int) -> Int {
        guard let block = unsafe blocks[index] else { return 0 }
        unsafe Glibc.free(block)
        unsafe blocks[index] = nil
        return Int(sizes.list[index])
    }
}
