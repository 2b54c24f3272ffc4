internal import Jetsam
internal import JetsamConfiguration
internal import JetsamPrometheus
internal import Logging
internal import NIOConcurrencyHelpers
internal import ServiceLifecycle
internal import SystemPackage

/// What a mode brings with it: its cache, and what has to run beside the server.
struct MemoryManagement: Sendable {
    var cache: any ResponseCache
    var manager: ResourceManager?
    /// What the steps of reclaim brought, where there is a manager.
    var returned = ReturnedBytes()
    /// Where its thresholds come from, where a file was given.
    var configurationFile: ConfigurationFile?

    /// The level as a number: 0 at `normal`, also where there is no manager, 1 at `warning` and 2 at `critical`.
    var levelNumber: Int { Int(manager?.level.rawValue ?? PressureLevel.normal.rawValue) }
}

/// Bytes that came back in the manager's steps of reclaim.
final class ReturnedBytes: Sendable {
    private let bytes = NIOLockedValueBox(0)

    var total: Int { bytes.withLockedValue { $0 } }

    func add(_ step: ReclaimStep) {
        guard step.stage == .caches, !step.isDryRun else { return }
        bytes.withLockedValue { $0 += min(step.promisedBytes, max(step.freedBytes ?? 0, step.returnedBytes)) }
    }
}

extension DemoServer {
    /// - Parameters:
    ///   - metrics: What the manager tells its metrics to.
    ///   - lastResort: What the manager calls when nothing is left to give; nil for nothing.
    func memoryManagement(
        logger: Logger, metrics: PrometheusMetrics, lastResort: (@Sendable (LevelReason) -> Void)?
    ) throws -> MemoryManagement {
        switch mode {
        case .unbounded: MemoryManagement(cache: UnboundedCache())
        case .fixed: MemoryManagement(cache: LRUCache(limit: budget.bytes))
        case .nscache: MemoryManagement(cache: FoundationCache())
        case .cleared: MemoryManagement(cache: ClearedCache())
        case .jetsam: try managedByJetsam(logger: logger, metrics: metrics, lastResort: lastResort)
        }
    }

    private func managedByJetsam(
        logger: Logger, metrics: PrometheusMetrics, lastResort: (@Sendable (LevelReason) -> Void)?
    ) throws -> MemoryManagement {
        let (settings, file) = try settings()
        let store = try lifecycle.states.map { try FileStateStore(directory: FilePath($0)) }
        let manager = try ResourceManager(
            configuration: settings.manager, logger: logger, metricsFactory: metrics, stateStore: store,
            lastResort: lastResort)
        return MemoryManagement(
            cache: ManagedCache(valueBytes: valueSize.bytes), manager: manager, configurationFile: file)
    }
}
