internal import MemoryPressure

/// A trace's first line: what the decisions in it were made with.
package struct TraceHeader: Record {
    package static let kind = TraceKind.trace

    package enum Source: UInt8, NumberedWord {
        /// The process itself.
        case manager
        /// Another, which saw readings alone.
        case outside
        /// A trial of another configuration on what was recorded.
        case trial
        package static let words = ["manager", "outside", "trial"]
    }

    package var version = TraceSchema.version
    package var source = Source.manager
    /// Nanoseconds since 1970 at the line's instant.
    package var wallClock = 0
    package var hasLastResort = false
    package var allocatorTells = false
    package var hashesNames = false
    package var configuration = ManagerConfiguration()

    package init() {}

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.integer("version", &version)
        visitor.word("source", &source)
        visitor.integer("wallClock", &wallClock)
        visitor.flag("hasLastResort", &hasLastResort)
        visitor.flag("allocatorTells", &allocatorTells)
        visitor.flag("hashesNames", &hashesNames)
        configuration.visitWhatDecides(&visitor)
    }
}

extension TraceHeader {
    package init(_ setup: Decider.Setup) {
        hasLastResort = setup.hasLastResort
        allocatorTells = setup.allocatorTells
        configuration = setup.configuration
        hashesNames = setup.configuration.recorder.hashesNames
    }

    package var setup: Decider.Setup {
        Decider.Setup(
            configuration: configuration, hasLastResort: hasLastResort, allocatorTells: allocatorTells)
    }
}

extension ManagerConfiguration {
    /// Every setting that a decision depends on; times are nanoseconds.
    package mutating func visitWhatDecides(_ visitor: inout some FieldVisitor) {
        for setting in ManagerSetting.all where setting.decides && !setting.isFixed { setting.visit(&self, &visitor) }
        visitor.retired("timeToLimit.critical")
        visitor.retired("timeToLimit.criticalExit")
        visitor.retired("reclaim.warningSharePercent")
    }
}

extension ManagerSetting {
    fileprivate func visit(_ configuration: inout ManagerConfiguration, _ visitor: inout some FieldVisitor) {
        if let formerField { visitor.formerly(formerField) }
        switch kind {
        case .integer(let path, _), .bytes(let path, _), .boundedBytes(let path, _):
            var value = configuration[keyPath: path]
            visitor.integer(field, &value)
            // Those of the budget mean nothing without one; they are asked for all the same, as the list of fields is the same for
            // every record.
            if isPresent(in: configuration) { configuration[keyPath: path] = value }
        case .duration(let path, _): visitor.duration(field, &configuration[keyPath: path])
        case .optionalDuration(let path, _): visitor.duration(field, &configuration[keyPath: path])
        case .flag(let path): visitor.flag(field, &configuration[keyPath: path])
        case .budget:
            var bytes = configuration.footprint?.budgetBytes
            visitor.optional(field, &bytes)
            if let bytes { configuration.budget.budgetBytes = bytes } else { configuration.footprint = nil }
        // Nothing is decided by any of these, and a test says so.
        case .word, .path, .texts: break
        }
    }
}
