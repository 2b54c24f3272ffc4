internal import Jetsam
internal import Logging
internal import ServiceLifecycle

/// What a mode brings with it: its cache, and what has to run beside the server.
struct MemoryManagement: Sendable {
    var cache: any ResponseCache
    var manager: ResourceManager?
    /// What the manager tells its metrics to.
    var metrics: PrometheusMetrics?
}

extension DemoServer {
    func memoryManagement(logger: Logger) throws -> MemoryManagement {
        switch mode {
        case .unbounded: MemoryManagement(cache: UnboundedCache())
        case .fixed: MemoryManagement(cache: LRUCache(limit: budget.bytes))
        case .jetsam: try managedByJetsam(logger: logger)
        }
    }

    private func managedByJetsam(logger: Logger) throws -> MemoryManagement {
        var configuration = ResourceManager.Configuration()
        configuration.footprint = footprintBudget.map { .init(budgetBytes: $0.bytes) }
        configuration.lifecycle.terminationGracePeriod = .seconds(lifecycle.terminationGracePeriod)
        configuration.lifecycle.drainDelay = .seconds(lifecycle.drainDelay)
        configuration.control.isEnabled = control != nil
        configuration.control.directory = control
        let metrics = PrometheusMetrics()
        let manager = try ResourceManager(configuration: configuration, logger: logger, metricsFactory: metrics)
        return MemoryManagement(
            cache: ManagedCache(valueBytes: valueSize.bytes), manager: manager, metrics: metrics)
    }
}
