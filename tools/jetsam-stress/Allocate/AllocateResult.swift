internal import CommandOutput
internal import MemoryPressure
internal import _StressPatterns

/// What `allocate` says at its end.
struct AllocateResult {
    var outcome: PatternRun.Outcome
    var residentBytes: Int?
    var purgeable: PurgeableResult?
    var tasks: TaskResult?

    var text: String {
        [memoryText, purgeable?.text, tasks?.text].compactMap { $0 }.joined(separator: "\n")
    }

    private var memoryText: String? {
        let driven = outcome.driven
        guard let pattern = outcome.pattern else { return nil }
        let resident = residentBytes.map { ", resident \(ByteCount($0))" } ?? ""
        let server = outcome.server.map(Self.text) ?? ""
        let read = outcome.pagesRead.map { ", read \($0.counted("page", "pages"))" } ?? ""
        return
            "\(pattern.rawValue): took \(ByteCount(driven.takenBytes)) (\(outcome.rate.text)) in \(driven.elapsed.shortText), "
            + "holds \(ByteCount(driven.heldBytes)) at the end\(resident)\(read)\(server)"
            + (driven.end == .duration ? "; --duration was up" : "")
    }

    private static func text(_ server: ServerFigures) -> String {
        let used = server.usedBytes.map { "uses \(ByteCount($0))" } ?? "answers no more"
        let resident = server.residentBytes.map { ", resident \(ByteCount($0))" } ?? ""
        return "; \(server.program) has \(server.values.counted("value", "values")), \(used)\(resident)"
    }

    private static func json(_ server: ServerFigures) -> JSONText {
        .object([
            ("program", .string(server.program)), ("values", .integer(server.values)),
            ("usedBytes", .integer(server.usedBytes)), ("residentBytes", .integer(server.residentBytes)),
        ])
    }

    var json: JSONText {
        let driven = outcome.driven
        return .object([
            ("pattern", .string(outcome.pattern?.rawValue)),
            ("limitBytes", .integer(outcome.limitBytes)),
            ("rateBytesPerSecond", .integer(outcome.rate.bytesPerSecond)),
            ("seed", outcome.seed.map { .string(String($0)) } ?? .null),
            ("end", .string(driven.end.rawValue)),
            ("rounds", .integer(driven.rounds)),
            ("takenBytes", .integer(driven.takenBytes)),
            ("peakBytes", .integer(driven.peakBytes)),
            ("heldBytes", .integer(driven.heldBytes)),
            ("residentBytes", .integer(residentBytes)),
            ("pagesRead", .integer(outcome.pagesRead)),
            ("server", outcome.server.map(Self.json) ?? .null),
            ("seconds", .number(driven.elapsed.inSeconds)),
            ("purgeable", purgeable?.json ?? .null),
            ("tasks", tasks?.json ?? .null),
        ])
    }
}
