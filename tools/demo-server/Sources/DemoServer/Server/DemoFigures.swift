internal import Jetsam
internal import JetsamPrometheus

/// The server's own figures, which are asked for with each page of metrics.
struct DemoFigures {
    var responses: Responses
    /// Whether new requests are wanted.
    var isReady: @Sendable () -> Bool
    var manager: ResourceManager?

    func add(to metrics: PrometheusMetrics) {
        addOwn(to: metrics)
        addTasks(to: metrics)
        if let manager { addManager(manager, to: metrics) }
    }

    private func addOwn(to metrics: PrometheusMetrics) {
        metrics.addCounter("demo_hits_total", help: "Requests answered from the cache.") { [responses] in
            Double(responses.counts.hits)
        }
        metrics.addCounter("demo_misses_total", help: "Requests for which the value had to be made.") { [responses] in
            Double(responses.counts.misses)
        }
        metrics.addGauge("demo_cache_entries", help: "Values kept.") { [responses] in
            Double(responses.cache.size.entries)
        }
        metrics.addGauge("demo_cache_bytes", help: "Bytes of the values kept, overhead included.") { [responses] in
            Double(responses.cache.size.bytes)
        }
        metrics.addCounter("demo_cpu_seconds_total", help: "CPU time of the process, kernel included.") {
            ProcessUsage.current().cpuSeconds
        }
        metrics.addGauge("demo_footprint_bytes", help: "Resident memory of the process less what it shares.") {
            ProcessUsage.current().footprintBytes.map(Double.init)
        }
        metrics.addGauge("demo_ready", help: "1 while new requests are wanted.") { [isReady] in isReady() ? 1 : 0 }
    }

    private func addTasks(to metrics: PrometheusMetrics) {
        metrics.addGauge("demo_background_tasks_held", help: "Background tasks that hold the process.") {
            Double(BackgroundTaskRegistry.shared.statistics.held)
        }
        func count(_ name: String, _ help: String, _ count: @escaping @Sendable (BackgroundTaskStatistics) -> Int) {
            metrics.addCounter("demo_background_tasks_\(name)_total", help: help) {
                Double(count(BackgroundTaskRegistry.shared.statistics))
            }
        }
        count("begun", "Background tasks begun.") { $0.begun }
        count("ended", "Background tasks ended.") { $0.ended }
        count("expired", "Those told that they expire.") { $0.expired }
        count("overdue", "Those not ended by the end of their grace.") { $0.overdue }
        count("refused", "Those that might not begin.") { $0.refused }
    }

    private func addManager(_ manager: ResourceManager, to metrics: PrometheusMetrics) {
        metrics.addGauge("demo_process_state", help: "0 not running, 1 inactive, 2 active, 3 background, 4 suspended.")
        {
            Double(manager.processState.rawValue)
        }
        metrics.addGauge("demo_pressure_level", help: "0 normal, 1 warning, 2 critical.") {
            Double(manager.level.rawValue)
        }
        metrics.addGauge("demo_headroom_bytes", help: "Bytes left to the nearest limit.") {
            Double(manager.status.reading.headroomBytes)
        }
        func total(_ name: String, _ help: String, _ total: @escaping @Sendable (ReclaimTotals) -> Int) {
            metrics.addCounter("demo_\(name)_total", help: help) { Double(total(manager.status.totals)) }
        }
        total("level_changes", "Changes of the level.") { $0.levelChanges }
        total("reclaim_steps", "Steps of reclaim.") { $0.steps }
        total("reclaimed_bytes", "Bytes that the caches gave back when asked.") { $0.promisedBytes }
        total("returned_bytes", "Bytes by which the process shrank in the steps of reclaim.") { $0.returnedBytes }
    }
}
