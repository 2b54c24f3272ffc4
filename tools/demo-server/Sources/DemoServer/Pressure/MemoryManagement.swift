internal import Jetsam
internal import JetsamConfiguration
internal import Logging
internal import ServiceLifecycle

/// What a mode brings with it: its cache, and what has to run beside the server.
struct MemoryManagement: Sendable {
    var cache: any ResponseCache
    var manager: ResourceManager?
    /// What the manager tells its metrics to.
    var metrics: PrometheusMetrics?
    /// Where its thresholds come from, where a file was given.
    var configurationFile: ConfigurationFile?
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
        let (settings, file) = try settings()
        let metrics = PrometheusMetrics()
        let manager = try ResourceManager(configuration: settings.manager, logger: logger, metricsFactory: metrics)
        return MemoryManagement(
            cache: ManagedCache(valueBytes: valueSize.bytes), manager: manager, metrics: metrics,
            configurationFile: file)
    }
}
