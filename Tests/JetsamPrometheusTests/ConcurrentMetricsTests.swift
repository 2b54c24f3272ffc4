import CoreMetrics
import Jetsam
import JetsamPrometheus
import JetsamTesting
import Logging
import Testing

struct ConcurrentMetricsTests {
    @Test("Nothing is lost and every page is whole while many tell, make, drop and ask")
    func concurrent() async throws {
        let metrics = PrometheusMetrics()
        let (tasks, rounds) = (8, 500)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<tasks {
                group.addTask {
                    let timer = CoreMetrics.Timer(label: "t", factory: metrics)
                    for round in 0..<rounds {
                        Counter(label: "c", dimensions: [("task", "\(task % 2)")], factory: metrics).increment()
                        timer.recordNanoseconds(1_000_000_000)
                        let passing = Gauge(label: "passing", dimensions: [("task", "\(task)")], factory: metrics)
                        passing.record(round)
                        passing.destroy()
                        if round % 100 == 0 { _ = try Page(metrics) }
                    }
                }
            }
            try await group.waitForAll()
        }
        let page = try Page(metrics)
        let half = "\(tasks * rounds / 2)"
        #expect(page.value("c_total", ["task": "0"]) == half && page.value("c_total", ["task": "1"]) == half)
        #expect(
            page.value("t_seconds_count") == "\(tasks * rounds)" && page.value("t_seconds_sum") == "\(tasks * rounds)")
        #expect(page.kinds["passing"] == nil && metrics.refusals.isEmpty)
    }

    @Test("A manager's metrics are on the page, each with its help")
    func manager() async throws {
        let machine = SimulatedMachine(tree: try .v2(limit: 512 << 20))
        defer { machine.tree.remove() }
        let metrics = PrometheusMetrics()
        let manager = try ResourceManager(
            registry: CacheRegistry(), backgroundTasks: machine.makeBackgroundTaskRegistry(),
            logger: Logger(label: "test"), metricsFactory: metrics, environment: machine.environment)
        let running = Task { try await manager.run() }
        await machine.waitUntilStarted()
        manager.simulate(.warning)
        running.cancel()
        try await running.value
        // What `run()` tells at its end is there.
        let page = try Page(metrics)
        for metric in ResourceManager.Metric.all where metric.kind == .counter {
            #expect(page.kinds[metric.label] == "counter" && page.help[metric.label] == metric.help)
        }
        #expect(page.value("jetsam_process_state") == "0")
        #expect(metrics.refusals.isEmpty)
    }
}
