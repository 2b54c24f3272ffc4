internal import MemoryPressure
internal import Synchronization

/// The tasks that the sampler does for the life cycle: it looks after idling, the time in the background, work that comes back,
/// the local time, and the supervisor's watchdog.
///
/// A turn of the sampler costs one load where there is nothing to look after. Nothing in it allocates or waits.
final class LifecycleWatch: Sendable {
    /// The work that the queue has to do.
    struct Work: OptionSet, Sendable {
        let rawValue: UInt8
        static let suspend = Work(rawValue: 1)
        static let resume = Work(rawValue: 2)
        static let pulse = Work(rawValue: 4)
        static let timeIsOver = Work(rawValue: 8)
        static let lookAtTime = Work(rawValue: 16)
    }

    private static let none = Int64.max

    private let state = Atomic<UInt8>(ProcessState.notRunning.rawValue)
    private let modes = Atomic<Int>(0)
    private let idleSince = Atomic<Int64>(none)
    private let begunAtIdle = Atomic<UInt64>(0)
    private let nextPulse = Atomic<Int64>(none)
    private let pulseInterval = Atomic<Int64>(none)
    private let nextLookAtTime = Atomic<Int64>(none)
    private let due = Atomic<UInt8>(0)

    func entered(_ processState: ProcessState) {
        idleSince.store(Self.none, ordering: .relaxed)
        state.store(processState.rawValue, ordering: .releasing)
    }

    /// Counts modes in, or out: in whatever order calls come, all of them count.
    func modesChanged(by count: Int) {
        modes.add(count, ordering: .relaxed)
    }

    func beginPulses(at instant: MonotonicInstant, every interval: Duration) {
        pulseInterval.store(interval.nanoseconds, ordering: .relaxed)
        nextPulse.store(instant.nanoseconds, ordering: .relaxed)
    }

    /// The local time is to be looked at then, at the sampler's next turn after it.
    func lookAtTime(after instant: MonotonicInstant) {
        nextLookAtTime.store(instant.nanoseconds, ordering: .relaxed)
    }

    /// The work that has become due since the last call.
    func collectDueWork() -> Work {
        Work(rawValue: due.exchange(0, ordering: .acquiringAndReleasing))
    }

    /// One turn of the sampler.
    ///
    /// - Returns: The work that has become due, and the nanoseconds that the sampler may sleep; `Int64.max` for as long as it
    ///   likes.
    func look(
        at now: MonotonicInstant, idleDelay: Int64?, tasks: any TaskHolder,
        backgroundTime: BackgroundTimeLimit
    ) -> (isDue: Bool, sleep: Int64) {
        var work = Work()
        var sleep = Int64.max
        let next = nextPulse.load(ordering: .relaxed)
        if next <= now.nanoseconds {
            sleep = pulseInterval.load(ordering: .relaxed)
            nextPulse.store(now.nanoseconds + sleep, ordering: .relaxed)
            work.insert(.pulse)
        } else if next != Self.none {
            sleep = next - now.nanoseconds
        }
        if nextLookAtTime.load(ordering: .relaxed) <= now.nanoseconds {
            // Whoever looks says when the next look is due.
            nextLookAtTime.store(Self.none, ordering: .relaxed)
            work.insert(.lookAtTime)
        }
        switch state.load(ordering: .acquiring) {
        case ProcessState.background.rawValue:
            if let idleDelay { lookForIdling(at: now, idleDelay, tasks, &work, &sleep) }
            let (isOver, left) = backgroundTime.look(at: now)
            if isOver { work.insert(.timeIsOver) }
            sleep = min(sleep, left)
        case ProcessState.suspended.rawValue:
            if tasks.heldCount > 0 || tasks.begunCount != begunAtIdle.load(ordering: .relaxed) {
                work.insert(.resume)
                begunAtIdle.store(tasks.begunCount, ordering: .relaxed)
            }
        default: break
        }
        if !work.isEmpty { due.bitwiseOr(work.rawValue, ordering: .acquiringAndReleasing) }
        return (!work.isEmpty, sleep)
    }

    private func lookForIdling(
        at now: MonotonicInstant, _ delay: Int64, _ tasks: any TaskHolder, _ work: inout Work,
        _ sleep: inout Int64
    ) {
        let begun = tasks.begunCount
        guard tasks.heldCount == 0, modes.load(ordering: .relaxed) == 0 else {
            idleSince.store(Self.none, ordering: .relaxed)
            return
        }
        let since = idleSince.load(ordering: .relaxed)
        if since == Self.none || begunAtIdle.load(ordering: .relaxed) != begun {
            begunAtIdle.store(begun, ordering: .relaxed)
            idleSince.store(now.nanoseconds, ordering: .relaxed)
            sleep = min(sleep, delay)
        } else if now.nanoseconds - since >= delay {
            // Once more after another delay, should suspension be refused.
            idleSince.store(now.nanoseconds, ordering: .relaxed)
            work.insert(.suspend)
        } else {
            sleep = min(sleep, since + delay - now.nanoseconds)
        }
    }

    /// A suspension that was asked for counts what was begun until now as known.
    func noteBegun(_ count: UInt64) {
        begunAtIdle.store(count, ordering: .relaxed)
    }
}
