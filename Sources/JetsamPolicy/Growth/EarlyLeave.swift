internal import BackgroundTasks
internal import MemoryPressure

/// The decision whether leaving has to begin now, because it takes longer than headroom, and what caches can still give, will
/// last.
///
/// Leaving cannot be taken back. So the least growth that was seen counts, and all of this has to hold for a while: more
/// unmanaged memory than at any time in ten minutes (memory that comes and goes was that high before), a cgroup's hard limit,
/// and a process that is not smaller than the others there and does not grow more slowly. Then caches that were counted on for
/// nothing are asked once more. If they do not bring what is missing, leaving begins. The bytes that the others can give are
/// counted, and they keep them until they are needed.
struct EarlyLeave {
    /// The facts that it looks at beside the growth.
    struct Context {
        var now: MonotonicInstant
        /// Nanoseconds that leaving takes; 0 where that is not known, as during the launch.
        var leavingNanoseconds: Int64
        /// Headroom and usable swap.
        var roomBytes: Int
        /// The bytes that caches report, without those that are not expected to come back.
        var expectedBytes: Int
        var retainedBytes: Int
        var criticalEntry: Int
        var limitBytes: Int
        var unreclaimableBytes: Int
        var footprintBytes: Int
        var managedBytes: Int
        var leadTime: LeadTime
        var shortage: Shortage
        /// Caches give, or gave a moment ago: growth may seem to have stopped.
        var isDisturbed = false

        var unmanagedBytes: Int { unreclaimableBytes.subtractingSaturating(managedBytes) }
    }

    private enum Phase: Equatable {
        case none
        /// All of it holds since then.
        case due(since: MonotonicInstant)
        /// The caches are being asked.
        case asking(since: MonotonicInstant, step: Int?)
        /// They have given.
        case asked
    }

    /// Growth is not drawn out beyond so many times the time that it was seen for.
    private static let reach: Int64 = 5
    private static let second: Int64 = 1_000_000_000
    /// The longest wait for the caches where no step is made to ask them.
    private static let patience = Duration.seconds(2)
    /// The least that this process has and grows by, in quarters of the others' average: kernel memory and shared pages are in
    /// nobody's footprint.
    private static let ownQuarters = 3
    /// The longest pause across which growth is measured: as long as the longest window.
    private static let longestPause = Duration.seconds(10)

    private var phase = Phase.none
    private var hasPaused = false
    private var lastLook: MonotonicInstant?
    /// Memory beside the caches, of the tightest level and of this process.
    private var settled = SettledGrowth()
    private var own = SettledGrowth()
    private var highest = HighestBytes()
    /// Bytes that will be needed until this process has left, critical's entry included.
    package private(set) var neededBytes = 0
    /// The bytes of these that are missing; not positive where none are.
    private(set) var deficit = 0
    /// The growth that it was reckoned with, in bytes a second.
    package private(set) var growthRate = 0

    /// Indicates whether the caches are to be asked for ``deficit``, at `critical`.
    var isAsking: Bool {
        switch phase {
        case .none, .due: false
        case .asking, .asked: deficit > 0
        }
    }

    /// Indicates whether memory beside the caches grows at all. The time that leaving takes matters only then.
    var isGrowing: Bool { settled.isRising }

    /// Notes that the process did not run for a while. The next full reading tells how long.
    ///
    /// A busy machine can stop a process every few seconds, while memory goes on growing. So growth is measured across a short pause,
    /// and anew after a long one.
    mutating func pause() { hasPaused = true }

    /// Goes on after a pause. What has to hold for a while has to hold for as long as if there had been none.
    private mutating func bridge(to now: MonotonicInstant) {
        defer {
            hasPaused = false
            lastLook = now
        }
        guard hasPaused, let lastLook else { return }
        let pause = lastLook.duration(to: now)
        guard pause <= Self.longestPause else {
            // How much there was is not forgotten.
            phase = .none
            settled.reset()
            own.reset()
            deficit = 0
            return
        }
        switch phase {
        case .due(let since): phase = .due(since: since.advanced(by: pause))
        case .asking(let since, let step): phase = .asking(since: since.advanced(by: pause), step: step)
        case .none, .asked: break
        }
    }

    /// Leaving was called off, or did not end the process.
    mutating func wasAbandoned() { phase = .none }

    /// Takes a full reading. Gives true where the caches are to be asked from now on.
    mutating func look(_ context: Context) -> Bool {
        bridge(to: context.now)
        own.append(context.footprintBytes.subtractingSaturating(context.managedBytes), at: context.now)
        settled.append(context.unmanagedBytes, at: context.now)
        if let bytes = settled.latest { highest.append(bytes, at: context.now) }
        let time = context.leavingNanoseconds
        let lead = Self.lead(time)
        let window = min(max(lead / 3, 2 * Self.second), 10 * Self.second)
        growthRate = settled.bytesPerSecond(over: window, lately: Self.holdingTime(time))
        let horizon = Double(min(lead, window * Self.reach)) / Double(Self.second)
        neededBytes = Int(saturating: Double(growthRate) * horizon).addingSaturating(context.criticalEntry)
        deficit = time > 0 && growthRate > 0 ? missing(context.roomBytes, givable(context, within: lead)) : 0
        let isHighest = highest.isReached(by: settled.latest, tolerance: context.limitBytes / 256)
        guard deficit > 0, isHighest, context.shortage.isOfLimit, context.shortage.isOurs, growsLikeOthers(context)
        else {
            if !context.isDisturbed { phase = .none }
            return false
        }
        switch phase {
        case .none:
            phase = .due(since: context.now)
            return false
        case .due(let since):
            guard since.duration(to: context.now).nanoseconds >= patience(time, lead, context, since) else {
                return false
            }
            phase = .asking(since: context.now, step: nil)
            return true
        case .asking, .asked: return false
        }
    }

    /// Returns the bytes that would be missing with so much room and so much that caches can give.
    func missing(_ roomBytes: Int, _ givableBytes: Int) -> Int {
        neededBytes.subtractingSaturating(roomBytes).subtractingSaturating(givableBytes)
    }

    /// The first step that asks for it.
    mutating func demanded(step: Int) {
        if case .asking(let since, step: nil) = phase { phase = .asking(since: since, step: step) }
    }

    mutating func stepEnded(_ step: Int) {
        if case .asking(_, step: let asked?) = phase, step >= asked { phase = .asked }
    }

    /// Returns whether leaving begins with this reading.
    ///
    /// - Parameter nothingToAsk: There is no cache that could give more than is reckoned with.
    func isDue(nothingToAsk: Bool, at now: MonotonicInstant) -> Bool {
        guard isAsking else { return false }
        switch phase {
        case .asked: return true
        case .asking(let since, _):
            // Not with the reading that began it: it is told first.
            return (nothingToAsk && now > since) || since.duration(to: now) >= Self.patience
        case .none, .due: return false
        }
    }

    /// From the decision to memory, with room for what cannot be foreseen.
    private static func lead(_ time: Int64) -> Int64 { time + time / 4 + holdingTime(time) }

    /// Returns the nanoseconds for which it has to hold, and within which memory must have grown.
    private static func holdingTime(_ time: Int64) -> Int64 { max(second, time / 10) }

    /// Returns the time for which it has to hold here. So not all of several processes that are alike leave at once.
    private func patience(_ time: Int64, _ lead: Int64, _ context: Context, _ since: MonotonicInstant) -> Int64 {
        var patience = Self.holdingTime(time)
        if context.shortage.sharers > 1 {
            // By the instant: a replay waits as long.
            let scattered = UInt64(bitPattern: since.nanoseconds) &* 0x9E37_79B9_7F4A_7C15
            patience += lead / 5 / 1024 * Int64(scattered >> 54)
        }
        return patience
    }

    private func givable(_ context: Context, within lead: Int64) -> Int {
        let rate =
            context.leadTime.bytesPerSecond > 0 ? context.leadTime.bytesPerSecond : LeadTime.assumedBytesPerSecond
        let seconds = Double(max(0, lead - Int64(context.leadTime.responseNanoseconds))) / Double(Self.second)
        return min(context.expectedBytes, Int(saturating: Double(rate) * seconds))
            .addingSaturating(context.retainedBytes)
    }

    private func growsLikeOthers(_ context: Context) -> Bool {
        guard context.shortage.sharers > 1 else { return true }
        let share = growthRate / context.shortage.sharers / 4 * Self.ownQuarters
        let lately = Self.holdingTime(context.leavingNanoseconds)
        return own.bytesPerSecond(over: 5 * Self.second, lately: lately) >= share
    }
}
