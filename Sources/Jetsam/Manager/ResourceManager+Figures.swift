internal import Dispatch
internal import Logging
internal import MemoryPressure

extension ResourceManager {
    /// The time between two tellings of the figures that belong to no change and no step.
    private static let figuresInterval = DispatchTimeInterval.seconds(1)
    /// The time between two looks at the files, where nobody collects figures.
    private static let filesInterval = DispatchTimeInterval.seconds(10)

    /// Tells the figures now and then, where somebody collects them, and looks after the files that are written: a process of which
    /// nobody wants either is not woken for it.
    func startFigures(on queue: DispatchQueue) -> (any DispatchSourceTimer)? {
        let wantsFigures = metrics.isCollected || recorder.isOn
        guard wantsFigures || files.isNeeded else { return nil }
        let timer = DispatchSource.makeTimerSource(queue: queue)
        let interval = wantsFigures ? Self.figuresInterval : Self.filesInterval
        timer.schedule(deadline: .now(), repeating: interval, leeway: .milliseconds(200))
        timer.setEventHandler { [weak self] in
            guard let self else { return }
            if wantsFigures { tellFigures() }
            files.look(at: environment.clock.now)
        }
        timer.activate()
        return timer
    }

    /// Tells every figure as it is now.
    ///
    /// - Parameter isLast: True where the episode of releases that is under way is told as well.
    func tellFigures(isLast: Bool = false) {
        recordCounts()
        guard metrics.isCollected else { return }
        let now = governor.figures
        var figures = ManagerMetrics.Figures()
        (figures.level, figures.reading, figures.stallPercent) = (now.level, now.reading, now.stallPercent)
        figures.footprintNeededBytes = footprintNeededBytes(now)
        figures.tasks = backgroundTasks.statistics
        figures.releases = isLast ? now.releases.account.total : now.releases.account.finished
        figures.refetchedBytes = registry.refetchedBytes
        // A process that never had a scene does not need a series for each state.
        if scenes.hasConnected { figures.scenes = scenes.statistics.connected }
        metrics.record(figures)
    }
}

extension LevelChange {
    /// The metadata of its log line, for programs.
    var metadata: Logger.Metadata {
        [
            "level": "\(level)", "previous": "\(previous)", "rule": "\(reason.rule)", "cause": "\(reason.cause.text)",
            "headroomBytes": "\(headroomBytes)", "sequence": "\(sequence)",
        ]
    }
}

extension ReclaimStep {
    /// The metadata of its log line, for programs.
    var metadata: Logger.Metadata {
        var metadata: Logger.Metadata = [
            "stage": "\(stage)", "step": "\(step)",
            "targetBytes": "\(targetBytes)", "promisedBytes": "\(promisedBytes)", "returnedBytes": "\(returnedBytes)",
            "trimmedBytes": "\(trimmedBytes)", "milliseconds": "\(duration.milliseconds)", "victims": "\(victimCount)",
            "sequence": "\(sequence)", "isDryRun": "\(isDryRun)",
        ]
        if isCall {
            // Its level says how urgently caches are asked, and not how short memory is.
            metadata["requestLevel"] = "\(level)"
        } else {
            metadata["level"] = "\(level)"
            metadata["rule"] = "\(reason.rule)"
        }
        if let freedBytes { metadata["freedBytes"] = "\(freedBytes)" }
        return metadata
    }
}
