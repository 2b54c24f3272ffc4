internal import MemoryPressure

/// The reports of a manager on its process and its scenes: metrics, and records of its recorder.
struct ManagerReports: LifecycleReports {
    let metrics: ManagerMetrics
    let recorder: RecordSink
    let clock: any MonotonicClock

    func record(_ transition: ProcessTransition) {
        metrics.record(transition)
        if transition.cause == .shutdown { recorder.noteDraining() }
        recorder.record(
            ProcessRecord(from: "\(transition.from)", to: "\(transition.to)", cause: "\(transition.cause)"),
            at: transition.instant)
    }

    func recordMissedLifecycleDeadline() {
        metrics.recordMissedLifecycleDeadline()
    }

    func recordForcedExit() {
        recorder.flight?.end(.watchdog, at: clock.now)
    }

    /// A scene is in another state.
    func record(_ transition: SceneTransition) {
        guard recorder.isOn else { return }
        let name = recorder.name(transition.scene.description)
        recorder.record(SceneRecord(scene: name, to: "\(transition.to)"), at: clock.now)
    }
}
