internal import MemoryPressure

/// What `allocate` says at its end.
struct AllocateResult {
    /// Nil, as the limit, where only assertions were held.
    var pattern: Pattern?
    var limitBytes: Int?
    var rate: Rate
    var seed: UInt64?
    var outcome: Driver.Outcome
    var residentBytes: Int?
    var pagesRead: Int?
    var purgeable: PurgeableResult?
    var assertions: AssertionResult?

    var text: String {
        [memoryText, purgeable?.text, assertions?.text].compactMap { $0 }.joined(separator: "\n")
    }

    private var memoryText: String? {
        guard let pattern else { return nil }
        let resident = residentBytes.map { ", resident \(ByteCount($0))" } ?? ""
        let read = pagesRead.map { ", read \($0) pages" } ?? ""
        return
            "\(pattern.rawValue): took \(ByteCount(outcome.takenBytes)) (\(rate.text)) in \(outcome.elapsed.shortText), "
            + "holds \(ByteCount(outcome.heldBytes)) at the end\(resident)\(read)"
            + (outcome.end == .duration ? "; --duration was up" : "")
    }

    var json: JSONText {
        .object([
            ("pattern", .string(pattern?.rawValue)),
            ("limitBytes", .integer(limitBytes)),
            ("rateBytesPerSecond", .integer(rate.bytesPerSecond)),
            ("seed", seed.map { .string(String($0)) } ?? .null),
            ("end", .string(outcome.end.rawValue)),
            ("rounds", .integer(outcome.rounds)),
            ("takenBytes", .integer(outcome.takenBytes)),
            ("peakBytes", .integer(outcome.peakBytes)),
            ("heldBytes", .integer(outcome.heldBytes)),
            ("residentBytes", .integer(residentBytes)),
            ("pagesRead", .integer(pagesRead)),
            ("seconds", .number(outcome.elapsed.inSeconds)),
            ("purgeable", purgeable?.json ?? .null),
            ("assertions", assertions?.json ?? .null),
        ])
    }
}
