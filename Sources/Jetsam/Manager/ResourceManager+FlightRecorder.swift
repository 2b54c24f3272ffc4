internal import Logging
internal import MemoryPressure

extension ResourceManager {
    /// The facts that are known of the run before this one, and those of this run that were recorded last.
    struct Past {
        var lastExit: LastExit?
        var heldNames: [String] = []
        /// The time when names were last looked for.
        var lastLook: MonotonicInstant?
    }

    /// The end of the run before this one, as far as its flight recorder tells. Nil before the manager has begun, where
    /// ``ManagerConfiguration/Recorder/directory`` is not set, and where that directory holds no recording of a run that is over.
    public var lastExit: LastExit? { past.withLock { $0.lastExit } }

    /// Reads how the last run ended and begins to record this one, or says why not. Nothing else is held up by it.
    func startFlightRecorder() {
        guard let directory = configuration.recorder.directory else {
            logger.info(
                "The flight recorder is off: set recorder.directory to learn at the next start how this run ended")
            return
        }
        let run = RunIdentity.current(
            in: environment.kernelRoot, processID: environment.processID, wallClock: environment.wallClock(),
            start: environment.clock.now)
        do throws(FileError) {
            let exit = try LastExit.read(from: directory, before: run)
            let flight = try FlightRecorder(
                directory: directory, capacityBytes: configuration.recorder.capacityBytes, run: run)
            past.withLock { $0.lastExit = exit }
            recorder.attach(flight)
            files.watch(flight)
            logger.info("The flight recorder writes", metadata: ["file": "\(flight.path)"])
            if let error = flight.lockObstacle {
                logger.notice(
                    "The flight recorder's memory could not be locked, so recording may wait for the disk: \(ErrnoText.name(error)) (see RLIMIT_MEMLOCK)"
                )
            }
        } catch {
            logger.warning(
                "The flight recorder is off: \(directory): \(error)", metadata: ["directory": "\(directory)"])
        }
        if let exit = lastExit {
            let isExpected = exit.reason == .clean || exit.reason == .reboot
            logger.log(
                level: isExpected ? .info : .notice, "The last run ended: \(exit)",
                metadata: ["reason": "\(exit.reason)", "file": "\(exit.path)"])
        }
    }

    /// Says how this run ended.
    ///
    /// - Parameter wasCancelled: True where the manager's task was cancelled, by its group or by the application.
    func endFlightRecorder(_ error: (any Error)? = nil, wasCancelled: Bool = false) {
        let now = environment.clock.now
        guard let flight = recorder.flight else { return }
        if let error {
            flight.note("\(error)", at: now)
            flight.end(.failed, at: now)
        } else if wasCancelled, lifecycle.hasGate {
            // A group cancels its services for no other reasons. Without the gate there may be no group.
            flight.end(lifecycle.hasOutlivedGrace ? .graceExceeded : .failed, at: now)
        } else {
            flight.end(recorder.hasCalledLastResort ? .pressureShutdown : .clean, at: now)
        }
    }

    /// Keeps the names of what is held. Runs on the notification queue.
    func recordHeldTasks() {
        guard let flight = recorder.flight else { return }
        let now = environment.clock.now
        let interval = HeldTasksWatch.interval(among: backgroundTasks.heldCount)
        let isDue = past.withLock { past in
            guard past.lastLook.isOlder(than: interval, at: now) else { return false }
            past.lastLook = now
            return true
        }
        guard isDue else { return }
        let names = backgroundTasks.heldTasks(limit: 8).map { recorder.name($0.name) }
        let isNews = past.withLock { past in
            defer { past.heldNames = names }
            return past.heldNames != names
        }
        if isNews { flight.keep(heldTasks: names, at: now) }
    }
}

extension LastExit {
    /// Returns the end of the latest run that is over; nil where there is none in the directory.
    package static func read(from directory: String, before run: RunIdentity) throws(FileError) -> LastExit? {
        try RecordingDirectory(directory, isMade: true).lastExit(before: run, in: directory)
    }
}
