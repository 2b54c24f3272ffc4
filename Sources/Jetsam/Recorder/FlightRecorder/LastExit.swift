public import MemoryPressure

/// The end of the run before this one, from what its flight recorder left: see ``ResourceManager/lastExit``.
public struct LastExit: Sendable, Equatable, CustomStringConvertible {
    /// The way in which it ended, as far as it is known.
    public var reason: LaunchReason.PreviousExit
    /// The time when it began, in nanoseconds since 1970 by the wall clock.
    public var startedAtWallClock: Int64
    /// From its start to its last record: it lived at least as long.
    public var recordedFor: Duration
    /// The level at the last record that has one.
    public var level: PressureLevel
    /// Bytes of headroom then; nil where not known.
    public var headroomBytes: Int?
    /// Indicates whether a reclaim step was under way then.
    public var isReclaiming: Bool
    /// Indicates whether shutdown had begun.
    public var isDraining: Bool
    /// Indicates whether the last resort had been called. If the run shut down after that, the last resort was the reason.
    public var isLastResortCalled: Bool
    /// The number of background tasks that were held then.
    public var heldBackgroundTasks: Int
    /// Names of those, the longest-running first, as many as there was room for, as of at most some seconds before. Hashes
    /// where ``ManagerConfiguration/Recorder/hashesNames`` is set.
    public var heldBackgroundTaskNames: [String]
    /// Records that were being written when it ended, or are damaged.
    package var tornRecords: Int
    /// The recording's file.
    public var path: String

    /// One line for a log.
    public var description: String {
        var text = "\(reason); its last record was written \(recordedFor.shortText) after its start: level \(level)"
        if let headroomBytes { text += ", \(ByteCount(headroomBytes)) of headroom" }
        if isDraining {
            text += ", while it shut down\(isLastResortCalled ? " after the last resort had been called" : "")"
        } else if isLastResortCalled {
            text += ", after the last resort had been called"
        }
        if isReclaiming { text += ", while memory was being reclaimed" }
        if heldBackgroundTasks > 0 {
            text += ", \(heldBackgroundTasks) background \(heldBackgroundTasks == 1 ? "task" : "tasks") held"
            if !heldBackgroundTaskNames.isEmpty { text += " (\(heldBackgroundTaskNames.joined(separator: ", ")))" }
        }
        return text
    }
}

extension LastExit {
    /// The end of a run, from its recording.
    ///
    /// - Parameters:
    ///   - recording: Of a run that is over.
    ///   - path: Its file.
    ///   - run: The run that asks: in which boot and cgroup, and what `oom_kill` is now. Nil where it is not known, as on another
    ///     machine.
    package init(_ recording: RecordingContents, path: String, now run: RunIdentity?) {
        let last = recording.lastState?.state
        reason = Self.reason(recording, run)
        startedAtWallClock = recording.run.wallClock
        recordedFor = recording.run.start.duration(to: MonotonicInstant(nanoseconds: Self.lastInstant(recording)))
        isDraining = last?.isDraining ?? false
        isLastResortCalled = last?.isLastResortCalled ?? false
        level = last?.level ?? .normal
        headroomBytes = last?.headroomBytes
        isReclaiming = last?.isReclaiming ?? false
        heldBackgroundTasks = last?.heldTasks ?? 0
        // The names are older than the number by some seconds, in which tasks may have ended.
        heldBackgroundTaskNames = Array(recording.heldTaskNames.prefix(heldBackgroundTasks))
        tornRecords = recording.torn
        self.path = path
    }

    /// The last record, by the wall clock.
    private static func end(of recording: RecordingContents) -> Int64 {
        recording.run.bootedAt &+ lastInstant(recording)
    }

    private static func lastInstant(_ recording: RecordingContents) -> Int64 {
        max(
            recording.records.last?.instant.nanoseconds ?? .min, recording.lastState?.instant.nanoseconds ?? .min,
            recording.run.start.nanoseconds)
    }

    private static func reason(_ recording: RecordingContents, _ run: RunIdentity?) -> LaunchReason.PreviousExit {
        switch recording.state {
        case .clean: return .clean
        case .pressureShutdown: return .pressureShutdown
        case .watchdog: return .watchdog
        case .failed: return .failed
        case .graceExceeded: return .graceExceeded
        case .running, nil: break
        }
        let last = recording.lastState?.state
        let isHeadroomCritical = last?.isHeadroomCritical == true
        if let run {
            if recording.run.isOfOtherBoot(than: run), run.bootedAt >= end(of: recording) { return .reboot }
            if !recording.run.isOfOtherBoot(than: run) {
                // A kill that it saw itself was that of another process.
                if hasKilled(recording.run.cgroup, run.cgroup, seen: last?.oomKills ?? 0) { return .killedByOOM }
                // The parent counts the neighbours' kills as well, all the time that the run lived: it is asked where the own
                // cgroup is gone.
                let isGone = recording.run.cgroup.map { run.cgroup?.isSame(as: $0) != true } ?? false
                if isGone, isHeadroomCritical, hasKilled(recording.run.parentCgroup, run.parentCgroup) {
                    return .killedByOOM
                }
            }
        }
        return isHeadroomCritical ? .killedProbablyOOM : .killedUnknown
    }

    /// Returns whether the OOM killer has taken a process in that cgroup since, beyond the kills that were seen; false where it is
    /// another cgroup, or that is not known.
    private static func hasKilled(_ before: CgroupIdentity?, _ now: CgroupIdentity?, seen: UInt64 = 0) -> Bool {
        guard let before, let now, before.isSame(as: now), let killsBefore = before.oomKills, let kills = now.oomKills
        else { return false }
        return kills > max(killsBefore, seen)
    }
}

extension RecordingDirectory {
    /// The end of the latest run that is over; nil where there is none, or it cannot be read.
    borrowing func lastExit(before run: RunIdentity, in directory: String) -> LastExit? {
        guard let ended = try? ended(run) else { return nil }
        for candidate in ended {
            guard let file = open(candidate.name) else { continue }
            defer { Syscalls.close(file) }
            guard let bytes = try? Syscalls.start(of: file, limit: RingFormat.mostBytes),
                let recording = try? RecordingContents(bytes)
            else { continue }
            return LastExit(recording, path: "\(directory)/\(candidate.name)", now: run)
        }
        return nil
    }
}
