internal import CommandOutput
internal import Jetsam
internal import JetsamConfiguration
internal import JetsamTrace
internal import MemoryPressure

/// What a search came to, as text, as JSON and as a file.
struct SearchResult {
    /// The recorded and the preferred configuration on traces that the search has not seen.
    struct Unseen {
        let traces: Int
        let recorded: Trial.Outcome
        let preferred: Trial.Outcome
    }

    let recorded: Candidate
    let preferred: Candidate
    let tried: [Candidate]
    let aims: Aims
    /// Nil where no trace was held out.
    let unseen: Unseen?

    /// Those of which no other is better in every respect, the least asked of caches first.
    var front: [Candidate] {
        let best = tried.filter { candidate in !tried.contains { $0.outcome.dominates(candidate.outcome) } }
        var seen: [Trial.Outcome] = []
        return best.sorted { $0.outcome.purgedBytes < $1.outcome.purgedBytes }.filter { candidate in
            guard !seen.contains(candidate.outcome) else { return false }
            seen.append(candidate.outcome)
            return true
        }
    }

    var text: [String] {
        var lines = ["\(tried.count.counted("configuration was", "configurations were")) tried. The trade-off:", ""]
        var rows = [Self.head, row("recorded", recorded.outcome)]
        for (index, candidate) in front.prefix(12).enumerated() { rows.append(row("\(index + 1)", candidate.outcome)) }
        rows.append(row("preferred", preferred.outcome))
        lines += Columns.aligned(rows)
        lines += [""] + unseenText
        lines += ["", "The preferred one, where it differs from the recorded:"]
        let changes = changes(preferred)
        lines += changes.isEmpty ? ["  nothing: the recorded configuration is best"] : changes.map { "  \($0)" }
        lines += [""] + Self.unknowns.flatMap { Columns.wrapped($0, indent: 2, first: "- ") }
        return lines
    }

    private static let head = [
        "", "asked of caches", "wasted", "at warning", "at critical", "least headroom", "without headroom", "steps",
    ]

    private var unseenText: [String] {
        guard let unseen else {
            return ["No trace was held out: whether the preferred one serves other load is not shown. See --held-out."]
        }
        let rows = [Self.head, row("recorded", unseen.recorded), row("preferred", unseen.preferred)]
        return ["On \(unseen.traces.counted("trace", "traces")) that the search has not seen:", ""]
            + Columns.aligned(rows) + ["", verdict(unseen) + "."]
    }

    /// Whether the preferred configuration serves other load as well.
    private func verdict(_ unseen: Unseen) -> String {
        if aims.isBetter(unseen.preferred, unseen.recorded, than: unseen.recorded) {
            return "There the preferred one is better, too"
        }
        if aims.isBetter(unseen.recorded, unseen.preferred, than: unseen.recorded) {
            return "There the preferred one is worse than the recorded: it fits the other traces too closely"
        }
        return "There the two are equally good"
    }

    private func row(_ name: String, _ outcome: Trial.Outcome) -> [String] {
        [
            name, ByteCount(outcome.purgedBytes).description, FigureText.wastedShare(outcome.releases),
            Duration.nanoseconds(outcome.warningTime).shortText,
            Duration.nanoseconds(outcome.criticalTime).shortText, "\(outcome.leastHeadroomPercent) %",
            "\(outcome.kills)",
            "\(outcome.steps)",
        ]
    }

    /// Such as `headroom.warningPercent: 20 → 14`.
    private func changes(_ candidate: Candidate) -> [String] {
        let (old, new) = (settings(recorded), settings(candidate))
        return Setting.differences(between: old, and: new).map {
            "\($0.key): \($0.text(in: old) ?? "none") → \($0.text(in: new) ?? "none")"
        }
    }

    private func settings(_ candidate: Candidate) -> JetsamSettings {
        var settings = JetsamSettings()
        settings.manager = candidate.configuration
        return settings
    }

    /// What a trace does not say.
    static let unknowns = [
        "From the first step that differs on, these figures are a model's: see `jetsam help replay`.",
        "A trace does not say what held background tasks, scenes and the last resort would have brought.",
        "Nor does it say what hits the caches would have had with more or less memory: fewer bytes asked for are taken to be better.",
        "It has no load but the recorded: thresholds that fit it closely may be late for another.",
    ]

    /// The preferred configuration, as `jetsam check` accepts it.
    var file: String {
        var writer = ConfigurationWriter()
        let outcome = preferred.outcome
        writer.heading = [
            "Found by jetsam tune among \(tried.count.counted("configuration", "configurations")).",
            "On its traces: \(ByteCount(outcome.purgedBytes)) asked of caches, \(Duration.nanoseconds(outcome.warningTime).shortText) at warning, "
                + "\(Duration.nanoseconds(outcome.criticalTime).shortText) at critical, "
                + "\(outcome.kills.counted("time", "times")) without headroom.",
        ]
        if let unseen {
            writer.heading.append(
                "On \(unseen.traces.counted("trace", "traces")) that the search has not seen: \(verdict(unseen)).")
        }
        return writer.text(of: settings(preferred))
    }

    var json: JSONText {
        .object([
            ("candidates", .integer(tried.count)), ("recorded", json(recorded)), ("preferred", json(preferred)),
            ("front", .array(front.map(json))),
            (
                "heldOut",
                unseen.map { unseen in
                    .object([
                        ("traces", .integer(unseen.traces)), ("recorded", unseen.recorded.json),
                        ("preferred", unseen.preferred.json),
                    ])
                } ?? .null
            ),
        ])
    }

    private func json(_ candidate: Candidate) -> JSONText {
        guard case .object(let figures) = candidate.outcome.json else { return .null }
        let settings = settings(candidate)
        let changes = Setting.differences(between: JetsamSettings(), and: settings).map {
            ($0.key, JSONText.string($0.text(in: settings)))
        }
        return .object(figures + [("settings", .object(changes))])
    }
}
