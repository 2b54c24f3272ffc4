internal import ArgumentParser
internal import CommandOutput
internal import Jetsam
internal import MemoryPressure

/// The decisions of two traces, held against each other in their order.
struct Comparison {
    let first: String
    let second: String

    private struct Decision: Equatable {
        /// Since the trace began, in nanoseconds.
        var time: Int64
        var event: TraceEvent
    }

    func run(json: Bool) throws {
        let decisions = (try read(first), try read(second))
        let count = min(decisions.0.count, decisions.1.count)
        let index =
            (0..<count).first { decisions.0[$0] != decisions.1[$0] }
            ?? (decisions.0.count == decisions.1.count ? nil : count)
        let parting = index.map { (Self.at($0, decisions.0), Self.at($0, decisions.1)) }
        if json {
            let difference = parting.map { pair in
                JSONText.object([
                    ("t", .integer([pair.0, pair.1].compactMap { $0.map { Int($0.time) } }.min())),
                    ("first", .string(pair.0.map { Self.line($0) })), ("second", .string(pair.1.map { Self.line($0) })),
                ])
            }
            print(
                JSONText.object([
                    ("first", .string(first)), ("second", .string(second)), ("identical", .bool(index == nil)),
                    ("firstDifference", difference ?? .null),
                ]))
        } else if let index, let parting {
            print("\(index.counted("decision agrees", "decisions agree")); then the two part:")
            print("  \(first): \(parting.0.map { Self.line($0) } ?? "nothing more")")
            print("  \(second): \(parting.1.map { Self.line($0) } ?? "nothing more")")
        } else {
            print(count == 1 ? "The one decision agrees." : "All \(count) decisions agree.")
        }
        throw ExitCode(index == nil ? 0 : 1)
    }

    private func read(_ path: String) throws -> [Decision] {
        var decisions: [Decision] = []
        var start: MonotonicInstant?
        try TraceInput(path: path).forEach { event, instant in
            let begin = start ?? instant
            start = begin
            switch event {
            case .level, .demand, .regrowth, .ladder:
                decisions.append(Decision(time: begin.duration(to: instant).nanoseconds, event: event))
            default: break
            }
        }
        return decisions
    }

    private static func at(_ index: Int, _ decisions: [Decision]) -> Decision? {
        decisions.indices.contains(index) ? decisions[index] : nil
    }

    /// Such as `after 2.1 s: normal → warning: headroom 98 MiB is below 102.4 MiB (sampler)`.
    private static func line(_ decision: Decision) -> String {
        let what =
            switch decision.event {
            case .level(let record):
                (record.previous == record.level ? "still \(record.level)" : "\(record.previous) → \(record.level)")
                    + ": \(record.reason)"
            case .demand(let record):
                "step \(record.step) at \(record.level) for \(ByteCount(record.targetBytes))"
            case .regrowth(let record):
                record.raiseBytes == 0 ? "limits lifted" : "limits raised by \(ByteCount(record.raiseBytes))"
            case .ladder(let record): "\(LadderRecord.Action.words[record.action.code])"
            default: ""
            }
        return "after \(Duration.nanoseconds(decision.time).shortText): \(what)"
    }
}
