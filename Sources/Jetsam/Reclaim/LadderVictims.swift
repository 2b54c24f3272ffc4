internal import MemoryPressure

/// An action of the ladder, with what led to it.
struct LadderOrder {
    var action: LadderMachine.Action
    var level: PressureLevel
    var reason: LevelReason
    var decidedAt: MonotonicInstant
    /// Of the last resort: it comes before there is an emergency, as leaving takes longer than memory lasts.
    var isEarly = false
}

/// The figures of what the ladder could take beyond the caches, for those who decide.
protocol LadderStock: Sendable {
    /// The number of background tasks that are held and have not been told to end. Cheap.
    var heldBackgroundTasks: Int { get }
    /// The number of scenes that could be lost. Cheap.
    var scenes: Int { get }
    /// The time that this process takes to leave; nil while it is being launched, and where nothing of it is known. Cheap.
    var timeToLeave: Duration? { get }
}

/// The victims that the ladder can take beyond the caches. None of it calls code of the application's under a lock.
protocol LadderVictims: Sendable {
    /// Tells up to that many that they expire now: lowest priority first, and of these what has stood still for longest.
    func expireBackgroundTasks(atMost: Int, reason: LevelReason) -> any LeavingVictims
    /// Takes the scene that ranks lowest, with its whole notice; nil where there is none, or it is called for no more.
    ///
    /// - Parameter isCalledFor: Asked directly before the scene is told: it may have waited for its turn.
    func takeScene(reason: LevelReason, isCalledFor: @Sendable () -> Bool) async -> String?
}

/// Victims that were told to go.
protocol LeavingVictims: Sendable {
    var count: Int { get }
    /// Names with age and origin, for the log; bounded.
    var descriptions: [String] { get }
    /// Indicates whether all of them have ended or are overdue.
    var areGone: Bool { get }
    /// They were let off, because it was called for no more.
    var areLetOff: Bool { get }
    /// They had their time: what has not begun to leave stays.
    func giveUp()
}

extension LeavingVictims {
    var areLetOff: Bool { false }
    func giveUp() {}
}

/// Nobody: the victims of the last resort, and of a dry run.
struct NoVictims: LadderStock, LadderVictims, LeavingVictims {
    var heldBackgroundTasks: Int { 0 }
    var scenes: Int { 0 }
    var timeToLeave: Duration? { nil }
    var count: Int { 0 }
    var descriptions: [String] { [] }
    var areGone: Bool { true }

    func expireBackgroundTasks(atMost: Int, reason: LevelReason) -> any LeavingVictims { self }
    func takeScene(reason: LevelReason, isCalledFor: @Sendable () -> Bool) async -> String? { nil }
}
