internal import MemoryPressure

/// The reasons why the ladder may go on to steps that cannot be taken back. Only two count: headroom to a hard limit, usable swap
/// included, or a new `oom`. Both count only where this process has its part in the shortage.
package struct Emergency: Equatable {
    package var isHeadroomCritical = false
    package var isOutOfMemory = false
    package var isOurs = true

    package var isPresent: Bool { (isHeadroomCritical || isOutOfMemory) && isOurs }
}

/// The rules' votes on every reading, and whether there is an emergency.
struct Judgement {
    private var configuration: ManagerConfiguration
    var rules: Rules
    package private(set) var emergency = Emergency()

    var growth: UnmanagedGrowth { rules.timeToLimit.growth }
    /// The headroom that must be there at the last reading.
    var required: RequiredHeadroom { rules.timeToLimit.required }
    /// Milliseconds until the limit at the present growth; nil where it does not grow.
    var millisecondsToLimit: Int? { rules.timeToLimit.millisecondsToLimit }

    init(configuration: ManagerConfiguration) {
        self.configuration = configuration
        rules = Rules(configuration)
    }

    /// Keeps what the rules vote for; each is judged by its new thresholds at the next reading.
    mutating func reconfigure(_ configuration: ManagerConfiguration) {
        let window = configuration.timeToLimit.window
        if window != self.configuration.timeToLimit.window { rules.timeToLimit.changeWindow(window) }
        // The next reading may see the next budget already.
        if configuration.footprint == nil { rules.footprint.budgetWasRemoved() }
        self.configuration = configuration
    }

    /// Returns the highest vote on a reading.
    mutating func judge(_ context: RuleContext) -> Vote {
        let vote = rules.vote(context, configuration)
        emergency.isHeadroomCritical = context.roomBytes < context.thresholds.criticalEntry
        emergency.isOutOfMemory = rules.events.isOutOfMemory(context)
        emergency.isOurs = context.shortage.isOurs
        return vote
    }
}

extension Duration {
    /// The whole milliseconds of this duration.
    package var milliseconds: Int { Int(nanoseconds / 1_000_000) }
}
