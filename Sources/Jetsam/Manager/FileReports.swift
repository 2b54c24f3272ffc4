internal import Logging
internal import MemoryPressure
internal import SystemPackage

/// Says once of each file that a manager writes what became of it behind its back: a full disk, a cleaned-up directory.
final class FileReports: Sendable {
    private struct State {
        var flight: FlightRecorder?
        var trace: (TraceFile, String)?
        var control: ControlServer?
        var lastLook: MonotonicInstant?
    }

    /// The time between two looks at the files, in nanoseconds.
    private static let interval: Int64 = 5_000_000_000

    private let logger: Logger
    private let state = Lock(State())

    init(logger: Logger) {
        self.logger = logger
    }

    func watch(_ flight: FlightRecorder) { state.withLock { $0.flight = flight } }
    func watch(_ trace: TraceFile, at path: String) { state.withLock { $0.trace = (trace, path) } }
    func watch(_ control: ControlServer) { state.withLock { $0.control = control } }

    /// Indicates whether there is anything to look at.
    var isNeeded: Bool { state.withLock { $0.flight != nil || $0.trace != nil || $0.control != nil } }

    /// The run has ended: nobody looks any more, and what it held is let go of.
    func forget() {
        let (flight, trace, control) = state.withLock { state in
            defer {
                state.flight = nil
                state.trace = nil
                state.control = nil
            }
            return (state.flight, state.trace, state.control)
        }
        withExtendedLifetime((flight, trace, control)) {}
    }

    /// Looks at the files where that is due, and forgets those that are lost. Runs on the notification queue.
    func look(at now: MonotonicInstant) {
        let (flight, trace, control) = state.withLock {
            state -> (FlightRecorder?, (TraceFile, String)?, ControlServer?) in
            guard state.lastLook.isOlder(than: Self.interval, at: now) else { return (nil, nil, nil) }
            state.lastLook = now
            return (state.flight, state.trace, state.control)
        }
        if let flight, let loss = flight.loss {
            state.withLock { $0.flight = nil }
            logger.error(
                "The flight recorder is off: its file was \(loss == .removed ? "removed" : "made shorter") by somebody else: \(flight.path). The next start records again",
                metadata: ["file": "\(flight.path)"])
        }
        if let (file, path) = trace, let reason = Self.loss(of: file) {
            state.withLock { $0.trace = nil }
            logger.error("The trace ends here: \(path): \(reason)", metadata: ["file": "\(path)"])
        }
        if let path = control?.removedPath {
            state.withLock { $0.control = nil }
            logger.error(
                "The control socket was removed by somebody else: \(path). Nobody can ask this process until it restarts",
                metadata: ["file": "\(path)"])
        }
    }

    private static func loss(of trace: TraceFile) -> String? {
        if let error = trace.error { return "it could not be written: \(FileError.reason(error))" }
        return trace.isRemoved ? "it was removed by somebody else" : nil
    }
}
