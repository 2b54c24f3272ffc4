internal import MemoryPressure

/// The stages beyond the caches. One action is under way at a time; the sampler has it looked at while it lasts.
extension Reclaimer {
    /// Carries out what the ladder decided, unless a fresh reading says that it is no longer called for.
    func begin(_ order: LadderOrder, callsHandlers: Bool) {
        if isDryRun { return carryOutDry(order) }
        guard let before = host.confirmEmergency(orLeaving: order.isEarly) else {
            host.ladderEnded(order.action, .abandoned)
            return
        }
        let leaving: any LeavingVictims
        switch order.action {
        case .expireBackgroundTasks(let most):
            leaving = victims.expireBackgroundTasks(atMost: most, reason: order.reason)
        case .loseScene:
            let scene = LeavingScene()
            leaving = scene
            scene.leaves(
                by: Task(priority: .high) { [victims, channel, host] in
                    @Sendable func isCalledFor() -> Bool { host.confirmEmergency(orLeaving: false) != nil }
                    let name = await victims.takeScene(reason: order.reason, isCalledFor: isCalledFor)
                    if name == nil, !isCalledFor() { scene.wasLetOff() } else { scene.ended(name) }
                    channel.wake()
                })
        case .lastResort:
            leaving = NoVictims()
            callLastResort(order.reason, onThisThread: callsHandlers)
        }
        let run = LadderRun(
            order: order, before: before,
            deadline: clock.now.advanced(by: state.withLock { $0.victimTimeout }), leaving: leaving)
        if order.action == .lastResort {
            publish(run, .gone)
        } else {
            state.withLock { $0.ladder = run }
            channel.gauges.setLadderBusy(true)
            lookAtLadder()
        }
    }

    private func callLastResort(_ reason: LevelReason, onThisThread: Bool) {
        guard let lastResort else { return }
        recorder.noteLastResort(at: clock.now)
        if !onThisThread {
            do { return try channel.threads.start("jetsam.resort") { lastResort(reason) } } catch {}
        }
        // Without another thread this one: nothing comes after the last resort.
        channel.gauges.willCall()
        lastResort(reason)
        channel.gauges.didCall()
    }

    /// Ends the action that is under way if its victims are gone or have had their time.
    func lookAtLadder() {
        guard channel.gauges.isLadderBusy else { return }
        let now = clock.now
        guard let run = state.withLock({ $0.ladder }), let outcome = run.outcome(at: now) else { return }
        // Two threads may have come this far; one of them ends it, and a later one is not taken for it.
        let isMine = state.withLock { state in
            guard state.ladder === run else { return false }
            state.ladder = nil
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
        let now = clock.now
        let isTrimDue = allocator.trimsAfterEveryStep || state.withLock { now >= $0.trim.earliest }
        let didTrim = allocator.canTrim && isTrimDue && run.order.action != .lastResort
        if didTrim { _ = trimAllocator() }
        let step = run.step(
            sequence: host.nextSequence(), after: host.measure(), didTrim: didTrim, timedOut: outcome == .timedOut,
            end: clock.now)
        recorder.record(StepRecord(step, run: nil), at: clock.now)
        host.publish(step, problems: [])
    }
}
