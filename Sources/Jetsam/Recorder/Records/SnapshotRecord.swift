/// A part of what the process held when it entered the background. The first of a snapshot has the kind of part `begin`.
package struct SnapshotRecord: Record {
    package static let kind = TraceKind.snapshot

    package enum Part: UInt8, NumberedWord {
        case begin, cache, task, scene
        package static let words = ["begin", "cache", "task", "scene"]
    }

    package var part = Part.begin
    /// Or its hash, where names are hashed.
    package var name = ""
    package var bytes = 0

    package init() {}

    package init(_ part: Part, name: String, bytes: Int) {
        self.part = part
        self.name = name
        self.bytes = bytes
    }

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.word("part", &part)
        visitor.text("name", &name)
        visitor.integer("bytes", &bytes)
    }
}
