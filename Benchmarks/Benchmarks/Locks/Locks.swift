import Benchmark
import MemoryPressure

let benchmarks: @Sendable () -> Void = {
    unsafe Benchmark.defaultConfiguration = .init(
        metrics: [.wallClock], warmupIterations: 10, scalingFactor: .kilo, maxDuration: .seconds(2),
        maxIterations: 100_000)

    Benchmark("Lock, uncontended") { benchmark in
        let lock = Lock(0)
        benchmark.startMeasurement()
        for _ in benchmark.scaledIterations { lock.withLock { $0 &+= 1 } }
        benchmark.stopMeasurement()
        blackHole(lock.withLock { $0 })
    }

    Benchmark("Lock, if available") { benchmark in
        let lock = Lock(0)
        benchmark.startMeasurement()
        for _ in benchmark.scaledIterations { _ = lock.withLockIfAvailable { $0 &+= 1 } }
        benchmark.stopMeasurement()
        blackHole(lock.withLock { $0 })
    }
}
