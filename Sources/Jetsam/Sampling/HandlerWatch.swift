internal import MemoryPressure
internal import Synchronization

/// The sampler as watchdog: a handler past its deadline, or mail that nobody takes, is handed to another thread.
struct HandlerWatch: ~Copyable, Sendable {
    /// The time after which the sampler looks again when it has handed on what hangs, while the level is critical.
    private static let heldUpInterval = Duration.milliseconds(5)

    private let clock: any MonotonicClock
    private let registry: CacheRegistry
    /// The missed deadline, in nanoseconds, that was handed on last.
    private let nudgedFor = Atomic<Int64>(.max)

    init(clock: any MonotonicClock, registry: CacheRegistry) {
        self.clock = clock
        self.registry = registry
    }

    /// Looks after the reclaim threads.
    ///
    /// - Parameters:
    ///   - interval: The time to sleep that was decided.
    ///   - minimumInterval: The least time that is slept for a deadline.
    /// - Returns: The time that the sampler may sleep.
    func watch(
        _ channel: ReclaimChannel, _ interval: Duration, level: PressureLevel,
        minimumInterval: @autoclosure () -> Duration
    ) -> Duration {
        if channel.gauges.isLadderBusy { channel.nudge() }
        let interval = watchLateHandler(channel, interval, minimumInterval())
        let deadline = channel.gauges.deadlineNanoseconds
        if deadline == .max, channel.isEmpty {
            return channel.gauges.isLadderBusy ? min(interval, SamplingPace.pressedInterval) : interval
        }
        let now = clock.now.nanoseconds
        if deadline > now, channel.isEmpty {
            return min(interval, max(minimumInterval(), .nanoseconds(deadline - now)))
        }
        channel.nudge()
        guard level == .critical else { return min(interval, SamplingPace.pressedInterval) }
        if deadline <= now { releaseWhereAllHang(channel, missedAt: deadline) }
        return min(interval, Self.heldUpInterval)
    }

    /// At critical a handler that takes longer than was expected of it holds up neither the other caches nor those that own their
    /// memory: whoever asks these is woken.
    private func watchLateHandler(
        _ channel: ReclaimChannel, _ interval: Duration, _ minimumInterval: @autoclosure () -> Duration
    ) -> Duration {
        let late = channel.gauges.lateNanoseconds
        guard late != .max else { return interval }
        let now = clock.now.nanoseconds
        guard late <= now else { return min(interval, max(minimumInterval(), .nanoseconds(late - now))) }
        channel.segments.signal()
        if channel.gauges.parkedThreads > 0 { channel.spot.signal() }
        return min(interval, Self.heldUpInterval)
    }

    /// At critical, where every reclaim thread hangs in a handler and whoever was told of it at the last look has not got the
    /// step on: what caches hold in memory of their own is given back from this thread, without their handlers.
    private func releaseWhereAllHang(_ channel: ReclaimChannel, missedAt deadline: Int64) {
        guard channel.handlers.areAllCalling else { return }
        let wasTold = nudgedFor.exchange(deadline, ordering: .relaxed) == deadline
        guard wasTold else { return }
        _ = registry.releaseSegmentsWithoutHandlers(bytes: missingBytes(channel))
    }

    private func missingBytes(_ channel: ReclaimChannel) -> Int {
        // In this order: what was written in the ledger meanwhile is no longer urgent.
        let unbooked = registry.unbookedBytes
        return channel.gauges.urgentBytes - unbooked
    }
}
