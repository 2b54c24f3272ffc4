import ComparisonSupport
import Jetsam

/// A stock of values that is filled, and gives back.
protocol Stock: Sendable {
    /// Whether it registers itself with the shared registry, so that a manager can ask it.
    static var isManaged: Bool { get }

    /// Room for values of so many bytes together, of sizes spread evenly over a range; nothing is in it.
    init(bytes: Int, sizes: ClosedRange<Int>)

    /// Puts all values in.
    func fill()

    /// Drops that share of the values: at random, where the choice is the caller's.
    func drop(share: Double)

    /// Gives back so many bytes, as somebody who is short of memory asks for it, and says how many; the allocator is trimmed
    /// where that is part of it.
    func release(bytes: Int) -> Int

    /// Bytes of the values that are in it now.
    var liveBytes: Int { get }
}

extension Stock {
    static var isManaged: Bool { false }
}

/// The sizes of a stock's values: the same in every run.
struct Sizes {
    let list: [Int32]

    init(bytes: Int, in range: ClosedRange<Int>) {
        var random = Shuffle(state: 7)
        var list: [Int32] = []
        list.reserveCapacity(bytes / ((range.lowerBound + range.upperBound) / 2) + 1000)
        var sum = 0
        while sum < bytes {
            let size = Int.random(in: range, using: &random)
            list.append(Int32(size))
            sum += size
        }
        self.list = list
    }
}
