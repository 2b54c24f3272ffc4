internal import MemoryPressure

/// The services that a reclaimer needs of the side that decides.
protocol ReclaimHost: AnyObject, Sendable {
    /// A full reading now, without judging it.
    func measure() -> MemoryReading
    /// Sustained growth of unmanaged memory, in bytes a second.
    var growthRate: Int { get }
    /// The most that unmanaged memory grew by between two of the last three readings, in bytes.
    var jumpBytes: Int { get }
    /// Caches begin to be asked for bytes.
    func releaseBegan()
    /// They have been asked, and the step has ended: spacing counts from here.
    ///
    /// - Parameters:
    ///   - promisedBytes: The bytes that caches promised in it, but for those known never to come back; with those that were not missing
    ///     any more when it began.
    ///   - cameBackBytes: The bytes that came back.
    func releaseEnded(_ step: Int, promisedBytes: Int, cameBackBytes: Int)
    /// Nobody is being asked any more, and what came of it is not known.
    func releaseAbandoned()
    /// A step has ended in which no cache was asked: spacing counts from here.
    ///
    /// - Parameter promisedBytes: The bytes that were not missing any more when it began.
    func noteStepEnd(_ step: Int, promisedBytes: Int)
    /// A step of a dry run has ended: it asked nobody, and is credited with what it would have brought.
    func noteDryStep(_ step: Int, promisedBytes: Int)
    /// A cache has given so many bytes after the step that asked for them had ended.
    func noteLateAnswer(promisedBytes: Int)
    /// Takes the speed at which caches can give, by the steps so far.
    func noteLeadTime(_ leadTime: LeadTime)
    /// Judge the level again and post what is due next.
    func judgeAfterStep()
    /// Every limit was lifted.
    func noteLimitsLifted()
    /// A number for the next notification.
    func nextSequence() -> UInt64
    /// A full reading now, where it still shows an emergency; nil where it does not.
    ///
    /// - Parameter isEarly: Memory that will be missing before this process has left is enough.
    func confirmEmergency(orLeaving isEarly: Bool) -> MemoryReading?
    /// Takes the outcome of an action of the ladder.
    func ladderEnded(_ action: LadderMachine.Action, _ outcome: LadderMachine.Outcome)
    /// Takes a finished step to whoever listens. Called on a reclaim thread, under no lock.
    func publish(_ step: ReclaimStep, problems: [HandlerProblem])
    /// Tells of caches that have never reported any bytes, while these are asked for. Called on a reclaim thread, under no lock.
    func publish(silentCaches names: [String])
}
