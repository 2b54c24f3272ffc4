internal import MemoryPressure

/// What the growth of unmanaged memory leads to: when the limit is reached, how much headroom must be there for caches to give in
/// time, and whether this process has to leave before.
struct GrowthOutlook {
    private(set) var growth: UnmanagedGrowth
    /// The growth of this process's own memory beside the caches. It is followed where the process has a budget: that is not
    /// used up by what others take.
    private(set) var ownGrowth: UnmanagedGrowth
    /// The growth of unmanaged memory in the cgroup with the nearest `memory.high`. That may lie below a hard limit that others use
    /// too, or have none above it.
    private(set) var growthUnderHigh: UnmanagedGrowth
    /// The decision whether leaving has to begin before there is an emergency.
    var early = EarlyLeave()
    /// Indicates whether the caches began to be asked for it at the last reading.
    private(set) var beganToAsk = false
    /// The headroom that must be there at the last reading.
    private(set) var required = RequiredHeadroom()
    /// Indicates whether unmanaged memory has grown since the last reading as fast as would warn if it went on. Readings are then
    /// taken closely, so that the trend is known in time.
    private(set) var isSuspicious = false
    private var lastUnmanaged: (bytes: Int, instant: MonotonicInstant)?
    /// Milliseconds until the limit at that growth; nil where it does not grow, or the limit is far.
    private(set) var millisecondsToLimit: Int?
    /// The same at the growth between the last two full readings, whatever came of it before; nil where there was none.
    private(set) var millisecondsAtOnce: Int?

    init(_ configuration: ManagerConfiguration) {
        growth = UnmanagedGrowth(window: configuration.timeToLimit.window)
        // Not a copy: the arrays of one are made anew when one of both changes first, and a reading may not allocate.
        ownGrowth = UnmanagedGrowth(window: configuration.timeToLimit.window)
        growthUnderHigh = UnmanagedGrowth(window: configuration.timeToLimit.window)
    }

    /// Measures growth anew, as its window is another.
    mutating func changeWindow(_ window: Duration) {
        growth = UnmanagedGrowth(window: window)
        ownGrowth = UnmanagedGrowth(window: window)
        growthUnderHigh = UnmanagedGrowth(window: window)
    }

    mutating func forget() {
        growth.reset()
        ownGrowth.reset()
        growthUnderHigh.reset()
        early.pause()
        lastUnmanaged = nil
        isSuspicious = false
        millisecondsAtOnce = nil
    }

    /// Takes over a reading; its context then has what follows from it.
    mutating func observe(_ context: inout RuleContext, _ configuration: ManagerConfiguration) {
        let rule = configuration.timeToLimit
        // A cheap reading's estimate takes page cache that is being written for growth.
        if context.reading.depth == .full { noteUnmanaged(context, configuration) }
        required = RequiredHeadroom(
            headroomBytes: context.reading.headroomBytes, thresholds: context.thresholds, growth: growth,
            leadTime: context.leadTime, configuration: configuration)
        millisecondsToLimit = nil
        if context.reading.isHeadroomBelow(percent: rule.headroomPercent), let rate = growth.bytesPerSecond, rate > 0 {
            millisecondsToLimit = Int(saturating: Double(context.reading.headroomBytes) / Double(rate) * 1000)
        }
        lookEarly(context)
        context.required = required
        context.millisecondsToLimit = growth.milliseconds(toGrow: context.reading.headroomBytes)
        context.leaving =
            early.isAsking ? RuleContext.Leaving(neededBytes: early.neededBytes, deficit: early.deficit) : nil
    }

    private mutating func noteUnmanaged(
        _ context: RuleContext, _ configuration: ManagerConfiguration
    ) {
        let bytes = context.reading.unreclaimableBytes - context.managedBytes
        func append(_ reading: MemoryReading, to growth: inout UnmanagedGrowth) {
            growth.append(
                reading, managedBytes: context.managedBytes, inFlightBytes: context.inFlightBytes,
                fastest: configuration.sampling.maximumGrowthRate)
        }
        append(context.reading, to: &growth)
        if configuration.footprint != nil {
            var own = context.reading
            own.unreclaimableBytes = own.footprintBytes
            append(own, to: &ownGrowth)
        }
        if let high = SoftLimit.high(context.reading, configuration) { append(high.reading, to: &growthUnderHigh) }
        if let last = lastUnmanaged {
            let nanoseconds = last.instant.duration(to: context.now).nanoseconds
            let reach = configuration.timeToLimit.warning.nanoseconds
            // Growth since the last reading × the warning's time, against what is left.
            let grown = Double(bytes - last.bytes) * Double(reach) / Double(max(1, nanoseconds))
            isSuspicious = grown > Double(context.reading.headroomBytes)
            millisecondsAtOnce = growth.millisecondsAtOnce(toGrow: context.reading.headroomBytes)
        }
        lastUnmanaged = (bytes, context.now)
    }

    private mutating func lookEarly(_ context: RuleContext) {
        beganToAsk = false
        guard context.reading.depth == .full else { return }
        beganToAsk = early.look(
            EarlyLeave.Context(
                now: context.now, leavingNanoseconds: context.leavingNanoseconds, roomBytes: context.roomBytes,
                expectedBytes: context.expectedBytes, retainedBytes: context.retainedBytes,
                criticalEntry: context.thresholds.criticalEntry, limitBytes: context.reading.limitBytes,
                unreclaimableBytes: context.reading.unreclaimableBytes,
                footprintBytes: context.reading.footprintBytes, managedBytes: context.managedBytes,
                leadTime: context.leadTime, shortage: context.shortage, isDisturbed: context.isDisturbed))
    }
}
