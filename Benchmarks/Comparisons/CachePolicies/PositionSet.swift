/// A set of numbers below a bound that gives up its greatest one fast: words of bits, and above each 64 words one bit a word that says
/// whether anything is in it.
struct PositionSet {
    /// The bits themselves come first, the single word that stands above all comes last.
    private var levels: [[UInt64]]
    private(set) var count = 0

    init(count: Int) {
        levels = []
        var words = count
        repeat {
            words = max(1, (words + 63) / 64)
            levels.append(Array(repeating: 0, count: words))
        } while words > 1
    }

    /// Puts in a number that is not in the set.
    mutating func insert(_ position: Int) {
        var index = position
        for level in levels.indices {
            levels[level][index / 64] |= 1 << UInt64(index % 64)
            index /= 64
        }
        count += 1
    }

    /// Whether the number was in the set.
    mutating func remove(_ position: Int) -> Bool {
        guard levels[0][position / 64] >> UInt64(position % 64) & 1 == 1 else { return false }
        var index = position
        for level in levels.indices {
            levels[level][index / 64] &= ~(1 << UInt64(index % 64))
            guard levels[level][index / 64] == 0 else { break }
            index /= 64
        }
        count -= 1
        return true
    }

    /// Takes out the greatest number; there must be one.
    mutating func removeLast() {
        var index = 0
        for level in levels.reversed() {
            index = index * 64 + 63 - level[index].leadingZeroBitCount
        }
        _ = remove(index)
    }
}
