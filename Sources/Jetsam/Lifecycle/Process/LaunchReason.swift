/// How this process came to be started.
public struct LaunchReason: Sendable, Equatable, CustomStringConvertible {
    /// Who or what started the process.
    public struct Starter: Sendable, Hashable, CustomStringConvertible {
        private enum Code: String, Sendable {
            case socket, timer, supervisor, `operator`
        }

        private let code: Code

        /// A connection or datagram on a socket that the supervisor holds (`LISTEN_FDS` of systemd's socket activation).
        public static let socket = Starter(code: .socket)
        /// A timer unit of systemd's.
        public static let timer = Starter(code: .timer)
        /// A supervisor that starts services: systemd or Kubernetes.
        public static let supervisor = Starter(code: .supervisor)
        /// Nobody who left a trace: most likely a person at a shell.
        public static let `operator` = Starter(code: .operator)

        /// The starter in a word.
        public var description: String { code.rawValue }
    }

    /// How the last run ended, as far as its flight recorder tells.
    public struct PreviousExit: Sendable, Hashable, CustomStringConvertible {
        private enum Code: String, Sendable {
            case unknown, clean, pressureShutdown, watchdog, failed, graceExceeded, killedByOOM, killedProbablyOOM,
                reboot,
                killedUnknown
        }

        private let code: Code

        /// Nothing was recorded: this is the first run, or the flight recorder is off.
        public static let unknown = PreviousExit(code: .unknown)
        /// The manager came to its end in order; or it ran without its drain gate, and its task was cancelled.
        public static let clean = PreviousExit(code: .clean)
        /// It came to its end in order after it had called the last resort.
        public static let pressureShutdown = PreviousExit(code: .pressureShutdown)
        /// A missed life-cycle deadline ended the process, as configured.
        public static let watchdog = PreviousExit(code: .watchdog)
        /// The manager threw, or it was cancelled before its time: another service of its group had thrown or returned.
        public static let failed = PreviousExit(code: .failed)
        /// It was shutting down, and the grace period ran out: a server had not stopped, or something that stops after the
        /// manager.
        public static let graceExceeded = PreviousExit(code: .graceExceeded)
        /// The kernel's OOM killer took a process of the same cgroup at or after its last record.
        public static let killedByOOM = PreviousExit(code: .killedByOOM)
        /// It ended without a word while headroom was below its critical threshold: the OOM killer of a cgroup that is gone, or
        /// something that kills for memory without the kernel's count of it.
        public static let killedProbablyOOM = PreviousExit(code: .killedProbablyOOM)
        /// The machine was started anew after its last record. A recording that another machine has left is not taken for that,
        /// where both ran at the same time.
        public static let reboot = PreviousExit(code: .reboot)
        /// It ended without a word: a SIGKILL, a crash, or a call of `exit`. Jetsam installs no signal handler.
        public static let killedUnknown = PreviousExit(code: .killedUnknown)

        /// The exit in a word.
        public var description: String { code.rawValue }
    }

    /// Who started this run.
    public var starter: Starter
    /// How the run before it ended.
    public var previousExit: PreviousExit

    /// A reason, to call an observer with in a test.
    public init(starter: Starter, previousExit: PreviousExit = .unknown) {
        self.starter = starter
        self.previousExit = previousExit
    }

    /// One line for a log.
    public var description: String { "started by \(starter), previous exit \(previousExit)" }
}

extension LaunchReason.Starter {
    /// The environment variables that tell.
    static let variables = [
        "LISTEN_FDS", "LISTEN_PID", "TRIGGER_UNIT", "TRIGGER_TIMER_REALTIME_USEC", "TRIGGER_TIMER_MONOTONIC_USEC",
        "INVOCATION_ID", "NOTIFY_SOCKET", "KUBERNETES_SERVICE_HOST",
    ]

    /// Told from the environment (sd_listen_fds(3), "Environment Variables Set on Triggered Units" of systemd.exec(5)).
    ///
    /// - Parameter processID: This process's: variables that were meant for a parent are inherited, too.
    static func from(_ variables: [String: String], processID: Int32) -> LaunchReason.Starter {
        let descriptors = variables["LISTEN_FDS"].flatMap { Int($0) } ?? 0
        if descriptors > 0, variables["LISTEN_PID"].flatMap({ Int32($0) }) == processID { return .socket }
        let trigger = variables["TRIGGER_UNIT"] ?? ""
        if trigger.hasSuffix(".socket") { return .socket }
        let timers = ["TRIGGER_TIMER_REALTIME_USEC", "TRIGGER_TIMER_MONOTONIC_USEC"]
        if trigger.hasSuffix(".timer") || timers.contains(where: { variables[$0] != nil }) { return .timer }
        let supervisors = ["INVOCATION_ID", "NOTIFY_SOCKET", "KUBERNETES_SERVICE_HOST"]
        return supervisors.contains { variables[$0] != nil } ? .supervisor : .operator
    }
}
