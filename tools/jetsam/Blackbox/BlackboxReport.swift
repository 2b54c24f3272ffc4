internal import CommandOutput
internal import Jetsam
internal import MemoryPressure

/// A recording, ready to be shown.
struct BlackboxReport {
    let file: RecordingFile
    /// How it ended; nil while it goes on.
    let exit: LastExit?

    var recording: RecordingContents { file.recording }

    init(_ file: RecordingFile, here: RunIdentity?) {
        self.file = file
        exit = file.isLive ? nil : LastExit(file.recording, path: file.path, now: here)
    }

    /// The names of the background tasks that were held last. They are older than the number by some seconds, in which tasks may
    /// have ended.
    var heldTaskNames: [String] {
        let count = recording.lastState?.state.heldTasks ?? 0
        return exit?.heldBackgroundTaskNames ?? Array(recording.heldTaskNames.prefix(count))
    }

    /// Nanoseconds since the run's start.
    func time(_ instant: MonotonicInstant) -> Int64 {
        recording.run.start.duration(to: instant).nanoseconds
    }

    /// The kinds that are known here.
    static func name(_ kind: RecordKind) -> String? {
        switch kind {
        case .note: "note"
        case .end: "end"
        default: TraceKind(rawValue: kind.rawValue).map { "\($0.name)" }
        }
    }

    static func text(_ state: FlightState) -> String {
        var parts = ["level \(state.level)"]
        if let bytes = state.headroomBytes {
            parts.append("headroom \(ByteCount(bytes))\(state.isHeadroomCritical ? ", critically little" : "")")
        }
        if let bytes = state.footprintBytes { parts.append("footprint \(ByteCount(bytes))") }
        if state.isReclaiming { parts.append("reclaiming") }
        if state.isLastResortCalled { parts.append("last resort called") }
        if state.isDraining { parts.append("draining") }
        if state.heldTasks > 0 {
            parts.append("\(state.heldTasks) background \(state.heldTasks == 1 ? "task" : "tasks") held")
        }
        return parts.joined(separator: "; ")
    }

    static func hexadecimal(_ bytes: some Collection<UInt8>) -> String {
        var text = ""
        for byte in bytes { text += (byte < 16 ? "0" : "") + String(byte, radix: 16) }
        return text
    }

    var bootID: String {
        let digits = Self.hexadecimal(recording.run.bootID)
        guard recording.run.bootID.contains(where: { $0 != 0 }) else { return "not known" }
        var text = ""
        for (index, digit) in digits.enumerated() {
            if [8, 12, 16, 20].contains(index) { text += "-" }
            text.append(digit)
        }
        return text
    }
}
