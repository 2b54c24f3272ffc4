package import MemoryPressure

/// A rule: how it votes, what it remembers, and what others have to know of it.
protocol Rule {
    /// Indicates whether it says that memory is short, but not by how much. A step then asks for a share of what caches hold.
    static var namesNoBytes: Bool { get }
    /// Indicates whether what it looks at is used by other processes too, so that each gives its share.
    static var isShared: Bool { get }
    /// Returns whether it votes by how much is left, and can tell that with these sources. A manager needs such a rule.
    static func knowsRoom(_ isUsed: (MemorySignalSource) -> Bool, _ configuration: ManagerConfiguration) -> Bool
    /// Returns the bytes that are missing for its vote to end; not positive where none are, and 0 where it does not say. Missing
    /// headroom is reckoned whatever rule calls.
    static func missingBytes(_ reading: MemoryReading, _ configuration: ManagerConfiguration) -> Int

    /// Votes on one reading; nil where it has nothing to say, as without its signal.
    mutating func vote(_ context: RuleContext, _ configuration: ManagerConfiguration) -> Vote?
    /// Forgets what means nothing after a time in which the process did not run.
    mutating func forget()
}

extension Rule {
    static var namesNoBytes: Bool { false }
    static var isShared: Bool { false }
    static func knowsRoom(
        _ isUsed: (MemorySignalSource) -> Bool, _ configuration: ManagerConfiguration
    ) -> Bool { false }
    static func missingBytes(_ reading: MemoryReading, _ configuration: ManagerConfiguration) -> Int { 0 }
    mutating func forget() {}
}

/// The input of the rules on one reading: the reading itself and the facts known beside it.
struct RuleContext {
    var reading: MemoryReading
    var thresholds: HeadroomThresholds
    /// Bytes that registered caches report, clamped to the footprint.
    var managedBytes: Int
    var cause: LevelCause
    /// The grade of the PSI trigger that fired, where that is the cause.
    var triggerGrade = PressureLevel.normal
    /// The speed at which caches can give.
    var leadTime = LeadTime()
    /// Nanoseconds that leaving takes; 0 where that is not known or does not matter.
    var leavingNanoseconds: Int64 = 0
    /// The bytes that are expected to come back, of those that caches report; and the bytes that a trim can bring.
    var expectedBytes = 0
    var retainedBytes = 0
    /// The owner of the shortage.
    var shortage = Shortage()
    /// Caches give, or gave a moment ago.
    var isDisturbed = false
    /// The kernel has been reclaiming what is needed. Set before any rule votes.
    var showsShortage = false
    /// Tasks wait for memory, by the rule `stall`. Set before any other rule votes.
    var isStalled = false

    var now: MonotonicInstant { reading.instant }

    var roomBytes: Int { reading.roomBytes }

    /// Indicates whether the kernel can page out for a while yet before it kills.
    var hasSwap: Bool { reading.usableSwapBytes > thresholds.criticalEntry }

    /// Returns whether headroom is below `percent` of the limit.
    func isHeadroomBelow(percent: Int) -> Bool {
        reading.headroomBytes / percent < reading.limitBytes / 100
    }
}

extension MemoryReading {
    /// Headroom and what can be swapped out: what stands between the process and the kernel's killer.
    package var roomBytes: Int { headroomBytes.addingSaturating(usableSwapBytes) }
}

extension Vote {
    /// While the kernel can page out it does not kill: nearness to the limit alone is no more than a warning then. It is critical
    /// where tasks wait for memory besides.
    func eased(_ context: RuleContext) -> Vote {
        guard level == .critical, context.hasSwap, !context.isStalled else { return self }
        var vote = self
        vote.level = .warning
        return vote
    }
}
