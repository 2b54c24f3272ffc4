import CoreMetrics
import Jetsam
import JetsamPrometheus
import Testing

struct PageTests {
    let metrics = PrometheusMetrics()

    @Test("A counter has its kind, ends in _total, and is there before it was told anything")
    func counter() throws {
        let counter = Counter(label: "hb.requests", factory: metrics)
        #expect(try Page(metrics).value("hb_requests_total") == "0")
        counter.increment(by: 3)
        Counter(label: "done_total", factory: metrics).increment()
        let page = try Page(metrics)
        #expect(page.kinds["hb_requests_total"] == "counter")
        #expect(page.value("hb_requests_total") == "3" && page.value("done_total") == "1")
        counter.reset()
        #expect(try Page(metrics).value("hb_requests_total") == "0")
    }

    @Test("A counter of bytes is exact where a floating-point number is not, and stays where it can grow no more")
    func largeCounter() throws {
        let counter = Counter(label: "bytes", factory: metrics)
        counter.increment(by: 1 << 60)
        counter.increment(by: 1)
        #expect(try Page(metrics).value("bytes_total") == "1152921504606846977")
        counter.increment(by: Int64.max)
        #expect(try Page(metrics).value("bytes_total") == "\(Int64.max)")
    }

    @Test("A counter takes fractions, and nothing that makes it fall")
    func fractions() throws {
        let counter = FloatingPointCounter(label: "seconds", factory: metrics)
        counter.increment(by: 0.25)
        counter.increment(by: 1.5)
        for refused in [-1, .nan, .infinity] { counter.increment(by: refused) }
        Counter(label: "seconds", factory: metrics).increment(by: -5)
        let page = try Page(metrics)
        #expect(page.value("seconds_total") == "1.75")
        #expect(page.value("jetsam_prometheus_refused_values_total") == "4")
    }

    @Test(
        "A gauge shows any number",
        arguments: [
            (0, "0"), (-0.0, "0"), (-3, "-3"), (0.1, "0.1"), (1e300, "1e+300"), (Double(1 << 52), "4503599627370496"),
            (.nan, "NaN"), (.infinity, "+Inf"), (-.infinity, "-Inf"),
        ])
    func gauge(value: Double, text: String) throws {
        let gauge = Gauge(label: "g", factory: metrics)
        #expect(try Page(metrics).kinds["g"] == nil, "one that was never told is left out")
        gauge.record(value)
        let page = try Page(metrics)
        #expect(page.kinds["g"] == "gauge" && page.value("g") == text)
    }

    @Test("A meter rises and falls")
    func meter() throws {
        let meter = Meter(label: "active", factory: metrics)
        meter.increment(by: 3)
        meter.decrement()
        meter.increment(by: -7.0)
        #expect(try Page(metrics).value("active") == "2")
        meter.set(9)
        #expect(try Page(metrics).value("active") == "9")
    }

    @Test("A timer is a histogram in seconds, whose buckets hold what is within them")
    func timer() throws {
        let timer = CoreMetrics.Timer(label: "http.server.request.duration", factory: metrics)
        #expect(try Page(metrics).value("http_server_request_duration_seconds_count") == "0")
        for milliseconds in [1, 2, 300, 60_000] { timer.recordMilliseconds(milliseconds) }
        timer.recordNanoseconds(-1)
        let page = try Page(metrics)
        let name = "http_server_request_duration_seconds"
        #expect(page.kinds[name] == "histogram")
        #expect(page.value("\(name)_bucket", ["le": "0.001"]) == "1")
        #expect(page.value("\(name)_bucket", ["le": "0.0025"]) == "2")
        #expect(page.value("\(name)_bucket", ["le": "0.5"]) == "3")
        #expect(page.value("\(name)_bucket", ["le": "10"]) == "3")
        #expect(page.value("\(name)_bucket", ["le": "+Inf"]) == "4" && page.value("\(name)_count") == "4")
        #expect(page.value("\(name)_sum") == "60.303")
        #expect(page.value("jetsam_prometheus_refused_values_total") == "1")
    }

    @Test("A recorder is a summary without quantiles, and a histogram where it was given buckets")
    func recorder() throws {
        var configuration = PrometheusMetrics.Configuration()
        configuration.buckets["sized"] = try HistogramBuckets([-1, 0, 10])
        let metrics = PrometheusMetrics(configuration)
        for label in ["plain", "sized"] {
            let recorder = Recorder(label: label, factory: metrics)
            for value in [-2, 0.5, 10, .nan, .infinity] { recorder.record(value) }
        }
        let page = try Page(metrics)
        #expect(page.kinds["plain"] == "summary" && page.kinds["sized"] == "histogram")
        for name in ["plain", "sized"] {
            #expect(page.value("\(name)_sum") == "8.5" && page.value("\(name)_count") == "3")
        }
        #expect(["-1", "0", "10", "+Inf"].map { page.value("sized_bucket", ["le": $0]) } == ["1", "1", "3", "3"])
        #expect(page.value("jetsam_prometheus_refused_values_total") == "4")
    }

    @Test("A sum that grows beyond every number stays the largest")
    func largeSum() throws {
        let recorder = Recorder(label: "r", factory: metrics)
        for _ in 0..<3 { recorder.record(Double.greatestFiniteMagnitude) }
        #expect(try Page(metrics).value("r_sum") == "\(Double.greatestFiniteMagnitude)")
    }

    @Test("Values that are asked for are those of now; nil leaves one out, and the later of two counts")
    func asked() throws {
        metrics.addGauge("size", dimensions: [("cache", "a")], help: "Bytes\nkept.") { 7 }
        metrics.addCounter("hits", help: "Hits.") { 8 }
        metrics.addGauge("unknown", help: "Nothing.") { nil }
        var page = try Page(metrics)
        #expect(page.value("size", ["cache": "a"]) == "7" && page.value("hits_total") == "8")
        #expect(page.help["size"] == #"Bytes\nkept."# && page.kinds["unknown"] == nil)
        metrics.addGauge("size", dimensions: [("cache", "a")], help: "Bytes kept.") { 9 }
        page = try Page(metrics)
        #expect(page.value("size", ["cache": "a"]) == "9" && metrics.refusals.isEmpty)
    }

    @Test(
        "A counter that is asked for shows nothing that none can be, and a gauge anything",
        arguments: [-1, .nan, .infinity])
    func askedWrongly(value: Double) throws {
        metrics.addCounter("c", help: "Counts.") { value }
        metrics.addGauge("g", help: "Is.") { value }
        let page = try Page(metrics)
        #expect(page.kinds["c_total"] == nil && page.kinds["g"] == "gauge")
        #expect(page.value("jetsam_prometheus_refused_values_total") == "1")
    }

    @Test("What is asked for may use the page's metrics itself")
    func askedReenters() throws {
        metrics.addGauge("inner", help: "Makes a metric.") { [metrics] in
            Counter(label: "made", factory: metrics).increment()
            return Double(metrics.refusals.count)
        }
        _ = metrics.text
        // Asked for with the second page once more, before the counter, which comes later by its name.
        #expect(try Page(metrics).value("made_total") == "2")
    }

    @Test("What gives way may use the page's metrics when it goes")
    func replacedReenters() throws {
        final class Leaving: Sendable {
            let metrics: PrometheusMetrics

            init(_ metrics: PrometheusMetrics) { self.metrics = metrics }

            deinit { Counter(label: "left", factory: metrics).increment() }
        }
        var leaving: Leaving? = Leaving(metrics)
        metrics.addGauge("size", help: "Bytes.") { [leaving] in leaving == nil ? 0 : 1 }
        leaving = nil
        metrics.addGauge("size", help: "Bytes.") { 2 }
        let page = try Page(metrics)
        #expect(page.value("size") == "2" && page.value("left_total") == "1")
    }

    @Test("Help texts are the manager's own, those that were given, or none")
    func help() throws {
        var configuration = PrometheusMetrics.Configuration()
        configuration.help = ["hb.requests": #"Requests, "all" of \them"#]
        let metrics = PrometheusMetrics(configuration)
        Counter(label: "hb.requests", factory: metrics).increment()
        Counter(label: "other", factory: metrics).increment()
        for metric in ResourceManager.Metric.all where metric.kind == .gauge {
            Gauge(label: metric.label, factory: metrics).record(1)
        }
        Gauge(label: "jetsam_connections", factory: metrics).record(1)
        let page = try Page(metrics)
        #expect(page.help["jetsam_connections"] == "Open connections behind a gate.")
        #expect(page.help["hb_requests_total"] == #"Requests, "all" of \\them"#)
        #expect(page.help["other_total"] == nil && page.kinds["other_total"] == "counter")
        for metric in ResourceManager.Metric.all where metric.kind == .gauge {
            #expect(page.help[metric.label] == metric.help)
        }
    }

    @Test("Metrics come by name and series by their dimensions, whatever the order in which they were made")
    func order() throws {
        for value in ["b", "a", "c"] { Counter(label: "z", dimensions: [("k", value)], factory: metrics).increment() }
        Counter(label: "y", factory: metrics).increment()
        let samples = try Page(metrics).samples.filter { !$0.name.hasPrefix("jetsam_") }
        #expect(samples.map(\.name) == ["y_total", "z_total", "z_total", "z_total"])
        #expect(samples.compactMap { $0.labels["k"] } == ["a", "b", "c"])
        #expect(String(decoding: metrics.bytes, as: UTF8.self) == metrics.text)
    }

    @Test("Buckets that cannot be are refused, with the place and what is allowed")
    func buckets() throws {
        #expect(throws: HistogramBucketsError.notFinite(.infinity, place: 1)) { try HistogramBuckets([1, .infinity]) }
        #expect(throws: HistogramBucketsError.notRising(1, place: 1)) { try HistogramBuckets([1, 1]) }
        #expect(throws: HistogramBucketsError.tooMany(65)) { try HistogramBuckets((0..<65).map(Double.init)) }
        #expect(throws: HistogramBucketsError.self) { try HistogramBuckets([.nan]) }
        #expect(try HistogramBuckets([]) == .sumAndCount)
        #expect(HistogramBucketsError.notRising(1, place: 1).description.contains("must be greater"))
    }
}
