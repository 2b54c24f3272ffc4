internal import MemoryPressure

/// What several rules go by, and others beside them: seen on every reading, before any rule votes.
struct Evidence {
    /// The counters of `memory.events`, and pages that came back.
    private(set) var events = EventWatch()
    private(set) var stall = StallGrade()
    var outlook: GrowthOutlook

    init(_ configuration: ManagerConfiguration) {
        outlook = GrowthOutlook(configuration)
    }

    /// Takes over a reading; its context then has what follows from it.
    mutating func observe(_ context: inout RuleContext, _ configuration: ManagerConfiguration) {
        let reading = context.reading
        let thresholds = StallGrade.Thresholds(configuration.stall)
        events.observe(reading)
        context.events = events
        stall.observe(
            totalMicroseconds: reading.stallSomeMicroseconds, trigger: context.triggerGrade, at: context.now,
            thresholds)
        let showsShortage = events.showsShortage(reading, reclaimablePercent: configuration.events.reclaimablePercent)
        stall.judge(
            at: context.now, counts: reading.isHeadroomBelow(percent: thresholds.headroomPercent) && showsShortage,
            thresholds)
        context.stall = (stall.level, stall.percent)
        outlook.observe(&context, configuration)
    }

    /// Forgets what means nothing after a time in which the process did not run.
    mutating func forget() {
        stall.forget()
        outlook.forget()
    }
}
