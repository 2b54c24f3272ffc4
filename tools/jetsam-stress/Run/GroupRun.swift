internal import CommandOutput
internal import MemoryPressure
internal import SystemPackage
internal import _StressPatterns

/// Runs a command in a limited group, passes signals on to it, and waits for its end.
struct GroupRun {
    let limits: LimitedGroup.Limits
    let resize: Resize?
    let grace: Duration
    let showsProgress: Bool
    private let clock = SystemMonotonicClock()

    init(limits: LimitedGroup.Limits, resize: Resize? = nil, grace: Duration, showsProgress: Bool) {
        self.limits = limits
        self.resize = resize
        self.grace = grace
        self.showsProgress = showsProgress
    }

    func run(_ command: [String]) throws -> RunReport {
        guard System.executablePath(of: command[0]) != nil else {
            throw StressError("\(command[0]): there is no such command that can be executed")
        }
        // Before the group exists, so that no signal can end the tool between its making and its removal.
        System.blockSignals(System.stopSignals + [System.childSignal, System.brokenPipeSignal])
        let places = CgroupPlaces.current()
        for path in CgroupDirectory.removeStale(in: places) {
            StandardError.write("jetsam-stress: removed \(path), which an earlier run left behind")
        }
        let group = try LimitedGroup(limits, places: places)
        defer { group.remove() }
        if showsProgress {
            StandardError.write("jetsam-stress: cgroup \(group.version.rawValue) \(group.path)")
        }
        let start = clock.now
        let process = try Self.start(command, in: group)
        var watch = Watch(group: group, process: process, command: command[0], resize: resize)
        let end = wait(for: process, &watch, from: start)
        // Nobody is left to prepare, and what the shell has started ends with it.
        if let preparing = watch.resize?.preparing {
            System.send(System.killSignal, to: -preparing)
            _ = System.waitForEnd(of: preparing)
        }
        return RunReport(
            end: end,
            stoppedBy: watch.stoppedBy,
            version: group.version,
            path: group.path,
            pressurePath: group.pressureDirectory.map { $0 + "/memory.pressure" },
            limits: limits,
            resize: resize,
            resized: watch.resize,
            peakBytes: watch.peakBytes,
            oomKills: group.oomKills ?? 0,
            stallMicroseconds: group.stallMicroseconds,
            elapsed: start.duration(to: clock.now)
        )
    }

    /// What is known of the run while it lasts.
    private struct Watch {
        let group: LimitedGroup
        let process: Int32
        let command: String
        var stoppedBy: Int32?
        var resize: Resize.State?
        private var highestUsage: Int?

        init(group: LimitedGroup, process: Int32, command: String, resize: Resize?) {
            self.group = group
            self.process = process
            self.command = command
            self.resize = resize.map(Resize.State.init)
        }

        var peakBytes: Int? { group.peakBytes ?? highestUsage }

        mutating func look() {
            highestUsage = max(highestUsage ?? 0, group.usageBytes ?? 0)
        }
    }

    /// The program starts itself again inside the group and only then becomes the command, so that every byte of the
    /// command is charged there.
    private static func start(_ command: [String], in group: LimitedGroup) throws -> Int32 {
        let arguments =
            ["jetsam-stress", EnterCommand.name, "--parent", "\(System.processIdentifier)"]
            + group.processFiles.flatMap { ["--procs", $0] } + ["--"] + command
        do {
            return try System.spawn("/proc/self/exe", arguments)
        } catch {
            throw StressError("the command cannot be started: \(error)")
        }
    }

    private func wait(for process: Int32, _ watch: inout Watch, from start: MonotonicInstant) -> System.ProcessEnd {
        var progress = ProgressReport(isOn: showsProgress, from: start)
        var killAt: MonotonicInstant?
        // Where the kernel keeps the peak itself, waking up is only for the progress line.
        let interval = watch.group.peakBytes == nil ? Duration.milliseconds(50) : .seconds(1)
        while true {
            watch.look()
            if let end = System.reap(process) { return end }
            watch.resize?.tick(
                usageBytes: watch.group.usageBytes, elapsed: { start.duration(to: clock.now) },
                start: { line throws(Errno) in
                    try System.spawn("/bin/sh", ["sh", "-c", line, "sh", "\(process)"], leadsGroup: true)
                },
                end: System.reap,
                write: { watch.group.setLimit(bytes: $0, swapBytes: limits.swapBytes) })
            let now = clock.now
            progress.tick(at: now) { line(watch, start.duration(to: now)) }
            if let deadline = killAt, now >= deadline {
                watch.group.kill()
                killAt = nil
            }
            let untilKill = killAt.map { now.duration(to: $0) } ?? interval
            let untilResize = watch.resize?.due.map { $0 - start.duration(to: now) } ?? interval
            guard
                let signal = System.nextSignal(
                    of: System.stopSignals + [System.childSignal], within: min(interval, untilKill, untilResize)),
                signal.number != System.childSignal
            else { continue }
            watch.stoppedBy = watch.stoppedBy ?? signal.number
            killAt = killAt ?? clock.now.advanced(by: grace)
            // What a terminal sends, it has sent to the command already.
            if !signal.fromKernel { System.send(signal.number, to: process) }
        }
    }

    private func line(_ watch: Watch, _ elapsed: Duration) -> String {
        let usage = watch.group.usageBytes.map { "\(ByteCount($0))" } ?? "?"
        let peak = watch.peakBytes.map { "\(ByteCount($0))" } ?? "?"
        return "jetsam-stress: \(watch.command) (\(watch.process)) runs for \(elapsed.shortText), "
            + "uses \(usage) of \(ByteCount(limits.hardBytes)), peak \(peak)"
    }
}
