internal import MemoryPressure

extension Governor {
    /// How long systemd's word counts; it sends it again while it holds.
    private static let watchHold = Duration.seconds(2)

    /// Takes a kernel event. Runs on the event queue, and only hands over: what follows happens on other threads.
    func receive(_ event: KernelEvent) {
        if event.source == .systemdWatch {
            let until = clock.now.advanced(by: Self.watchHold)
            state.withLock { $0.judgement.supervisorWarns(until: until) }
        }
        judge(.event(event.source), triggerGrade: event.source == .pressureTrigger ? event.grade : .normal)
    }

    /// The sampler as watchdog: a handler past its deadline, or mail that nobody takes, is handed to another thread.
    /// Gives how long the sampler may sleep.
    func watch(_ channel: ReclaimChannel, _ interval: Duration) -> Duration {
        if channel.gauges.isLadderBusy { channel.nudge() }
        let deadline = channel.gauges.deadlineNanoseconds
        if deadline == .max, channel.isEmpty {
            return channel.gauges.isLadderBusy ? min(interval, SamplingPace.pressedInterval) : interval
        }
        let now = clock.now.nanoseconds
        if deadline > now, channel.isEmpty {
            return min(interval, max(configuration.sampling.minimumInterval, .nanoseconds(deadline - now)))
        }
        channel.nudge()
        return min(interval, SamplingPace.pressedInterval)
    }
}
