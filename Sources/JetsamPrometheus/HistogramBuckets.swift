/// The upper bounds by which a histogram counts values. They are chosen before the first value, so a histogram takes the same memory
/// however many values it gets.
public struct HistogramBuckets: Sendable, Hashable {
    /// The most bounds that a histogram may have.
    public static let maximumCount = 64

    /// The bounds, rising. A last bucket for everything above is added on the page.
    public let bounds: [Double]

    /// Buckets with these upper bounds.
    ///
    /// - Parameter bounds: Finite numbers, each greater than the one before; at most ``maximumCount``. Seconds for timers.
    /// - Throws: ``HistogramBucketsError`` for anything else.
    public init(_ bounds: [Double]) throws(HistogramBucketsError) {
        guard bounds.count <= Self.maximumCount else { throw .tooMany(bounds.count) }
        for (place, bound) in bounds.enumerated() {
            guard bound.isFinite else { throw .notFinite(bound, place: place) }
            guard place == 0 || bounds[place - 1] < bound else { throw .notRising(bound, place: place) }
        }
        self.bounds = bounds
    }

    private init(valid bounds: [Double]) {
        self.bounds = bounds
    }

    /// From 1 ms to 10 s, for the times that requests and handlers take.
    public static let seconds = HistogramBuckets(
        valid: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10])

    /// No bounds: the page shows the sum and the count of the values alone.
    public static let sumAndCount = HistogramBuckets(valid: [])
}

/// The reason why bounds cannot be those of a histogram.
public enum HistogramBucketsError: Error, Sendable, Equatable, CustomStringConvertible {
    /// There are more than ``HistogramBuckets/maximumCount``.
    case tooMany(Int)
    /// The bound at that place, counted from 0, is infinite or not a number.
    case notFinite(Double, place: Int)
    /// The bound at that place, counted from 0, is not greater than the one before.
    case notRising(Double, place: Int)

    /// One line that says what was wrong, and what is allowed.
    public var description: String {
        switch self {
        case .tooMany(let count):
            "\(count) bounds of buckets: at most \(HistogramBuckets.maximumCount) are allowed"
        case .notFinite(let bound, let place):
            "bound \(place) of the buckets is \(bound): a finite number is needed; the bucket for everything above is added"
        case .notRising(let bound, let place):
            "bound \(place) of the buckets is \(bound): it must be greater than the one before"
        }
    }
}
