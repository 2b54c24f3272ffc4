internal import CommandOutput
internal import JetsamConfiguration
internal import MemoryPressure

/// What `jetsam check` writes.
struct CheckFindings {
    var file: String
    var report: CheckReport

    /// What is changed from the defaults; empty where anything is wrong.
    private var changes: [(key: String, value: String, original: String)] {
        guard let settings = report.settings else { return [] }
        let defaults = JetsamSettings()
        return Setting.differences(between: defaults, and: settings).map {
            ($0.key, $0.text(in: settings) ?? "null", $0.text(in: defaults) ?? "null")
        }
    }

    /// Lines, each with its end.
    var text: String {
        report.warnings.map { "\(file):\($0)\n" }.joined() + verdict
    }

    private var verdict: String {
        guard report.isGood else {
            var lines = report.problems.map { $0.line > 0 ? "\(file):\($0)" : "\(file): \($0)" }
            if report.omittedProblems > 0 {
                lines.append("\(file): \(report.omittedProblems.counted("more error is", "more errors are")) not shown")
            }
            return lines.joined(separator: "\n") + "\n"
        }
        let changes = changes
        guard !changes.isEmpty else { return "\(file) can be used: every setting is at its default\n" }
        let count = changes.count == 1 ? "one setting differs" : "\(changes.count) settings differ"
        let width = changes.map(\.key.count).max() ?? 0
        let lines = changes.map {
            "  \(Columns.padded($0.key, width))  \($0.value)  (default \($0.original == "null" ? "off" : $0.original))"
        }
        return "\(file) can be used: \(count) from the defaults\n" + lines.joined(separator: "\n") + "\n"
    }

    var json: JSONText {
        .object([
            ("file", .string(file)), ("usable", .bool(report.isGood)),
            ("problems", list(report.problems)), ("warnings", list(report.warnings)),
            ("omitted", .integer(report.omittedProblems)),
            (
                "changes",
                .array(
                    changes.map { change in
                        .object([
                            ("key", .string(change.key)), ("value", .string(change.value)),
                            ("default", .string(change.original)),
                        ])
                    })
            ),
        ])
    }

    private func list(_ problems: [CheckReport.Problem]) -> JSONText {
        .array(
            problems.map { problem in
                .object([
                    ("line", problem.line > 0 ? .integer(problem.line) : .null),
                    ("column", problem.line > 0 ? .integer(problem.column) : .null),
                    ("key", .string(problem.key)), ("value", .string(problem.value)),
                    ("message", .string(problem.message)), ("suggestion", .string(problem.suggestion)),
                ])
            })
    }
}
