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
