import ComparisonSupport
import Glibc

/// Draws numbers from 0 up of which the first is the most popular: the one at place r comes as often as 1 / (r + 1)^exponent says.
package struct Zipf: Sendable {
    /// For each number, the chance that a smaller one or it is drawn.
    private let cumulative: [Double]

    package init(count: Int, exponent: Double = 0.99) {
        var sum = 0.0
        let sums = (1...count).map { rank in
            sum += exp(-exponent * log(Double(rank)))
            return sum
        }
        cumulative = sums.map { $0 / sum }
    }

    package func next(using random: inout Shuffle) -> Int {
        let drawn = Double(random.next() >> 11) * 0x1p-53
        var low = 0
        var high = cumulative.count - 1
        while low < high {
            let middle = (low + high) / 2
            if cumulative[middle] <= drawn { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
