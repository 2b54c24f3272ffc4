internal import MemoryPressure

/// The limit that caches grow towards: the hard one or a soft one, whichever leaves them the least room.
struct RoomToGrow {
    var reading: MemoryReading
    var thresholds: HeadroomThresholds
    /// Sustained growth of unmanaged memory under it, in bytes a second; nil while too little has been seen.
    var growthRate: Int?
    /// The bytes by which that memory rose within ten seconds at most.
    var rise: Int
    /// Bytes of headroom that its growth needs now.
    var required: Int

    /// Bytes of headroom that nothing else is known to need; less than 0 where some are missing.
    var bytes: Int {
        reading.headroomBytes.subtractingSaturating(max(StepScheduler.wantedHeadroom(thresholds), required))
    }

    init(_ context: RuleContext, _ outlook: GrowthOutlook, leadTime: LeadTime, configuration: ManagerConfiguration) {
        let required = outlook.required.byGrowth
        self.init(reading: context.reading, thresholds: context.thresholds, outlook.growth, required: required)
        // Nothing of the hard limit's is asked of a soft one: critical's entry of a large machine alone may be more than all of it.
        func room(under limit: SoftLimit, _ growth: UnmanagedGrowth) -> RoomToGrow {
            let required = RequiredHeadroom(
                headroomBytes: limit.reading.headroomBytes, thresholds: limit.thresholds, growth: growth,
                leadTime: leadTime, configuration: configuration)
            return RoomToGrow(
                reading: limit.reading, thresholds: limit.thresholds, growth, required: required.byGrowth)
        }
        if let budget = SoftLimit.budget(context.reading, configuration) {
            yield(to: room(under: budget, outlook.ownGrowth))
        }
        if let high = SoftLimit.high(context.reading, configuration) {
            yield(to: room(under: high, outlook.growthUnderHigh))
        }
    }

    private init(
        reading: MemoryReading, thresholds: HeadroomThresholds, _ growth: UnmanagedGrowth, required: Int
    ) {
        self.reading = reading
        self.thresholds = thresholds
        self.required = required
        growthRate = growth.bytesPerSecond
        rise = growth.rise.largest
    }

    private mutating func yield(to other: RoomToGrow) {
        // A limit of 0 bytes is one that is not known.
        let isLess = other.bytes.subtractingSaturating(other.rise) < bytes.subtractingSaturating(rise)
        if reading.limitBytes == 0 || isLess { self = other }
    }
}
