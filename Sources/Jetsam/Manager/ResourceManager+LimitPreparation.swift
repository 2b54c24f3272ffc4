internal import Logging
internal import MemoryPressure

extension ResourceManager {
    /// The time in which caches are asked for the room of a limit.
    static let preparationTime = Duration.seconds(20)

    /// Makes room for a hard limit that is about to be set, and keeps it: for an operator, or a controller, that cuts
    /// `memory.max` in place.
    ///
    /// At any level, caches are asked for bytes until headroom under the new limit would be above warning's entry
    /// (``ManagerConfiguration/headroom``). Their limits do not rise until the new limit is set. Where there is no chance,
    /// because memory beside the caches takes too much, no cache is asked for anything. It takes 20 s at most; where the
    /// calling task is cancelled no further cache is asked. Where two ask, the lower number holds, until the later end.
    ///
    /// ```swift
    /// if let preparation = await manager.prepareForLimit(300 << 20), preparation.obstacle == nil {
    ///     // Cut the limit now.
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - bytes: The new limit. Nil lets caches grow again, whoever had them held.
    ///   - duration: The time for which caches are held where the limit is not set: 0 s to a day, and held to that.
    /// - Returns: The result; nil where `bytes` is nil or the manager is not running.
    @discardableResult
    public func prepareForLimit(_ bytes: Int?, holding duration: Duration = .seconds(60)) async -> LimitPreparation? {
        guard let bytes else {
            governor.withdrawLimit()
            return nil
        }
        let task = Task { await prepare(for: bytes, holding: max(.zero, min(duration, ControlRequest.longestHold))) }
        environment.later(Self.preparationTime) { task.cancel() }
        let preparation = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        if let preparation { tell(preparation) }
        return preparation
    }

    private func prepare(for bytes: Int, holding duration: Duration) async -> LimitPreparation? {
        guard reclaimer.isWorking else { return nil }
        var approach = LimitApproach(limitBytes: bytes, rule: governor.configuration.headroom)
        let before = governor.measure()
        var preparation = LimitPreparation(
            limitBytes: bytes, marginBytes: approach.marginBytes, readings: (before, before),
            missingBytes: approach.missingBytes(before), cacheBytes: registry.reportedBytes)
        guard approach.isInRange(before) else {
            preparation.obstacle = .outOfRange
            return preparation
        }
        guard !reclaimer.isDryRun else {
            preparation.obstacle = .dryRun
            return preparation
        }
        // Before anybody is asked: what is given must not be taken again meanwhile.
        let held = governor.announce(AnnouncedLimit(bytes: bytes, until: environment.clock.now.advanced(by: duration)))
        var promised = 0
        var isTimeOver = false
        while true {
            let reading = governor.measure()
            preparation.readings.after = reading
            preparation.missingBytes = approach.missingBytes(reading)
            preparation.cacheBytes = registry.reportedBytes
            let next = approach.next(
                reading, reportedBytes: registry.reportedBytes, hollowBytes: registry.hollowBytes,
                retainedBytes: channel.gauges.retainedBytes, promisedBytes: promised,
                isAnyBusy: registry.clients.contains(where: \.isBusy), isTimeOver: isTimeOver || Task.isCancelled)
            switch next {
            case .done(let obstacle):
                preparation.obstacle = obstacle
                preparation.hold = environment.clock.now.duration(to: held.until)
                return preparation
            case .wait: await waitForAnyBusy()
            case .ask(let bytes, let missing):
                if let step = await reclaimer.release(bytes: bytes, missingBytes: missing) {
                    preparation.steps.append(step)
                    promised = promised.addingSaturating(step.promisedBytes)
                } else {
                    // It was cancelled before any was asked, or the manager has ended.
                    guard reclaimer.isWorking else { return nil }
                    isTimeOver = true
                }
            }
        }
    }

    /// Returns when a call of a cache that is under way has come back, or the task is cancelled.
    private func waitForAnyBusy() async {
        await withTaskGroup { group in
            for client in registry.clients where client.isBusy { group.addTask { await client.waitUntilFree() } }
            await group.next()
            group.cancelAll()
        }
    }

    private func tell(_ preparation: LimitPreparation) {
        var metadata: Logger.Metadata = [
            "limitBytes": "\(preparation.limitBytes)", "missingBytes": "\(preparation.missingBytes)",
            "usedBeforeBytes": "\(preparation.usedBytes.before)", "usedAfterBytes": "\(preparation.usedBytes.after)",
        ]
        if let obstacle = preparation.obstacle { metadata["obstacle"] = "\(obstacle)" }
        logger.notice("A limit was announced: \(preparation)", metadata: metadata)
    }
}
