internal import MemoryPressure

/// Votes as it is told: by systemd's watch, a simulation, or the operator.
struct External: Rule {
    static let namesNoBytes = true

    /// The level that a call of the application's holds.
    private var held: (level: PressureLevel, until: MonotonicInstant?)?
    /// The time until which the supervisor's word counts.
    private var warnedUntil: MonotonicInstant?

    /// Holds a vote as told, until `until`, or until told otherwise where that is nil.
    mutating func hold(_ level: PressureLevel, until: MonotonicInstant?) {
        held = level == .normal ? nil : (level, until)
    }

    /// Votes for a warning until then, whatever is held: neither ends the other.
    mutating func supervisorWarns(until: MonotonicInstant) {
        warnedUntil = until
    }

    mutating func vote(_ context: RuleContext, _ configuration: ManagerConfiguration) -> Vote? {
        if let until = held?.until, context.now >= until { held = nil }
        if let until = warnedUntil, context.now >= until { warnedUntil = nil }
        let level = max(held?.level ?? .normal, warnedUntil == nil ? .normal : .warning)
        return level == .normal ? nil : Vote(rule: .external, level: level, observed: 0, threshold: 0, unit: .none)
    }
}
