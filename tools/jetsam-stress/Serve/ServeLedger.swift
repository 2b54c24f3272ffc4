internal import Jetsam
internal import MemoryPressure
internal import _StressPatterns

/// What releases of the cache brought, needed and wasted, from what a run is told as it goes.
final class ServeLedger: Sendable {
    private struct Miss {
        var instant: MonotonicInstant
        var storedAt: Int64
    }

    private struct State {
        var account = ReleaseAccount()
        /// Looks that may have come while a release was under way, which is known only at its end; oldest first.
        var recent: [ReleaseAccount.Sample] = []
        /// The latest look that counts.
        var counted: ReleaseAccount.Sample?
        /// When each key was last stored, in nanoseconds; 0 for never.
        var storedAt: [Int64]
        /// Values that were there once and were missing when no release was known that took them: one may be told of a moment later.
        var misses: [Miss] = []
        var lastRelease: MonotonicInstant?
        var refetchedBytes = 0
        var headroomBytes: Int?
        var firstHeadroomBytes: Int?
        var leastHeadroomBytes: Int?

        mutating func count(until instant: MonotonicInstant) {
            while let first = recent.first, first.instant <= instant {
                account.look(at: first)
                counted = first
                recent.removeFirst()
            }
        }
    }

    /// A release is told of at its end, at most so long after its start.
    private static let reach = Duration.seconds(2)
    private static let missCount = 4096

    /// How often the memory is looked at.
    static let interval = Duration.milliseconds(20)

    private let valueBytes: Int
    private let clock: any MonotonicClock
    private let reader: Lock<KernelReader>
    private let state: Lock<State>

    /// With `root` as where the kernel's files are.
    init(
        keys: Int, valueBytes: Int, clock: any MonotonicClock = SystemMonotonicClock(), root: KernelRoot = KernelRoot()
    ) throws {
        do { reader = try Lock(KernelReader(root: root)) } catch {
            throw StressError("the memory cannot be watched: \(error)")
        }
        self.clock = clock
        self.valueBytes = valueBytes
        state = Lock(State(storedAt: Array(repeating: 0, count: keys)))
    }

    /// Notes that a value was not there and was made.
    func store(_ key: Int, at now: MonotonicInstant) {
        state.withLock { state in
            let storedAt = state.storedAt[key]
            state.storedAt[key] = now.nanoseconds
            guard storedAt > 0 else { return }
            if let release = state.lastRelease, storedAt <= release.nanoseconds,
                release.duration(to: now) <= ReleaseAccount.window
            {
                state.refetchedBytes += valueBytes
                return
            }
            if state.misses.count == Self.missCount { state.misses.removeFirst(Self.missCount / 2) }
            state.misses.append(Miss(instant: now, storedAt: storedAt))
        }
    }

    func look(cacheBytes: Int) {
        let reading = reader.withLock { $0.read(.full, at: clock.now, includingStall: false) }
        state.withLock { state in
            let sample = ReleaseAccount.Sample(
                reading, at: reading.instant, budget: nil, cacheBytes: cacheBytes,
                refetchedBytes: state.refetchedBytes)
            state.recent.append(sample)
            state.count(until: sample.instant.advanced(by: .zero - Self.reach))
            state.headroomBytes = reading.headroomBytes
            state.firstHeadroomBytes = state.firstHeadroomBytes ?? reading.headroomBytes
            state.leastHeadroomBytes = min(state.leastHeadroomBytes ?? .max, reading.headroomBytes)
        }
    }

    /// Counts a release that began so long ago and has just ended. The last look that was told is of its end.
    func release(bytes: Int, took duration: Duration) {
        state.withLock { state in
            guard let after = state.recent.last else { return }
            let begin = after.instant.advanced(by: .zero - duration)
            state.count(until: begin)
            state.misses.removeAll { miss in
                let isRefetch = miss.instant >= begin && miss.storedAt <= begin.nanoseconds
                if isRefetch { state.refetchedBytes += valueBytes }
                return isRefetch
            }
            state.lastRelease = after.instant
            // In between the cache has given what is not free yet.
            state.recent = []
            state.account.add(releasedBytes: bytes, before: state.counted ?? after, after: after)
            state.counted = after
        }
    }

    /// What is known by now.
    struct Summary: Equatable, Sendable {
        var figures = ReleaseAccount.Figures()
        /// Nil, as the others, before the first look.
        var headroomBytes: Int?
        var firstHeadroomBytes: Int?
        var leastHeadroomBytes: Int?
    }

    var summary: Summary {
        state.withLock { state in
            // A copy: a release that is under way is not known yet.
            var account = state.account
            for sample in state.recent { account.look(at: sample) }
            return Summary(
                figures: account.total, headroomBytes: state.headroomBytes,
                firstHeadroomBytes: state.firstHeadroomBytes, leastHeadroomBytes: state.leastHeadroomBytes)
        }
    }
}
