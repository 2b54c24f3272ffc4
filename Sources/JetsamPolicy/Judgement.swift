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
    private var rules = Rules()
    var evidence: Evidence
    package private(set) var emergency = Emergency()

    var growth: UnmanagedGrowth { evidence.outlook.growth }
    /// The headroom that must be there at the last reading.
    var required: RequiredHeadroom { evidence.outlook.required }
    /// Milliseconds until the limit at the present growth; nil where it does not grow.
    var millisecondsToLimit: Int? { evidence.outlook.millisecondsToLimit }

    init(configuration: ManagerConfiguration) {
        self.configuration = configuration
        evidence = Evidence(configuration)
    }

    /// Keeps what the rules vote for; each is judged by its new thresholds at the next reading.
    mutating func reconfigure(_ configuration: ManagerConfiguration) {
        let window = configuration.timeToLimit.window
        if window != self.configuration.timeToLimit.window { evidence.outlook.changeWindow(window) }
        rules.hear(.reconfigured(configuration))
        self.configuration = configuration
    }

    /// Returns the highest vote on a reading.
    mutating func judge(_ context: RuleContext) -> Vote {
        var context = context
        evidence.observe(&context, configuration)
        emergency.isHeadroomCritical = context.roomBytes < context.thresholds.criticalEntry
        emergency.isOutOfMemory = context.events.isOutOfMemory(
            context.reading, warningExit: context.thresholds.warningExit)
        emergency.isOurs = context.shortage.isOurs
        return rules.vote(context, configuration)
    }

    /// Takes over what was told beside the readings.
    mutating func hear(_ notice: RuleNotice) {
        if case .paused = notice { evidence.forget() }
        rules.hear(notice)
    }
}
