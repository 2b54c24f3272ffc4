internal import CommandOutput

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Keys from 0 up, of which the one at place r is wanted as often as 1 / (r + 1)^exponent says.
struct ZipfKeys: Sendable {
    /// For each key, the chance that a smaller one or it is drawn.
    private let cumulative: [Double]

    init(count: Int, exponent: Double) {
        var sum = 0.0
        let sums = (1...count).map { rank in
            sum += exp(-exponent * log(Double(rank)))
            return sum
        }
        cumulative = sums.map { $0 / sum }
    }

    func next(using random: inout SplitMix) -> Int {
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
