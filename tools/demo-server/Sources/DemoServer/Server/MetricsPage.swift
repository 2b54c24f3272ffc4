internal import Jetsam
internal import MemoryPressure

/// The page at `/metrics`, in Prometheus' text format.
struct MetricsPage: Sendable {
    var counts: Responses.Counts
    var size: CacheSize
    var usage: ProcessUsage
    var assertions: BackgroundTaskStatistics
    var isReady: Bool
    /// What the manager knows; nil where there is none.
    var status: ResourceManager.Status?
    /// What the manager tells; nil where there is none.
    var metrics: PrometheusMetrics?

    var text: String {
        var lines: [String] = []
        func add(_ name: String, _ kind: String, _ help: String, _ value: String) {
            lines += ["# HELP \(name) \(help)", "# TYPE \(name) \(kind)", "\(name) \(value)"]
        }
        add("demo_hits_total", "counter", "Requests answered from the cache.", "\(counts.hits)")
        add("demo_misses_total", "counter", "Requests for which the value had to be made.", "\(counts.misses)")
        add("demo_cache_entries", "gauge", "Values kept.", "\(size.entries)")
        add("demo_cache_bytes", "gauge", "Bytes of the values kept, overhead included.", "\(size.bytes)")
        add("demo_cpu_seconds_total", "counter", "CPU time of the process, kernel included.", "\(usage.cpuSeconds)")
        if let footprint = usage.footprintBytes {
            add("demo_footprint_bytes", "gauge", "Resident memory of the process less what it shares.", "\(footprint)")
        }
        add("demo_ready", "gauge", "1 while new requests are wanted.", isReady ? "1" : "0")
        add("demo_assertions_held", "gauge", "Background tasks that hold the process.", "\(assertions.held)")
        add("demo_assertions_begun_total", "counter", "Background tasks begun.", "\(assertions.begun)")
        add("demo_assertions_ended_total", "counter", "Background tasks ended.", "\(assertions.ended)")
        add("demo_assertions_expired_total", "counter", "Those told that they expire.", "\(assertions.expired)")
        add(
            "demo_assertions_overdue_total", "counter", "Those not ended by the end of their grace.",
            "\(assertions.overdue)")
        add("demo_assertions_refused_total", "counter", "Those that might not begin.", "\(assertions.refused)")
        if let status {
            add(
                "demo_process_state", "gauge", "0 not running, 1 inactive, 2 active, 3 background, 4 suspended.",
                "\(status.process.state.rawValue)")
            add("demo_pressure_level", "gauge", "0 normal, 1 warning, 2 critical.", "\(status.level.rawValue)")
            add("demo_headroom_bytes", "gauge", "Bytes left to the nearest limit.", "\(status.reading.headroomBytes)")
            add("demo_level_changes_total", "counter", "Changes of the level.", "\(status.totals.levelChanges)")
            add("demo_reclaim_steps_total", "counter", "Steps of reclaim.", "\(status.totals.steps)")
            add(
                "demo_reclaimed_bytes_total", "counter", "Bytes that the caches gave back when asked.",
                "\(status.totals.promisedBytes)")
            add(
                "demo_returned_bytes_total", "counter", "Bytes by which the process shrank in the steps of reclaim.",
                "\(status.totals.returnedBytes)")
        }
        if let metrics { lines += metrics.lines }
        return lines.joined(separator: "\n") + "\n"
    }
}
