import CoreMetrics
import Jetsam
import JetsamPrometheus
import Testing

/// Names, dimensions and numbers of series as somebody might choose them who means harm.
struct HostileNamesTests {
    let metrics = PrometheusMetrics()

    @Test(
        "A value of a dimension comes back as it was",
        arguments: [
            "", "plain", #"a "quoted" one"#, "two\nlines", "two\r\nlines", #"C:\new\"#, #"\"#, #"\n"#, "\"\n\\",
            "} 1\nfaked_total 9", "\u{0}", "é", "e\u{301}", "👩‍👩‍👧", "\u{2028}",
        ])
    func values(text: String) throws {
        Counter(label: "c", dimensions: [("k", text)], factory: metrics).increment()
        let page = try Page(metrics)
        let sample = try #require(page.samples.first { $0.name == "c_total" })
        #expect(sample.labels["k"].map { Array($0.utf8) } == Array(text.utf8) && sample.value == "1")
        #expect(page.kinds["faked_total"] == nil)
    }

    @Test(
        "A name that Prometheus does not allow becomes one that it does",
        arguments: [
            ("", "_"), ("http.server", "http_server"), ("1st", "_1st"), ("a b\nc", "a_b_c"), ("a:b", "a:b"),
            ("x{y=\"z\"}", "x_y__z__"), ("größe", "gr____e"),
        ])
    func names(label: String, name: String) throws {
        Gauge(label: label, factory: metrics).record(1)
        #expect(try Page(metrics).value(name) == "1")
    }

    @Test("Names of dimensions are made usable, and two that become the same stay two")
    func labels() throws {
        Gauge(
            label: "g", dimensions: [("a.b", "1"), ("a_b", "2"), ("a b", "3"), ("__name__", "4"), ("", "5")],
            factory: metrics
        )
        .record(1)
        let sample = try #require(try Page(metrics).samples.first { $0.name == "g" })
        #expect(sample.labels == ["a_b": "1", "a_b_2": "2", "a_b_3": "3", "_name__": "4", "_": "5"])
    }

    @Test("A dimension cannot take the place of a bucket's bound")
    func reserved() throws {
        let timer = CoreMetrics.Timer(label: "t", dimensions: [("le", "0.5"), ("exported_le", "x")], factory: metrics)
        timer.recordSeconds(1)
        let page = try Page(metrics)
        let labels = ["exported_le": "0.5", "exported_le_2": "x"]
        #expect(page.value("t_seconds_bucket", labels.merging(["le": "+Inf"]) { $1 }) == "1")
        #expect(page.value("t_seconds_count", labels) == "1")
    }

    @Test("The same dimensions in another order are one series, and the same bytes alone are the same")
    func sameSeries() throws {
        Counter(label: "c", dimensions: [("a", "1"), ("b", "2")], factory: metrics).increment()
        Counter(label: "c", dimensions: [("b", "2"), ("a", "1")], factory: metrics).increment()
        Counter(label: "d", dimensions: [("k", "é")], factory: metrics).increment()
        Counter(label: "d", dimensions: [("k", "e\u{301}")], factory: metrics).increment()
        let page = metrics.text
        #expect(page.contains("c_total{a=\"1\",b=\"2\"} 2\n"))
        #expect(page.utf8.split(separator: UInt8(ascii: "\n")).filter { $0.starts(with: "d_total".utf8) }.count == 2)
    }

    @Test("A million sets of dimensions cost a thousand series, and the reason is told once")
    func manySeries() throws {
        let told = Told()
        let metrics = PrometheusMetrics(onRefusal: { told.add($0) })
        for number in 0..<1_000_000 {
            metrics.makeCounter(label: "requests", dimensions: [("user", "\(number)")]).increment(by: 1)
        }
        let page = try Page(metrics)
        #expect(page.samples.filter { $0.name == "requests_total" }.count == 1000)
        #expect(page.value("jetsam_prometheus_refused_series_total") == "999000")
        let refusal = PrometheusRefusal.Reason.tooManySeriesOfMetric(limit: 1000)
        #expect(metrics.refusals.map(\.reason) == [refusal] && told.all.map(\.reason) == [refusal])
        #expect(
            told.all.first?.description
                == "requests_total: it has 1000 series, and no more are allowed (maximumSeriesPerMetric); a dimension has too many values"
        )
        // Other metrics have their room.
        Counter(label: "other", factory: metrics).increment()
        #expect(try Page(metrics).value("other_total") == "1")
    }

    @Test("Names without end are bounded as well, and so is what is told of them")
    func manyNames() throws {
        var configuration = PrometheusMetrics.Configuration()
        configuration.maximumSeries = 100
        let metrics = PrometheusMetrics(configuration)
        for number in 0..<10_000 { metrics.makeCounter(label: "c\(number)", dimensions: []).increment(by: 1) }
        #expect(try Page(metrics).samples.count == 100)
        #expect(metrics.refusals.count == 32)
        #expect(metrics.refusals.allSatisfy { $0.reason == .tooManySeries(limit: 100) })
    }

    @Test("What is too long is refused before anything is made of it")
    func tooLong() throws {
        let long = String(repeating: "x", count: 5000)
        metrics.makeCounter(label: "c", dimensions: [("k", long)]).increment(by: 1)
        metrics.makeCounter(label: long, dimensions: []).increment(by: 1)
        metrics.makeCounter(label: "d", dimensions: (0..<100_000).map { ("\($0)", "") }).increment(by: 1)
        #expect(metrics.refusals.map(\.metric) == ["c_total", String(long.prefix(128)), "d_total"])
        #expect(metrics.refusals.allSatisfy { $0.reason == .tooLong(limit: 4096) })
        #expect(try Page(metrics).samples.allSatisfy { $0.name.hasPrefix("jetsam_prometheus_") })
    }

    @Test("One name is one kind, also where only a sample of another metric has it")
    func kinds() throws {
        Gauge(label: "x_total", factory: metrics).record(1)
        Counter(label: "x", factory: metrics).increment()
        CoreMetrics.Timer(label: "t", factory: metrics).recordSeconds(1)
        Gauge(label: "t_seconds_count", factory: metrics).record(1)
        Gauge(label: "s_sum", factory: metrics).record(1)
        Recorder(label: "s", factory: metrics).record(1)
        metrics.addGauge("x_total", help: "Asked for.") { 2 }
        Gauge(label: "jetsam_prometheus_series", factory: metrics).record(-1)
        let page = try Page(metrics)
        #expect(page.kinds["x_total"] == "gauge" && page.value("x_total") == "1")
        #expect(page.kinds["t_seconds_count"] == nil && page.kinds["s"] == nil)
        #expect(
            metrics.refusals.map(\.description) == [
                "x_total: the name is taken by a gauge; give one of them another name",
                "t_seconds_count: the name is taken by the histogram t_seconds; give one of them another name",
                "s: the name is taken by the gauge s_sum; give one of them another name",
                "jetsam_prometheus_series: the name is taken by a gauge; give one of them another name",
            ])
    }

    @Test("A series goes with the last that told it, and leaves room for others")
    func destroyed() throws {
        var configuration = PrometheusMetrics.Configuration()
        configuration.maximumSeriesPerMetric = 1
        let metrics = PrometheusMetrics(configuration)
        let first = Counter(label: "c", dimensions: [("k", "1")], factory: metrics)
        let second = Counter(label: "c", dimensions: [("k", "1")], factory: metrics)
        first.increment()
        first.destroy()
        second.increment()
        #expect(try Page(metrics).value("c_total", ["k": "1"]) == "2")
        second.destroy()
        second.destroy()
        #expect(try Page(metrics).kinds["c_total"] == nil)
        // The name is free again, for another kind too.
        Gauge(label: "c_total", dimensions: [("k", "2")], factory: metrics).record(5)
        let refused = Gauge(label: "c_total", dimensions: [("k", "3")], factory: metrics)
        refused.record(5)
        refused.destroy()
        #expect(try Page(metrics).value("c_total", ["k": "2"]) == "5" && metrics.refusals.count == 1)
    }
}
