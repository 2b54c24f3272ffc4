/// The kind of a metric's values, and their source.
enum MetricKind: Sendable, Hashable {
    case counter
    case gauge
    case histogram
    /// Sum and count alone.
    case summary
    /// Asked for with each page.
    case askedCounter
    case askedGauge

    /// The word of the format.
    var word: String {
        switch self {
        case .counter, .askedCounter: "counter"
        case .gauge, .askedGauge: "gauge"
        case .histogram: "histogram"
        case .summary: "summary"
        }
    }

    /// The suffix of its samples' names.
    var suffixes: [String] {
        switch self {
        case .counter, .gauge, .askedCounter, .askedGauge: []
        case .histogram: ["_bucket", "_sum", "_count"]
        case .summary: ["_sum", "_count"]
        }
    }

    /// The label that it has for itself.
    var reservedLabel: String? {
        switch self {
        case .counter, .gauge, .askedCounter, .askedGauge: nil
        case .histogram: "le"
        case .summary: "quantile"
        }
    }
}
