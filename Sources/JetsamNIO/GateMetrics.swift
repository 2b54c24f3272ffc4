#if NIO
    internal import CoreMetrics

    /// What a gate tells to its `MetricsFactory`.
    struct GateMetrics: Sendable {
        private let open: Gauge
        private let closed: [ClosingReason: Counter]

        init(factory: any MetricsFactory) {
            open = Gauge(label: "jetsam_connections", dimensions: [], factory: factory)
            closed = Dictionary(
                uniqueKeysWithValues: ClosingReason.all.map { reason in
                    let counter = Counter(
                        label: "jetsam_connections_closed_total", dimensions: [("reason", reason.name)],
                        factory: factory)
                    return (reason, counter)
                })
        }

        func recordOpen(_ count: Int) { open.record(count) }

        func recordClosed(_ reason: ClosingReason) { closed[reason]?.increment() }
    }
#endif
