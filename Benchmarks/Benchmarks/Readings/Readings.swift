import Benchmark
import MemoryPressure

let benchmarks: @Sendable () -> Void = {
    unsafe Benchmark.defaultConfiguration = .init(
        metrics: [.wallClock], warmupIterations: 10, scalingFactor: .kilo, maxDuration: .seconds(2),
        maxIterations: 100_000)

    let clock = SystemMonotonicClock()

    Benchmark("Monotonic clock") { benchmark in
        for _ in benchmark.scaledIterations { blackHole(clock.now) }
    }

    // Of this machine's own files: what a level costs depends on how many of them have a limit.
    func reading(_ name: String, _ depth: MemoryReading.Depth, includingStall: Bool = false) {
        Benchmark(name) { benchmark in
            let reader = try KernelReader()
            blackHole(reader.read(.full, at: clock.now, includingStall: true))
            benchmark.startMeasurement()
            for _ in benchmark.scaledIterations {
                blackHole(reader.read(depth, at: clock.now, includingStall: includingStall))
            }
            benchmark.stopMeasurement()
        }
    }
    reading("Cheap reading", .cheap)
    reading("Full reading, without stall", .full)
    reading("Full reading", .full, includingStall: true)
}
