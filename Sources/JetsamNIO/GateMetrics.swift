#if NIO || Hummingbird
    internal import CoreMetrics
    internal import Jetsam

    /// What a gate tells to its `MetricsFactory`.
    struct GateMetrics: Sendable {
        private typealias Metrics = ResourceManager.Metrics
        private let open: Gauge
        private let closed: [ClosingReason: Counter]

        init(factory: any MetricsFactory) {
            open = Gauge(label: Metrics.connections.label, dimensions: [], factory: factory)
            closed = Dictionary(
                uniqueKeysWithValues: ClosingReason.all.map { reason in
                    let counter = Counter(
                        label: Metrics.connectionsClosed.label,
                        dimensions: [(Metrics.connectionsClosed.dimension ?? "", reason.name)], factory: factory)
                    return (reason, counter)
                })
        }

        func recordOpen(_ count: Int) { open.record(count) }

        func recordClosed(_ reason: ClosingReason) { closed[reason]?.increment() }
    }
#endif
