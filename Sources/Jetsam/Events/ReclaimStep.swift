public import MemoryPressure

/// One step of reclaim: what was asked of whom, what they answered, and what it brought.
public struct ReclaimStep: Sendable, Equatable, CustomStringConvertible {
    /// One cache's part in a step.
    public struct Part: Sendable, Equatable {
        /// The cache's name.
        public var name: String
        /// Bytes that it was asked for.
        public var askedBytes: Int
        /// Bytes that it answered to have given, held to what it had reported; 0 while it has not answered.
        public var promisedBytes: Int
        /// Bytes that its handler's thread freed, by the allocator's counters; nil where they cannot tell.
        public var freedBytes: Int?
        /// Its share of the step's returned bytes, in proportion to what was promised.
        public var returnedBytes: Int
        /// The time that its handler took, or had taken when its deadline passed.
        public var handlerTime: Duration
        /// Indicates whether the handler threw.
        public var failed: Bool
        /// Indicates whether the handler missed its deadline. It may still be running.
        public var missedDeadline: Bool
        /// Indicates whether next to nothing of what it promised has come back, as far as the step shows that.
        var broughtNothing = false
        /// Indicates whether such steps have shown by now that nothing comes back of what it promises.
        var isHollow = false
    }

    /// Shares one numbering with level changes: what happened first has the lower number.
    public var sequence: UInt64
    /// The stage of the ladder that it belongs to.
    public var stage = ReclaimStage.caches
    /// The number of the step in its episode, from 1; 0 for a call of the application's and for later stages.
    public var step: Int
    /// The level that it answered.
    public var level: PressureLevel
    /// The reason for the step.
    public var reason: LevelReason
    /// Bytes that were missing in all.
    public var missingBytes: Int
    /// Bytes that this step was to bring.
    public var targetBytes: Int
    /// Steepest growth of unmanaged memory when it was decided, in bytes a second; 0 where there was none.
    package var growthRate = 0
    /// The expected time from the decision until the memory is there; 0 where none was calculated.
    package var leadTime = Duration.zero
    /// Sum of what the caches promised.
    public var promisedBytes: Int
    /// Sum of what their threads freed; nil where the allocator cannot tell.
    public var freedBytes: Int?
    /// Fall of the process's footprint over the whole step, after the trim; never negative.
    public var returnedBytes: Int
    /// Indicates whether others grew meanwhile by more than a tenth of the promise, so that the figures say nothing about the
    /// caches.
    public var isDisturbed: Bool
    /// Indicates whether the allocator was trimmed.
    package var didTrim: Bool
    /// The bytes that the trims brought: the fall of the allocator's retained bytes where it can tell, else the fall of the
    /// footprint meanwhile. Part of ``returnedBytes``.
    public var trimmedBytes = 0
    /// Bytes that were freed and are still retained by the allocator when the step has ended, as far as is known; no cache is
    /// asked for these.
    package var retainedBytes = 0
    /// The headroom when the step was decided, in bytes.
    public var headroomBefore: Int
    /// The headroom when the step was measured, in bytes.
    public var headroomAfter: Int
    /// From the reading that decided it to the first release call; nil where none was made.
    public var timeToFirstRelease: Duration?
    /// From the decision to the measurement at its end.
    public var duration: Duration
    /// The caches that were asked, in order.
    public var parts: [Part]
    /// The victims of a later stage, with name, age and origin; the first sixteen of them.
    public var victims: [String] = []
    /// The number of victims of a later stage.
    public var victimCount = 0
    /// Indicates whether the victims of a later stage were still there after ``ManagerConfiguration/Ladder/victimTimeout``.
    public var timedOut = false
    /// Indicates whether it was only decided, in a dry run (``ManagerConfiguration/isDryRun``). Nobody was asked and nothing
    /// taken. The promised bytes are then those that would have been asked for.
    public var isDryRun = false
    /// Indicates whether the step only found out what comes back of what a cache gives.
    var isProbe = false

    /// Indicates whether it is a call of the application or an operator, which no level asked for.
    package var isCall: Bool { step == 0 && stage == .caches && !isProbe }

    /// One line, such as `step 1 at warning: asked 25.6 MiB, promised 25.6 MiB, returned 24 MiB in 3 ms …`.
    public var description: String {
        if stage != .caches { return laterStageDescription }
        let disturbed = isDisturbed ? ", disturbed" : ""
        let trimmed = didTrim ? ", \(ByteCount(trimmedBytes)) of it by a trim" : ""
        let freed = freedBytes.map { ", freed \(ByteCount($0))" } ?? ""
        // A call answers no level, and its reason is the call.
        let what = isProbe ? "probe" : step == 0 ? "on request" : "step \(step) at \(level)"
        let growth =
            growthRate > 0
            ? "; unmanaged memory grew by \(ByteCount(growthRate)) a second, lead time \(leadTime.milliseconds) ms" : ""
        let missing = missingBytes > 0 ? "; \(ByteCount(missingBytes)) were missing" : ""
        let why = step == 0 ? "" : "; \(reason)\(missing)\(growth)"
        return """
            \(isDryRun ? "dry run: " : "")\(what): asked \(ByteCount(targetBytes)), promised \(ByteCount(promisedBytes))\(freed), \
            returned \(ByteCount(returnedBytes))\(disturbed)\(trimmed) in \(duration.milliseconds) ms\(why)
            """
    }

    private var laterStageDescription: String {
        let who =
            victims.isEmpty ? "" : " (\(victims.joined(separator: ", "))\(victimCount > victims.count ? ", …" : ""))"
        let late = timedOut ? ", not all gone in time" : ""
        return """
            \(isDryRun ? "dry run: " : "")stage \(stage): took \(victimCount)\(who)\(late), returned \(ByteCount(returnedBytes)) in \(duration.milliseconds) ms; \
            \(reason)
            """
    }
}

/// The failure of a handler.
struct HandlerProblem: Sendable {
    var cache: String
    /// The error that it threw, or nil where it missed its deadline.
    var error: String?
    var duration: Duration
}
