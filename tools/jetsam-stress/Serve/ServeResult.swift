internal import CommandOutput
internal import Jetsam
internal import MemoryPressure
internal import _StressPatterns

/// What `serve` says at its end.
struct ServeResult {
    var choices: ServeRun.Choices
    var elapsed: Duration
    var processorTime: Duration
    var requests: Int
    var hits: Int
    /// At the end.
    var cacheBytes: Int
    var ledger: ServeLedger.Summary
    var timeline: [TimelineEntry]

    private var hitRate: Double { requests > 0 ? Double(hits) / Double(requests) : 0 }
    private var requestsPerSecond: Double {
        processorTime > .zero ? Double(requests) / processorTime.inSeconds : 0
    }

    var text: String {
        let figures = ledger.figures
        let share = (hitRate * 1000).rounded() / 10
        let first =
            "\(choices.way.rawValue): \(requests.counted("request", "requests")) in \(elapsed.shortText), \(share) % hits, "
            + "\(Int(requestsPerSecond).counted("request", "requests")) for a second of processor time"
        let second =
            "released \(ByteCount(figures.releasedBytes)), of which \(ByteCount(figures.neededBytes)) was needed and "
            + "\(ByteCount(figures.wastedBytes)) wasted; \(ByteCount(cacheBytes)) cached at the end"
        let least = ledger.leastHeadroomBytes.map { ["headroom at least \(ByteCount($0))"] } ?? []
        return ([first, second] + least + timeline.map(\.text)).joined(separator: "\n")
    }

    var json: JSONText {
        let figures = ledger.figures
        return .object([
            ("way", .string(choices.way.rawValue)),
            ("budgetBytes", .integer(choices.budget)),
            ("disturbance", .string(choices.disturbance?.description)),
            ("seconds", .number(elapsed.inSeconds)),
            ("requests", .integer(requests)),
            ("hits", .integer(hits)),
            ("hitRate", .number(hitRate)),
            ("requestsPerCPUSecond", .number(requestsPerSecond)),
            ("cacheBytes", .integer(cacheBytes)),
            ("episodes", .integer(figures.episodes)),
            ("releasedBytes", .integer(figures.releasedBytes)),
            ("neededBytes", .integer(figures.neededBytes)),
            ("wastedBytes", .integer(figures.wastedBytes)),
            ("wastedShare", .number(figures.wastedShare)),
            ("headroomAtStart", .integer(ledger.firstHeadroomBytes)),
            ("leastHeadroomBytes", .integer(ledger.leastHeadroomBytes)),
            ("levelChanges", .array(timeline.filter { !$0.isStep }.map(\.json))),
            ("steps", .array(timeline.filter(\.isStep).map(\.json))),
        ])
    }
}
