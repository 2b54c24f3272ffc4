import Benchmark
import Dispatch
import Jetsam
import Logging
import MemoryPressure

/// A manager that really runs, whose level can be raised and let fall at once, and a cache that says when it is asked.
final class RunningManager: Sendable {
    let manager: ResourceManager
    let registry = CacheRegistry()
    private let asked = DispatchSemaphore(value: 0)
    private let registration: CacheRegistration
    private let task: Task<Void, any Error>

    init() throws {
        var configuration = ManagerConfiguration()
        configuration.level.criticalFallDelay = .zero
        configuration.level.warningFallDelay = .zero
        let asked = asked
        registration = registry.register("benchmark") { request in
            asked.signal()
            return request.bytes
        }
        registration.update(bytes: 1 << 30)
        let manager = try ResourceManager(
            configuration: configuration, registry: registry,
            logger: Logger(label: "benchmark") { _ in SwiftLogNoOpLogHandler() })
        self.manager = manager
        task = Task { try await manager.run() }
        // The first answer shows that the threads are there.
        while asked.wait(timeout: .now() + .milliseconds(10)) == .timedOut { manager.simulate(.critical) }
    }

    func raise() {
        manager.simulate(.critical)
    }

    func waitUntilAsked() {
        asked.wait()
    }

    func lower() {
        // One step down for each.
        for _ in 0..<3 { manager.simulate(.normal) }
    }

    /// Returns once the step before is over, so that the next raise begins a new one.
    func settle() {
        let done = DispatchSemaphore(value: 0)
        Task {
            await manager.releaseCaches(bytes: 0)
            done.signal()
        }
        done.wait()
    }

    func report(_ bytes: Int) {
        registration.update(bytes: 1 << 30 | bytes)
    }

    deinit {
        task.cancel()
    }
}

let benchmarks: @Sendable () -> Void = {
    // Each sample is one operation here: what counts is the tail.
    unsafe Benchmark.defaultConfiguration = .init(
        metrics: [.wallClock], warmupIterations: 20, scalingFactor: .one, maxDuration: .seconds(10), maxIterations: 3000
    )

    Benchmark("Reading to first release call") { benchmark, running in
        running.lower()
        running.settle()
        benchmark.startMeasurement()
        running.raise()
        running.waitUntilAsked()
        benchmark.stopMeasurement()
    } setup: {
        try RunningManager()
    }

    Benchmark("Level on a hot path", configuration: .init(scalingFactor: .kilo)) { benchmark, running in
        for _ in benchmark.scaledIterations { blackHole(running.manager.isUnderPressure) }
    } setup: {
        try RunningManager()
    }

    Benchmark("Cache reports its size", configuration: .init(scalingFactor: .kilo)) { benchmark, running in
        for size in benchmark.scaledIterations { running.report(size) }
    } setup: {
        try RunningManager()
    }
}
