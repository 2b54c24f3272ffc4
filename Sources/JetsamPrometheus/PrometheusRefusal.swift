/// The reason why the values of a metric, or of one set of its dimensions, are not on the page.
///
/// A refused series costs nothing: its values go nowhere.
public struct PrometheusRefusal: Sendable, Hashable, CustomStringConvertible {
    /// The kinds of reason.
    public enum Reason: Sendable, Hashable {
        /// There are so many series in all already: ``PrometheusMetrics/Configuration/maximumSeries``.
        case tooManySeries(limit: Int)
        /// The metric has so many series already: ``PrometheusMetrics/Configuration/maximumSeriesPerMetric``.
        case tooManySeriesOfMetric(limit: Int)
        /// The name, or one that belongs to it such as `…_count`, is that of another metric or of another kind.
        case nameTaken(by: String)
        /// Name and dimensions have more bytes than that together.
        case tooLong(limit: Int)
    }

    /// The name of the metric as the page would show it, at most 128 characters.
    public let metric: String
    /// The reason.
    public let reason: Reason

    /// One line, with the limit.
    public var description: String {
        switch reason {
        case .tooManySeries(let limit):
            "\(metric): all metrics have \(limit) series together, and no more are allowed (maximumSeries)"
        case .tooManySeriesOfMetric(let limit):
            "\(metric): it has \(limit) series, and no more are allowed (maximumSeriesPerMetric); a dimension has too many values"
        case .nameTaken(let other):
            "\(metric): the name is taken by \(other); give one of them another name"
        case .tooLong(let limit):
            "\(metric): name and dimensions may have \(limit) bytes together, and have more"
        }
    }
}

/// The refusals: the first of each kind and metric, and how many there were in all.
struct Refusals {
    /// The most that are kept.
    static let capacity = 32

    private(set) var first: [PrometheusRefusal] = []
    private(set) var count = 0

    /// - Returns: True where this one was not there before, and is kept.
    mutating func add(_ refusal: PrometheusRefusal) -> Bool {
        count += 1
        guard first.count < Self.capacity, !first.contains(refusal) else { return false }
        first.append(refusal)
        return true
    }
}
