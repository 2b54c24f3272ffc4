import MemoryPressure
import SystemPackage
import Testing

@testable import Jetsam
@testable import JetsamPolicy

/// The page of the documentation against the code.
struct ObservabilityPageTests {
    private let page: String
    private let logPage: String

    init() throws {
        page = try DocumentationPage.read("Observability")
        logPage = try DocumentationPage.read("LogMessages")
    }

    private static func rows(_ start: String, of page: String) -> [[String]] {
        page.split(separator: "\n").filter { $0.hasPrefix(start) }.map { line in
            line.split(separator: "|").map { cell in
                String(cell.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()).filter { $0 != "`" }
            }
        }
    }

    private static var coded: [[String]] {
        ResourceManager.Metric.all.map { metric in
            [metric.label, metric.kind.rawValue, metric.unit == .none ? "–" : metric.unit.rawValue, metric.help]
        }
    }

    @Test("The table of metrics is that of the code, each with its kind, its unit and its help, in its order")
    func metrics() {
        let documented = Self.rows("| `jetsam_", of: page)
        #expect(documented == Self.coded)
        #expect(documented.count > 20)
    }

    @Test("A difference of one character is found")
    func finds() {
        var documented = Self.rows("| `jetsam_", of: page)
        documented[3][2] += "."
        #expect(documented != Self.coded)
    }

    @Test("Every code of a refusal is named, and so are the bounds of a request")
    func refusals() {
        let refusals: [ControlRefusal] = [
            .badRequest(""), .tooLong, .late, .slow, .busy, .notAllowed, .notRunning,
        ]
        for refusal in refusals { #expect(page.contains("`\(refusal.code)`")) }
        #expect(page.contains("at most \(ControlRequest.maximumBytes) bytes, complete within two seconds"))
        #expect(ControlConversation.readingTime == .seconds(2))
        #expect(page.contains("\"version\":\(ControlAnswer.version),"))
        #expect(ControlServer.maximumRequests == 4 && page.contains("At most four requests"))
        #expect(ControlServer.maximumConnections == 32 && page.contains("At most 32 peers"))
    }

    @Test("The keys of log lines are those of the lines")
    func logKeys() {
        let reason = LevelReason(rule: .headroom, observed: 1, threshold: 2, unit: .bytes, cause: .sampler)
        let change = LevelChange(
            sequence: 1, previous: .normal, level: .warning, reason: reason, instant: .seconds(1), headroomBytes: 1)
        var episode = ReclaimEpisode(begunAt: .seconds(1), level: .warning)
        episode.freedBytes = 1
        let step = ReclaimStep(
            sequence: 0, step: 1, level: .warning, reason: reason, missingBytes: 0, targetBytes: 0, promisedBytes: 0,
            freedBytes: 0, returnedBytes: 0, isDisturbed: false, didTrim: false,
            headroomBefore: 0, headroomAfter: 0,
            timeToFirstRelease: nil, duration: .zero, parts: [])
        for (line, keys) in [
            ("| `Memory pressure PREVIOUS", Set(change.metadata.keys)),
            ("| `Reclaim episode", Set(episode.metadata.keys)),
            ("| `Reclaim step NUMBER", Set(step.metadata.keys)),
        ] {
            let cell = Self.rows(line, of: logPage).first?.last
            let documented = cell?.split(separator: ",").map { String($0.drop { $0 == " " }) }
            #expect(Set(documented ?? []) == keys)
        }
    }
}
