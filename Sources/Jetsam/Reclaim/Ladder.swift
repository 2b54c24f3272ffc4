internal import MemoryPressure

/// The stages beyond the caches: ends background tasks early, gives up scenes, and calls the last resort.
///
/// The threads of the reclaimer carry it out, between its runs. One action is under way at a time; the sampler has it looked at while
/// it lasts.
final class Ladder: Sendable {
    private struct State {
        /// The action whose victims are leaving.
        var run: LadderRun?
        /// The time that a victim may take.
        var victimTimeout: Duration
    }

    private let reclaimer: Reclaimer
    private let victims: any LadderVictims
    private let lastResort: (@Sendable (LevelReason) -> Void)?
    private let state: Lock<State>
    private var host: any ReclaimHost { reclaimer.host }
    private var channel: ReclaimChannel { reclaimer.channel }
    private var clock: any MonotonicClock { reclaimer.clock }
    private var recorder: RecordSink { reclaimer.recorder }

    /// - Parameters:
    ///   - reclaimer: The reclaimer between whose runs it acts, and that trims for it.
    ///   - victims: Those that it can take.
    ///   - configuration: The time that victims have.
    ///   - lastResort: The application's function; nil where it has none.
    init(
        _ reclaimer: Reclaimer, victims: any LadderVictims, configuration: ManagerConfiguration.Ladder = .init(),
        lastResort: (@Sendable (LevelReason) -> Void)?
    ) {
        self.reclaimer = reclaimer
        self.victims = victims
        self.lastResort = lastResort
        state = Lock(State(victimTimeout: configuration.victimTimeout))
    }

    /// The time that a victim may take, from the next action on.
    var victimTimeout: Duration { state.withLock { $0.victimTimeout } }

    /// Goes by another configuration from the next action on.
    func reconfigure(_ configuration: ManagerConfiguration.Ladder) {
        state.withLock { $0.victimTimeout = configuration.victimTimeout }
    }

    /// Nobody looks at it any more; who is leaving goes on.
    func stop() {
        let run = state.withLock { $0.run.take() }
        withExtendedLifetime(run) {}
    }

    /// Carries out what was decided, unless a fresh reading says that it is no longer called for.
    func begin(_ order: LadderOrder, callsHandlers: Bool) {
        if reclaimer.isDryRun { return carryOutDry(order) }
        guard let before = host.confirmEmergency(orLeaving: order.isEarly) else {
            host.ladderEnded(order.action, .abandoned)
            return
        }
        let leaving: any LeavingVictims
        switch order.action {
        case .expireBackgroundTasks(let most):
            leaving = victims.expireBackgroundTasks(atMost: most, reason: order.reason)
        case .loseScene:
            leaving = loseScene(order)
        case .lastResort:
            leaving = NoVictims()
            callLastResort(order.reason, onThisThread: callsHandlers)
        }
        let run = LadderRun(
            order: order, before: before,
            deadline: clock.now.advanced(by: victimTimeout), leaving: leaving)
        if order.action == .lastResort {
            publish(run, .gone)
        } else {
            state.withLock { $0.run = run }
            channel.gauges.setLadderBusy(true)
            look()
        }
    }

    private func loseScene(_ order: LadderOrder) -> LeavingScene {
        let scene = LeavingScene()
        scene.leaves(
            by: Task(priority: .high) { [victims, channel, host] in
                @Sendable func isCalledFor() -> Bool { host.confirmEmergency(orLeaving: false) != nil }
                let name = await victims.takeScene(reason: order.reason, isCalledFor: isCalledFor)
                if name == nil, !isCalledFor() { scene.wasLetOff() } else { scene.ended(name) }
                channel.wake()
            })
        return scene
    }

    private func callLastResort(_ reason: LevelReason, onThisThread: Bool) {
        guard let lastResort else { return }
        recorder.noteLastResort(at: clock.now)
        if !onThisThread {
            do { return try channel.threads.start("jetsam.resort") { lastResort(reason) } } catch {}
        }
        // Without another thread this one: nothing comes after the last resort.
        channel.handlers.willCall()
        lastResort(reason)
        channel.handlers.didCall()
    }

    /// A later stage of a dry run: it is told, and over.
    private func carryOutDry(_ order: LadderOrder) {
        let reading = host.measure()
        let run = LadderRun(order: order, before: reading, deadline: clock.now, leaving: NoVictims())
        var step = run.step(
            sequence: host.nextSequence(), after: reading, didTrim: false, timedOut: false, end: clock.now)
        step.isDryRun = true
        recorder.record(StepRecord(step, run: nil), at: clock.now)
        host.ladderEnded(order.action, .gone)
        host.publish(step, problems: [])
    }

    /// Ends the action that is under way if its victims are gone or have had their time.
    func look() {
        guard channel.gauges.isLadderBusy else { return }
        let now = clock.now
        guard let run = state.withLock({ $0.run }), let outcome = run.outcome(at: now) else { return }
        // Two threads may have come this far; one of them ends it, and a later one is not taken for it.
        let isMine = state.withLock { state in
            guard state.run === run else { return false }
            state.run = nil
            return true
        }
        guard isMine else { return }
        channel.gauges.setLadderBusy(false)
        if outcome == .timedOut { run.leaving.giveUp() }
        if outcome == .gone || outcome == .timedOut { publish(run, outcome) }
        host.ladderEnded(run.order.action, outcome)
        host.judgeAfterStep()
    }

    private func publish(_ run: LadderRun, _ outcome: LadderMachine.Outcome) {
        let trims = run.order.action != .lastResort && reclaimer.trims.isDue
        if trims { reclaimer.trims.trim() }
        let step = run.step(
            sequence: host.nextSequence(), after: host.measure(), didTrim: trims, timedOut: outcome == .timedOut,
            end: clock.now)
        recorder.record(StepRecord(step, run: nil), at: clock.now)
        host.publish(step, problems: [])
    }
}
