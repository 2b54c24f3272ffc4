internal import MemoryPressure

extension PressureRule {
    /// systemd's watch, a simulation, or the operator.
    ///
    /// - Means: another program asked for this level
    /// - Reads: `systemd watch`; a simulation
    /// - Look at: `Request on the control socket`, `simulate`, systemd
    public static let external = PressureRule(6, "external")
}

/// Votes as it is told: by systemd's watch, a simulation, or the operator.
struct External: Rule {
    static let rule = PressureRule.external
    static let namesNoBytes = true

    /// The level that a call of the application's holds.
    private var held: (level: PressureLevel, until: MonotonicInstant?)?
    /// The time until which the supervisor's word counts.
    private var warnedUntil: MonotonicInstant?

    mutating func hear(_ notice: RuleNotice) {
        switch notice {
        case .held(let level, let until): held = level == .normal ? nil : (level, until)
        // Whatever is held: neither ends the other.
        case .supervisorWarns(let until): warnedUntil = until
        case .paused, .reconfigured: break
        }
    }

    mutating func vote(_ context: RuleContext, _ configuration: ManagerConfiguration) -> Vote? {
        if let until = held?.until, context.now >= until { held = nil }
        if let until = warnedUntil, context.now >= until { warnedUntil = nil }
        let level = max(held?.level ?? .normal, warnedUntil == nil ? .normal : .warning)
        return level == .normal ? nil : Vote(rule: .external, level: level, observed: 0, threshold: 0, unit: .none)
    }
}
