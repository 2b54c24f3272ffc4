/// Every metric with its series, bounded: a plain value, without a lock.
struct MetricTable: Sendable {
    /// A metric: one name, one kind, and a series for each set of dimensions.
    struct Metric: Sendable {
        let kind: MetricKind
        let help: String?
        fileprivate(set) var series: [SeriesLabels: Entry] = [:]
    }

    /// A series, and how many counters, gauges, timers or recorders tell it.
    struct Entry: Sendable {
        let series: any Series
        fileprivate(set) var users = 1
    }

    /// The largest size of a series' name and dimensions together, in bytes.
    static let maximumBytes = 4096

    private let maximumSeries: Int
    private let maximumSeriesPerMetric: Int
    private(set) var metrics: [String: Metric] = [:]
    /// The metric that has that name, or one of whose samples has.
    private var owners: [String: String] = [:]
    private(set) var count = 0

    init(maximumSeries: Int, maximumSeriesPerMetric: Int) {
        self.maximumSeries = maximumSeries
        self.maximumSeriesPerMetric = maximumSeriesPerMetric
    }

    /// Returns the series of that place, which is made where there is none yet, and the one that gave way to it. That one may hold what
    /// belongs to others, so it must not go under a lock.
    ///
    /// - Parameters:
    ///   - help: The meaning of the metric, from the first one with its name.
    ///   - replaces: True where a series that is there already gives way.
    ///   - make: Makes the series. Called at most once.
    mutating func enter(
        _ place: SeriesPlace, _ kind: MetricKind, help: String?, replaces: Bool = false, make: () -> any Series
    ) throws(RefusalError) -> (series: any Series, replaced: (any Series)?) {
        // The metric itself is not held while its series change: that would copy all of them.
        if let (known, seriesCount) = metrics[place.name].map({ ($0.kind, $0.series.count) }) {
            guard known == kind else { throw refusal(place, .nameTaken(by: "a \(known.word)")) }
            if let series = metrics[place.name]?.series[place.labels]?.series {
                guard replaces else {
                    metrics[place.name]?.series[place.labels]?.users += 1
                    return (series, nil)
                }
                let new = make()
                metrics[place.name]?.series[place.labels] = Entry(series: new)
                return (new, series)
            }
            guard seriesCount < maximumSeriesPerMetric else {
                throw refusal(place, .tooManySeriesOfMetric(limit: maximumSeriesPerMetric))
            }
        } else if let owner = names(place.name, kind).compactMap({ owners[$0] }).first {
            throw refusal(place, .nameTaken(by: "the \(metrics[owner]?.kind.word ?? "metric") \(owner)"))
        }
        guard count < maximumSeries else { throw refusal(place, .tooManySeries(limit: maximumSeries)) }
        let series = make()
        if metrics[place.name] == nil {
            metrics[place.name] = Metric(kind: kind, help: help)
            for name in names(place.name, kind) { owners[name] = place.name }
        }
        metrics[place.name]?.series[place.labels] = Entry(series: series)
        count += 1
        return (series, nil)
    }

    /// One that told the series is gone; with the last of them the series goes too.
    mutating func leave(_ series: any Series) {
        let place = series.place
        guard let entry = metrics[place.name]?.series[place.labels], entry.series === series else { return }
        guard entry.users == 1 else {
            metrics[place.name]?.series[place.labels]?.users -= 1
            return
        }
        count -= 1
        metrics[place.name]?.series[place.labels] = nil
        guard let kind = metrics[place.name]?.kind, metrics[place.name]?.series.isEmpty == true else { return }
        metrics[place.name] = nil
        for name in names(place.name, kind) { owners[name] = nil }
    }

    private func names(_ name: String, _ kind: MetricKind) -> [String] {
        [name] + kind.suffixes.map { name + $0 }
    }

    private func refusal(_ place: SeriesPlace, _ reason: PrometheusRefusal.Reason) -> RefusalError {
        RefusalError(refusal: PrometheusRefusal(metric: String(place.name.prefix(128)), reason: reason))
    }
}

/// Carries a refusal to whoever tells of it.
struct RefusalError: Error {
    let refusal: PrometheusRefusal
}
