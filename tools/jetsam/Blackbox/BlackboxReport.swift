internal import CommandOutput
internal import Jetsam
internal import MemoryPressure

/// A recording, ready to be shown.
struct BlackboxReport {
    let file: RecordingFile
    /// How it ended; nil while it goes on.
    let exit: LastExit?

    var recording: FlightRecording { file.recording }

    init(_ file: RecordingFile, here: RecordedRun?) {
        self.file = file
        exit = file.isLive ? nil : LastExit(file.recording, path: file.path, now: here)
    }

    /// Nanoseconds since the run's start.
    func time(_ instant: MonotonicInstant) -> Int64 {
        recording.run.start.duration(to: instant).nanoseconds
    }

    /// The kinds that are known here.
    static func name(_ kind: RecordKind) -> String? {
        switch kind {
        case .note: "note"
        case .state: "state"
        case .end: "end"
        default: nil
        }
    }

    /// What a record says; nil where it is not known.
    static func text(_ record: FlightRecording.Record) -> String? {
        switch record.kind {
        case .note: visible(String(decoding: record.payload, as: UTF8.self))
        case .state: FlightState(record.payload).map(text)
        case .end: record.payload.first.flatMap { RunState(rawValue: UInt32($0)) }.map { "\($0)" }
        default: nil
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
        if state.heldTasks > 0 { parts.append("\(state.heldTasks) background tasks held") }
        return parts.joined(separator: "; ")
    }

    /// What a terminal would take for a command is shown as a dot: a file can hold anything.
    static func visible(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { scalar in
                    let isControl = scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value)
                    return isControl || scalar.properties.generalCategory == .format ? "." : scalar
                }))
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
