internal import Logging
internal import MemoryPressure
internal import SystemPackage

extension ResourceManager {
    /// The number of records that may wait for the trace's file: 1.8 MiB. A second of the closest readings there can be, and
    /// more.
    static let tracedRecords = 8192

    /// Opens the trace where one is wanted. One that cannot be written is said so, and nothing else is held up by it.
    func startTrace() -> TraceFile? {
        guard let queue = traceQueue, let path = configuration.recorder.traceFile else { return nil }
        var header = TraceHeader(governor.setup)
        header.wallClock = Int(environment.wallClock())
        do throws(Errno) {
            let file = try TraceFile(
                path: FilePath(path), maximumBytes: configuration.recorder.maximumTraceBytes, header: header,
                queue: queue, clock: environment.clock, threads: environment.threads)
            try file.start()
            files.watch(file, at: path)
            logger.info("A trace is written", metadata: ["file": "\(path)"])
            return file
        } catch {
            logger.warning("No trace is written: \(path): \(FileError.reason(error))", metadata: ["file": "\(path)"])
            return nil
        }
    }

    func endTrace(_ trace: TraceFile?) async {
        guard let trace else { return }
        await trace.stop()
        if let error = trace.error { logger.warning("The trace is not whole: \(FileError.reason(error))") }
    }

    /// An observer like any other: redaction is the application's code, and has a deadline with it.
    func observeForSnapshots() -> LifecycleObservation? {
        guard recorder.isOn else { return nil }
        return observeLifecycle(name: "snapshot", SnapshotObserver(record: { [weak self] in self?.recordSnapshot() }))
    }

    private struct SnapshotObserver: LifecycleObserver {
        let record: @Sendable () -> Void

        func didEnterBackground(_ transition: ProcessTransition) async {
            record()
        }
    }

    /// Records everything that the process holds, after the application had its chance to redact it.
    func recordSnapshot() {
        guard recorder.isOn else { return }
        let now = environment.clock.now
        recorder.record(SnapshotRecord(.begin, name: "", bytes: registry.reportedBytes), at: now)
        func record(_ name: String, bytes: Int, _ part: SnapshotPart, _ word: SnapshotRecord.Part) {
            guard let name = redactSnapshot.map({ $0(name, part) }) ?? name else { return }
            recorder.record(SnapshotRecord(word, name: recorder.name(name), bytes: bytes), at: now)
        }
        for cache in registry.clients { record(cache.name, bytes: cache.reportedBytes, .cache, .cache) }
        for task in backgroundTasks.heldTasks(limit: 100) { record(task.name, bytes: 0, .backgroundTask, .task) }
        for scene in scenes.scenes.prefix(100) {
            record(scene.identifier.description, bytes: scene.footprintBytes, .scene, .scene)
        }
    }

    /// Records how many background tasks and scenes there are, where that has changed.
    func recordCounts() {
        guard recorder.isOn else { return }
        let tasks = backgroundTasks.statistics
        let connected = scenes.hasConnected ? scenes.statistics.connected : [:]
        var counts = CountsRecord()
        counts.heldTasks = tasks.held
        counts.expiredTasks = tasks.expired
        counts.overdueTasks = tasks.overdueNow
        counts.refusedTasks = tasks.refused
        counts.activeScenes = connected[.active] ?? 0
        counts.inactiveScenes = connected[.inactive] ?? 0
        counts.backgroundScenes = connected[.background] ?? 0
        counts.suspendedScenes = connected[.suspended] ?? 0
        let new = counts
        let isNew = lastCounts.withLock { last in
            defer { last = new }
            return last != new
        }
        if isNew { recorder.record(counts, at: environment.clock.now) }
    }
}
