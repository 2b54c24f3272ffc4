internal import MemoryPressure
internal import Synchronization

/// The facts that the sampler may know of reclaim without taking a lock that reclaim holds.
struct ReclaimGauges: ~Copyable, Sendable {
    private let inFlight = Atomic<Int>(0)
    private let left = Atomic<Int>(0)
    private let leftUntil = Atomic<Int64>(.min)
    private let missing = Atomic<Int>(0)
    /// `.max` where the reading did not tell.
    private let most = Atomic<Int>(.max)
    /// `.max` where the reading did not tell.
    private let wanted = Atomic<Int>(.max)
    private let openSince = Atomic<Int64>(.min)
    private let urgent = Atomic<Int>(0)
    private let deadline = Atomic<Int64>(.max)
    private let retained = Atomic<Int>(0)
    private let earliestTrim = Atomic<Int64>(.min)
    private let parked = Atomic<Int>(0)
    private let late = Atomic<Int64>(.max)
    private let segmentsThread = Atomic<Bool>(false)
    private let hidingGrowth = Atomic<Int>(.max)
    private let ladderBusy = Atomic<Bool>(false)

    var inFlightBytes: Int { inFlight.load(ordering: .relaxed) }
    /// The same with what calls that their step has left behind are expected to give, until they are late.
    func comingBytes(at now: MonotonicInstant) -> Int {
        let isExpected = leftUntil.load(ordering: .relaxed) > now.nanoseconds
        return inFlightBytes.addingSaturating(isExpected ? left.load(ordering: .relaxed) : 0)
    }
    /// Bytes that a critical step has yet to bring; 0 where none is under way.
    var urgentBytes: Int { urgent.load(ordering: .relaxed) }
    /// Bytes that were freed and that a trim can bring, as of the last step or the last look.
    var retainedBytes: Int { retained.load(ordering: .relaxed) }
    var trimsFrom: MonotonicInstant { MonotonicInstant(nanoseconds: earliestTrim.load(ordering: .relaxed)) }
    /// The time when the call that has been out longest misses its deadline, in nanoseconds; `.max` where none is out.
    var deadlineNanoseconds: Int64 { deadline.load(ordering: .acquiring) }
    /// The time from which the handler that was called last, at critical, has taken longer than was expected of it; `.max` where
    /// none is out.
    var lateNanoseconds: Int64 { late.load(ordering: .acquiring) }
    /// Indicates whether a thread waits to have caches give whose memory is the library's own.
    var hasSegmentsThread: Bool { segmentsThread.load(ordering: .acquiring) }

    func setSegmentsThread(_ isThere: Bool) { segmentsThread.store(isThere, ordering: .releasing) }

    var parkedThreads: Int { parked.load(ordering: .acquiring) }

    /// Indicates whether victims of the ladder are leaving.
    var isLadderBusy: Bool { ladderBusy.load(ordering: .acquiring) }

    func setLadderBusy(_ isBusy: Bool) { ladderBusy.store(isBusy, ordering: .releasing) }

    func publish(_ run: ReclaimRun?) {
        inFlight.store(run?.inFlightBytes ?? 0, ordering: .relaxed)
        urgent.store(run?.urgentBytes ?? 0, ordering: .relaxed)
        late.store(run?.lateAt?.nanoseconds ?? .max, ordering: .releasing)
        deadline.store(run?.nextDeadline?.nanoseconds ?? .max, ordering: .releasing)
    }

    func publishLeftBehind(bytes: Int, until instant: MonotonicInstant) {
        left.store(bytes, ordering: .relaxed)
        leftUntil.store(instant.nanoseconds, ordering: .relaxed)
    }

    /// Tells what the step under way needs, or the one that waits, by a reading of that instant.
    ///
    /// - Parameter presentBytes: The headroom of that reading, with the bytes that caches were asked for and had not answered.
    func publish(_ open: OpenBytes, presentBytes: Int = 0, at instant: MonotonicInstant) {
        missing.store(open.missing, ordering: .relaxed)
        most.store(open.most ?? .max, ordering: .relaxed)
        wanted.store(open.most?.addingSaturating(presentBytes) ?? .max, ordering: .relaxed)
        openSince.store(instant.nanoseconds, ordering: .releasing)
    }

    /// Returns what was told, without what is too old for the run.
    func openBytes(for run: borrowing ReclaimRun) -> OpenBytes {
        let since = openSince.load(ordering: .acquiring)
        let most = since > run.lowersCountFrom.nanoseconds ? most.load(ordering: .relaxed) : .max
        return OpenBytes(
            missing: since > run.raisesCountFrom.nanoseconds ? missing.load(ordering: .relaxed) : 0,
            most: most < .max ? most : nil)
    }

    /// Returns the most headroom that is needed, in bytes, by a reading after an instant; nil where none tells.
    func wantedHeadroom(since instant: MonotonicInstant) -> Int? {
        guard openSince.load(ordering: .acquiring) > instant.nanoseconds else { return nil }
        let wanted = wanted.load(ordering: .relaxed)
        return wanted < .max ? wanted : nil
    }

    /// Tells from what growth, in bytes a second, a cache was judged wrongly by the newest step; `.max` where none was.
    func publish(hidingGrowth growthRate: Int) {
        hidingGrowth.store(growthRate, ordering: .relaxed)
    }

    /// Returns whether growth is what hid the bytes that a step seemed not to bring. It says so once.
    func exposesJudgement(growthRate: Int) -> Bool {
        guard growthRate >= hidingGrowth.load(ordering: .relaxed) else { return false }
        return hidingGrowth.exchange(.max, ordering: .relaxed) <= growthRate
    }

    func publish(_ trim: TrimSchedule) {
        retained.store(trim.retainedBytes, ordering: .relaxed)
        earliestTrim.store(trim.earliest.nanoseconds, ordering: .relaxed)
    }

    func willPark() { parked.add(1, ordering: .acquiringAndReleasing) }
    func didUnpark() { parked.subtract(1, ordering: .acquiringAndReleasing) }
}
