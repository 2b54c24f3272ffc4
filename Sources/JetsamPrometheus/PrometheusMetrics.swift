public import CoreMetrics
internal import Jetsam
internal import JetsamSystem

/// A backend for swift-metrics that serves a page in Prometheus' text format.
///
/// ```swift
/// let metrics = PrometheusMetrics()
/// MetricsSystem.bootstrap(metrics)  // or give it to one manager: ResourceManager(logger: logger, metricsFactory: metrics)
/// router.get("metrics") { _, _ in metrics.text }
/// ```
///
/// Memory is bounded: by the number of series, by the length of their names and dimensions, and for timers and recorders by the
/// number of their buckets. A series that exceeds the bounds is refused and counted, and the reason is reported. All of it may
/// be used from any thread.
public final class PrometheusMetrics: MetricsFactory {
    /// The media type of the page, for the field `Content-Type` of an answer.
    public static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// The bounds, the buckets and the help texts.
    public struct Configuration: Sendable {
        /// The help texts of metrics, by their labels. A help text is one sentence. Jetsam's own are known already.
        public var help: [String: String] = [:]
        /// The buckets of timers, in seconds. Default ``HistogramBuckets/seconds``.
        public var timerBuckets = HistogramBuckets.seconds
        /// The buckets of recorders. Default ``HistogramBuckets/sumAndCount``: sum and count alone, because nobody knows the unit.
        public var recorderBuckets = HistogramBuckets.sumAndCount
        /// The buckets of single timers and recorders, by the label that they are made with.
        public var buckets: [String: HistogramBuckets] = [:]
        /// The most series of all metrics together. 1…1,000,000; held to that. Default 10,000.
        public var maximumSeries = 10_000
        /// The most series of one metric, so that a dimension with too many values leaves room for other metrics. 1…1,000,000; held to
        /// that. Default 1,000.
        public var maximumSeriesPerMetric = 1_000

        /// The documented defaults.
        public init() {}
    }

    private let configuration: Configuration
    private let knownHelp: [String: String]
    private let onRefusal: (@Sendable (PrometheusRefusal) -> Void)?
    private let table: Lock<MetricTable>
    private let told = Lock(Refusals())
    private let refusedValues = RefusedValues()

    /// A page without metrics.
    ///
    /// - Parameters:
    ///   - configuration: The bounds, the buckets and the help texts.
    ///   - onRefusal: Called with each of ``refusals`` when it is new, on the thread that made the metric, under no lock. A logger's
    ///     place.
    public init(
        _ configuration: Configuration = Configuration(),
        onRefusal: (@Sendable (PrometheusRefusal) -> Void)? = nil
    ) {
        self.configuration = configuration
        self.onRefusal = onRefusal
        knownHelp = Dictionary(
            (ResourceManager.Metric.all + ResourceManager.Metrics.ofOthers).map { ($0.label, $0.help) },
            uniquingKeysWith: { first, _ in first })
        let allowed = 1...1_000_000
        table = Lock(
            MetricTable(
                maximumSeries: min(max(configuration.maximumSeries, allowed.lowerBound), allowed.upperBound),
                maximumSeriesPerMetric: min(
                    max(configuration.maximumSeriesPerMetric, allowed.lowerBound), allowed.upperBound)))
        addGauge("jetsam_prometheus_series", help: "Series on this page.") { [weak self] in
            self.map { Double($0.table.withLock { $0.count }) }
        }
        addCounter(
            "jetsam_prometheus_refused_series_total", help: "Metrics that were made and are not on this page."
        ) { [weak self] in self.map { Double($0.told.withLock { $0.count }) } }
        addCounter(
            "jetsam_prometheus_refused_values_total",
            help: "Values that no sum can take: not finite, or negative where it may only grow."
        ) { [weak self] in self.map { Double($0.refusedValues.count) } }
    }

    /// The metrics and series that were refused, the first of each kind, at most 32. The page counts all of them as
    /// `jetsam_prometheus_refused_series_total`.
    public var refusals: [PrometheusRefusal] { told.withLock { $0.first } }

    /// The page.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The page as bytes of UTF-8. Metrics come by name, and their series by dimensions. A gauge without a value is left out.
    public var bytes: [UInt8] {
        // The following calls code of the application, to read values.
        let metrics = table.withLock { $0.metrics }.sorted { $0.key < $1.key }
        var page = PageWriter()
        for (name, metric) in metrics {
            var samples = PageWriter()
            for entry in metric.series.values.sorted(by: { $0.series.place.labels < $1.series.place.labels }) {
                entry.series.write(to: &samples)
            }
            guard !samples.bytes.isEmpty else { continue }
            page.describe(name, metric.kind, help: metric.help)
            page.append(samples)
        }
        return page.bytes
    }

    /// Adds a gauge whose value is asked for with each page, such as the size of a cache. One that has the same name and dimensions
    /// gives way.
    ///
    /// - Parameters:
    ///   - name: The name on the page. Characters that Prometheus does not allow become `_`.
    ///   - dimensions: The names and values of its dimensions.
    ///   - help: Its meaning, in a sentence.
    ///   - read: Gives the value, or nil to leave it out of this page. Called on the thread that asks for the page, under no lock.
    public func addGauge(
        _ name: String, dimensions: [(String, String)] = [], help: String, read: @escaping @Sendable () -> Double?
    ) {
        addAsked(MetricNames.metric(name), .askedGauge, dimensions, help, read)
    }

    /// Adds a counter whose value is asked for with each page: one that something else counts, and that only grows.
    ///
    /// - Parameters:
    ///   - name: The name on the page. `_total` is added where it does not end so.
    ///   - dimensions: The names and values of its dimensions.
    ///   - help: The thing that it counts, in a sentence.
    ///   - read: Gives the value, or nil to leave it out of this page. One that is negative, infinite or not a number is left out too,
    ///     and counted. Called on the thread that asks for the page, under no lock.
    public func addCounter(
        _ name: String, dimensions: [(String, String)] = [], help: String, read: @escaping @Sendable () -> Double?
    ) {
        addAsked(MetricNames.counter(name), .askedCounter, dimensions, help, read)
    }

    private func addAsked(
        _ name: String, _ kind: MetricKind, _ dimensions: [(String, String)], _ help: String,
        _ read: @escaping @Sendable () -> Double?
    ) {
        _ = enter(name, kind, dimensions, help: help, replaces: true) {
            AskedSeries($0, refused: kind == .askedCounter ? refusedValues : nil, read: read)
        }
    }

    /// Returns the series for a name and dimensions; nil where it is refused, and that was told.
    private func enter<Made: Series>(
        _ name: String, _ kind: MetricKind, _ dimensions: [(String, String)], help: String?, replaces: Bool = false,
        make: (SeriesPlace) -> Made
    ) -> Made? {
        // Looked at before anything is made of them.
        let bytes = dimensions.reduce(name.utf8.count) { $0 + $1.0.utf8.count + $1.1.utf8.count + 4 }
        guard bytes <= MetricTable.maximumBytes else {
            refuse(
                PrometheusRefusal(metric: String(name.prefix(128)), reason: .tooLong(limit: MetricTable.maximumBytes)))
            return nil
        }
        let place = SeriesPlace(name: name, labels: SeriesLabels(dimensions, reserved: kind.reservedLabel))
        do throws(RefusalError) {
            let entered = try table.withLock { table throws(RefusalError) in
                try table.enter(place, kind, help: help, replaces: replaces) { make(place) }
            }
            // A kind has one type of series.
            return entered.series as? Made
        } catch {
            refuse(error.refusal)
            return nil
        }
    }

    private func refuse(_ refusal: PrometheusRefusal) {
        if told.withLock({ $0.add(refusal) }) { onRefusal?(refusal) }
    }

    private func help(_ label: String) -> String? { configuration.help[label] ?? knownHelp[label] }

    private func leave(_ handler: AnyObject) {
        guard let series = handler as? any Series else { return }
        table.withLock { $0.leave(series) }
    }

    private func counter(_ label: String, _ dimensions: [(String, String)]) -> CounterSeries? {
        enter(MetricNames.counter(label), .counter, dimensions, help: help(label)) {
            CounterSeries($0, refused: refusedValues)
        }
    }

    private func gauge(_ label: String, _ dimensions: [(String, String)]) -> GaugeSeries? {
        enter(MetricNames.metric(label), .gauge, dimensions, help: help(label)) {
            GaugeSeries($0, refused: refusedValues)
        }
    }

    private func distribution(
        _ label: String, _ name: String, _ dimensions: [(String, String)], _ buckets: HistogramBuckets
    ) -> DistributionSeries? {
        let buckets = configuration.buckets[label] ?? buckets
        let kind = buckets == .sumAndCount ? MetricKind.summary : .histogram
        return enter(name, kind, dimensions, help: help(label)) {
            DistributionSeries($0, buckets: buckets, refused: refusedValues)
        }
    }
}

/// What swift-metrics asks of its backend. Where a metric is refused, its values go nowhere.
extension PrometheusMetrics {
    /// Makes a counter. `_total` is added to the label where it does not end so.
    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        counter(label, dimensions) ?? NOOPMetricsHandler.instance
    }

    /// Makes a counter of fractions. `_total` is added to the label where it does not end so.
    public func makeFloatingPointCounter(
        label: String, dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        counter(label, dimensions) ?? NOOPMetricsHandler.instance
    }

    /// Makes a gauge.
    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        gauge(label, dimensions) ?? NOOPMetricsHandler.instance
    }

    /// Makes a gauge, or where values are aggregated a histogram or a summary.
    public func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        let name = MetricNames.metric(label)
        let made: (any RecorderHandler)? =
            aggregate
            ? distribution(label, name, dimensions, configuration.recorderBuckets) : gauge(label, dimensions)
        return made ?? NOOPMetricsHandler.instance
    }

    /// Makes a histogram or a summary in seconds. `_seconds` is added to the label where it does not end so.
    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        distribution(label, MetricNames.timer(label), dimensions, configuration.timerBuckets)
            ?? NOOPMetricsHandler.instance
    }

    /// Takes the counter off the page, where no other has the same label and dimensions.
    public func destroyCounter(_ handler: any CounterHandler) { leave(handler) }

    /// Takes the counter off the page, where no other has the same label and dimensions.
    public func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) { leave(handler) }

    /// Takes the gauge off the page, where no other has the same label and dimensions.
    public func destroyMeter(_ handler: any MeterHandler) { leave(handler) }

    /// Takes the recorder off the page, where no other has the same label and dimensions.
    public func destroyRecorder(_ handler: any RecorderHandler) { leave(handler) }

    /// Takes the timer off the page, where no other has the same label and dimensions.
    public func destroyTimer(_ handler: any TimerHandler) { leave(handler) }
}
