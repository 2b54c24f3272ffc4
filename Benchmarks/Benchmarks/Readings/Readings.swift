import Benchmark
import MemoryPressure

let benchmarks: @Sendable () -> Void = {
    unsafe Benchmark.defaultConfiguration = .init(
        metrics: [.wallClock], warmupIterations: 10, scalingFactor: .kilo, maxDuration: .seconds(2),
        maxIterations: 100_000)

    Benchmark("Monotonic clock") { benchmark in
        let clock = SystemMonotonicClock()
        for _ in benchmark.scaledIterations { blackHole(clock.now) }
    }
}
