/// The reason why this process was started, and what it was given.
public struct LaunchReason: Sendable, Equatable, CustomStringConvertible {
    /// The person or thing that started the process. Others may be added: give a `switch` a `default`.
    public enum Starter: Sendable {
        /// A connection or datagram on a socket that the supervisor holds (`LISTEN_FDS` of systemd's socket activation).
        case socket
        /// A timer unit of systemd's.
        case timer
        /// A supervisor that starts services: systemd or Kubernetes.
        case supervisor
        /// Nobody who left a trace: most likely a person at a shell.
        case `operator`
    }

    /// The end of the last run, as far as its flight recorder tells. Others may be added: give a `switch` a `default`.
    public enum PreviousExit: Sendable {
        /// Nothing was recorded: this is the first run, or the flight recorder is off.
        case unknown
        /// The manager came to its end in order; or it ran without its drain gate, and its task was cancelled.
        case clean
        /// It came to its end in order after it had called the last resort.
        case pressureShutdown
        /// A missed life-cycle deadline ended the process, as configured.
        case watchdog
        /// The manager threw, or it was cancelled before its time: another service of its group had thrown or returned.
        case failed
        /// It was shutting down, and the grace period ran out: a server had not stopped, or something that stops after the
        /// manager.
        case graceExceeded
        /// The kernel's OOM killer took a process of the same cgroup at or after its last record; or, where the cgroup is gone and
        /// the one above it is still there, a process below that, and headroom was below its critical threshold.
        case killedByOOM
        /// It ended without a word while headroom was below its critical threshold: the OOM killer of a cgroup that is gone, or
        /// something that kills for memory without the kernel's count of it.
        case killedProbablyOOM
        /// The machine was restarted after its last record. A recording that another machine has left is not taken for that,
        /// where both ran at the same time.
        case reboot
        /// It ended without a word: a SIGKILL, a crash, or a call of `exit`. Jetsam installs no signal handler to tell them apart.
        case killedUnknown
    }

    /// A descriptor that the supervisor opened and passed: sd_listen_fds(3).
    public struct Socket: Sendable, Hashable {
        /// The name of a descriptor that was given none.
        package static let unnamed = "unknown"

        /// Its number, from 3 on. It is the application's to use and to close: Jetsam does neither.
        public var descriptor: Int32
        /// Its name: `FileDescriptorName=` of the socket unit, or `unknown`.
        public var name: String

        /// A descriptor, to call an observer with in a test.
        public init(descriptor: Int32, name: String = "unknown") {
            self.descriptor = descriptor
            self.name = name
        }

        /// Such as `http (3)`.
        package var description: String { "\(name) (\(descriptor))" }
    }

    /// The unit that had systemd start this one: "Environment Variables Set on Triggered Units" of systemd.exec(5).
    public struct Trigger: Sendable, Hashable {
        /// Its name, such as `backup.timer`; empty where it was not told.
        public var unit: String
        /// The path that a path unit found changed; nil for any other unit.
        public var path: String?
        /// The time when a timer unit fell due, on the wall clock since 1970; nil for any other unit, and for a timer that goes
        /// by the time since the start of the machine.
        public var elapsedSince1970: Duration?

        /// A trigger, to call an observer with in a test.
        public init(unit: String, path: String? = nil, elapsedSince1970: Duration? = nil) {
            self.unit = unit
            self.path = path
            self.elapsedSince1970 = elapsedSince1970
        }

        /// The unit's name.
        package var description: String { unit.isEmpty ? "unknown unit" : unit }
    }

    /// The environment variable by which whoever starts the process passes ``payload``.
    package static let payloadVariable = "JETSAM_LAUNCH_PAYLOAD"
    /// The most bytes that ``payload`` may have. A longer one is not told, and a warning in the log says so.
    package static let maximumPayloadBytes = 65_536

    /// The starter of this run.
    public var starter: Starter
    /// The end of the run before.
    public var previousExit: PreviousExit

    /// The descriptors that the supervisor passed to this very process, in their order; empty where it passed none.
    public var sockets: [Socket] = []
    /// The unit that had systemd start the process; nil if no unit triggered it.
    public var trigger: Trigger?
    /// The command line's arguments, without the program's name.
    public var arguments: [String] = []
    /// The text that the starter of the process passed in the environment variable `JETSAM_LAUNCH_PAYLOAD`, for the application to
    /// read, such as the job that is to be done. Nil where nothing was passed, or more than 65,536 bytes. Bytes that are not UTF-8 are replaced.
    ///
    /// Anyone who may look at the process's environment can read it: no place for secrets.
    public var payload: String?

    /// A reason, to call an observer with in a test.
    public init(
        starter: Starter, previousExit: PreviousExit = .unknown, sockets: [Socket] = [], trigger: Trigger? = nil,
        arguments: [String] = [], payload: String? = nil
    ) {
        self.starter = starter
        self.previousExit = previousExit
        self.sockets = sockets
        self.trigger = trigger
        self.arguments = arguments
        self.payload = payload
    }

    /// One line for a log. It has the number of arguments and the payload's size, but neither of them: they may be private.
    public var description: String {
        var text = "started by \(starter), previous exit \(previousExit)"
        if let trigger { text += ", triggered by \(trigger.description.onOneLine)" }
        if !sockets.isEmpty {
            let rest = sockets.count > Self.mostNamed ? " and \(sockets.count - Self.mostNamed) more" : ""
            let names = sockets.prefix(Self.mostNamed).map { $0.description.onOneLine }.joined(separator: ", ")
            text += ", sockets \(names)\(rest)"
        }
        if !arguments.isEmpty { text += ", \(arguments.count) \(arguments.count == 1 ? "argument" : "arguments")" }
        if let payload {
            let count = payload.utf8.count
            text += ", payload of \(count) \(count == 1 ? "byte" : "bytes")"
        }
        return text
    }

    /// So many sockets are named in a line.
    private static let mostNamed = 8

    /// The environment variables that tell.
    static let variables = [
        "LISTEN_FDS", "LISTEN_FDNAMES", "LISTEN_PID", "TRIGGER_UNIT", "TRIGGER_PATH", "TRIGGER_TIMER_REALTIME_USEC",
        "TRIGGER_TIMER_MONOTONIC_USEC", "INVOCATION_ID", "NOTIFY_SOCKET", "KUBERNETES_SERVICE_HOST", payloadVariable,
    ]
}
