/// The lowest and the highest of what was seen.
struct Extent: Equatable {
    var low: Int
    var high: Int

    /// Before anything was seen.
    static let empty = Extent(low: .max, high: .min)

    var isEmpty: Bool { low > high }

    mutating func include(_ value: Int) {
        low = min(low, value)
        high = max(high, value)
    }

    mutating func include(_ other: Extent) {
        low = min(low, other.low)
        high = max(high, other.high)
    }
}

extension Int {
    /// The sum, held to what 64 bits can say: a trace may claim any number.
    func adding(_ other: Int) -> Int {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }

    /// The difference, held to what 64 bits can say.
    func subtracting(_ other: Int) -> Int {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other < 0 ? .max : .min) : difference
    }
}
