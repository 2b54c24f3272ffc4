/// A cache's name, before it is first spoken of by its number.
package struct CacheRecord: Record {
    package static let kind = TraceKind.cache

    package var cache = 0
    /// Or its hash, where names are hashed.
    package var name = ""

    package init() {}

    package init(cache: UInt64, name: String) {
        self.cache = Int(clamping: cache)
        self.name = name
    }

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.integer("cache", &cache)
        visitor.text("name", &name)
    }
}

/// The numbers of background tasks and scenes. Written when the level changes and when a step ends, and once a second at most.
package struct CountsRecord: Record {
    package static let kind = TraceKind.counts

    package var heldTasks = 0
    package var expiredTasks = 0
    package var overdueTasks = 0
    package var refusedTasks = 0
    package var activeScenes = 0
    package var inactiveScenes = 0
    package var backgroundScenes = 0
    package var suspendedScenes = 0

    package init() {}

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.integer("heldTasks", &heldTasks)
        visitor.integer("expiredTasks", &expiredTasks)
        visitor.integer("overdueTasks", &overdueTasks)
        visitor.integer("refusedTasks", &refusedTasks)
        visitor.integer("activeScenes", &activeScenes)
        visitor.integer("inactiveScenes", &inactiveScenes)
        visitor.integer("backgroundScenes", &backgroundScenes)
        visitor.integer("suspendedScenes", &suspendedScenes)
    }
}

/// The process went from one state to another.
package struct ProcessRecord: Record {
    package static let kind = TraceKind.process

    package var from = ""
    package var to = ""
    package var cause = ""

    package init() {}

    package init(from: String, to: String, cause: String) {
        self.from = from
        self.to = to
        self.cause = cause
    }

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        // Words of a few letters; a text costs a slot as much as it is long.
        visitor.shortText("from", &from)
        visitor.shortText("to", &to)
        visitor.shortText("cause", &cause)
    }
}

/// A scene went from one state to another.
package struct SceneRecord: Record {
    package static let kind = TraceKind.scene

    /// Its identifier or, where names are hashed, its hash.
    package var scene = ""
    package var to = ""

    package init() {}

    package init(scene: String, to: String) {
        self.scene = scene
        self.to = to
    }

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.text("scene", &scene)
        visitor.shortText("to", &to)
    }
}

/// So many records were not written. What follows cannot be replayed exactly.
package struct LostRecord: Record {
    package static let kind = TraceKind.lost

    package enum Why: UInt8, NumberedWord {
        /// They came faster than the file took them.
        case tooFast
        /// The file is as long as it may become.
        case fileFull
        package static let words = ["tooFast", "fileFull"]
    }

    package var why = Why.tooFast
    package var records = 0

    package init() {}

    package init(_ why: Why, records: Int) {
        self.why = why
        self.records = records
    }

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.word("why", &why)
        visitor.integer("records", &records)
    }
}

/// From here on a trace that was made under another configuration is a model: see ``Trial``.
package struct ModelRecord: Record {
    package static let kind = TraceKind.model
    package init() {}
    package mutating func visit(_ visitor: inout some FieldVisitor) {}
}
