internal import MemoryPressure

/// What became of the purgeable values.
struct PurgeableResult {
    var bytes: Int
    var heldBytes: Int
    /// Nil where nothing managed them.
    var timeline: [TimelineEntry]?

    var text: String {
        guard let timeline else { return "purgeable: \(ByteCount(bytes)), which nothing managed" }
        let lines = timeline.isEmpty ? ["  the level never changed"] : timeline.map(\.text)
        return (["purgeable: \(ByteCount(bytes - heldBytes)) of \(ByteCount(bytes)) given back"] + lines)
            .joined(separator: "\n")
    }

    var json: JSONText {
        let levels = timeline?.filter { !$0.isStep }
        let steps = timeline?.filter(\.isStep)
        return .object([
            ("bytes", .integer(bytes)),
            ("managed", .bool(timeline != nil)),
            ("releasedBytes", .integer(bytes - heldBytes)),
            ("levelChanges", .array(levels?.map(\.json) ?? [])),
            ("steps", .array(steps?.map(\.json) ?? [])),
        ])
    }
}
