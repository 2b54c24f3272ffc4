internal import CoreMetrics
internal import JetsamSystem
internal import Synchronization

/// The values of one metric with one set of dimensions.
protocol Series: AnyObject, Sendable {
    var place: SeriesPlace { get }

    /// Writes its samples; none where it was never told any.
    func write(to page: inout PageWriter)
}

/// Where a series stands on the page.
struct SeriesPlace: Sendable {
    let name: String
    let labels: SeriesLabels
}

/// Counts the values that no sum can take: those that are not finite, and negative ones where a sum may only grow.
final class RefusedValues: Sendable {
    private let number = Atomic<Int>(0)

    var count: Int { number.load(ordering: .relaxed) }

    func add() { number.wrappingAdd(1, ordering: .relaxed) }
}

/// A sum that only grows.
final class CounterSeries: Series, CounterHandler, FloatingPointCounterHandler {
    private struct Sum {
        /// Exact, which a floating-point number is not for many bytes.
        var whole: Int64 = 0
        var fractions = 0.0
    }

    let place: SeriesPlace
    private let refused: RefusedValues
    private let sum = Lock(Sum())

    init(_ place: SeriesPlace, refused: RefusedValues) {
        self.place = place
        self.refused = refused
    }

    func increment(by amount: Int64) {
        guard amount >= 0 else { return refused.add() }
        sum.withLock { sum in
            let (whole, overflow) = sum.whole.addingReportingOverflow(amount)
            sum.whole = overflow ? .max : whole
        }
    }

    func increment(by amount: Double) {
        guard amount.isFinite, amount >= 0 else { return refused.add() }
        sum.withLock { $0.fractions = ($0.fractions + amount).clampedToFinite }
    }

    func reset() {
        sum.withLock { $0 = Sum() }
    }

    func write(to page: inout PageWriter) {
        let sum = sum.withLock { $0 }
        let value = sum.fractions == 0 ? "\(sum.whole)" : (Double(sum.whole) + sum.fractions).clampedToFinite.onPage
        page.sample(place.name, place.labels, value)
    }
}

/// The value of now. Any number can be one, also one that is infinite or none.
final class GaugeSeries: Series, RecorderHandler, MeterHandler {
    let place: SeriesPlace
    private let refused: RefusedValues
    private let latest = Lock<Double?>(nil)

    init(_ place: SeriesPlace, refused: RefusedValues) {
        self.place = place
        self.refused = refused
    }

    func record(_ value: Int64) { set(Double(value)) }
    func record(_ value: Double) { set(value) }
    func set(_ value: Int64) { set(Double(value)) }

    func set(_ value: Double) {
        latest.withLock { $0 = value }
    }

    func increment(by amount: Double) {
        guard amount.isFinite, amount >= 0 else { return refused.add() }
        latest.withLock { $0 = ($0 ?? 0) + amount }
    }

    func decrement(by amount: Double) {
        guard amount.isFinite, amount >= 0 else { return refused.add() }
        latest.withLock { $0 = ($0 ?? 0) - amount }
    }

    func write(to page: inout PageWriter) {
        guard let value = latest.withLock({ $0 }) else { return }
        page.sample(place.name, place.labels, value.onPage)
    }
}

/// Many values as their sum, their number, and how many are within each bound.
final class DistributionSeries: Series, RecorderHandler, TimerHandler {
    private struct Values {
        /// How many are within the bound of that place, and beyond the one before; the last is beyond all.
        var counts: [UInt64]
        var count: UInt64 = 0
        var sum = 0.0
    }

    let place: SeriesPlace
    private let bounds: [Double]
    private let refused: RefusedValues
    private let values: Lock<Values>

    init(_ place: SeriesPlace, buckets: HistogramBuckets, refused: RefusedValues) {
        self.place = place
        bounds = buckets.bounds
        self.refused = refused
        values = Lock(Values(counts: Array(repeating: 0, count: bounds.isEmpty ? 0 : bounds.count + 1)))
    }

    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        guard value.isFinite else { return refused.add() }
        let bucket = bounds.firstIndex { value <= $0 } ?? bounds.count
        let isCounted = !bounds.isEmpty
        values.withLock { values in
            if isCounted { values.counts[bucket] += 1 }
            values.count += 1
            values.sum = (values.sum + value).clampedToFinite
        }
    }

    func recordNanoseconds(_ duration: Int64) {
        guard duration >= 0 else { return refused.add() }
        record(Double(duration) / 1e9)
    }

    func write(to page: inout PageWriter) {
        let values = values.withLock { $0 }
        if !bounds.isEmpty {
            var within: UInt64 = 0
            for (bound, count) in zip(bounds, values.counts) {
                within += count
                page.sample(place.name, suffix: "_bucket", place.labels, bound: bound.onPage, "\(within)")
            }
            page.sample(place.name, suffix: "_bucket", place.labels, bound: "+Inf", "\(values.count)")
        }
        page.sample(place.name, suffix: "_sum", place.labels, values.sum.onPage)
        page.sample(place.name, suffix: "_count", place.labels, "\(values.count)")
    }
}

/// A value that is asked for with each page.
final class AskedSeries: Series {
    let place: SeriesPlace
    /// Where a value is counted that may not be; nil where any may.
    private let refused: RefusedValues?
    private let read: @Sendable () -> Double?

    init(_ place: SeriesPlace, refused: RefusedValues?, read: @escaping @Sendable () -> Double?) {
        self.place = place
        self.refused = refused
        self.read = read
    }

    func write(to page: inout PageWriter) {
        guard let value = read() else { return }
        if let refused, !value.isFinite || value < 0 { return refused.add() }
        page.sample(place.name, place.labels, value.onPage)
    }
}

extension Double {
    fileprivate var clampedToFinite: Double {
        min(max(self, -.greatestFiniteMagnitude), .greatestFiniteMagnitude)
    }
}
