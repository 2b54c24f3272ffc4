internal import Logging
internal import MemoryPressure
internal import Synchronization
internal import SystemPackage

/// Tells systemd of the service's state (sd_notify(3)), as datagrams to `NOTIFY_SOCKET`.
///
/// A socket that cannot be reached is one warning in the log, and never an error.
final class SystemdNotifier: Sendable {
    /// Half of what systemd waits for between two signs of life; nil where it does not wait, or not for this process.
    let pulseInterval: Duration?
    private let descriptor: CInt
    private let logger: Logger
    private let hasWarned = Atomic<Bool>(false)

    /// Nil where nobody wants to be told, or the socket cannot be had, which is logged.
    init?(variables: [String: String], processID: Int32, logger: Logger) {
        guard let path = variables["NOTIFY_SOCKET"], !path.isEmpty else { return nil }
        self.logger = logger
        do {
            descriptor = try Syscalls.connectDatagrams(to: path)
        } catch {
            logger.warning("systemd's notification socket cannot be reached: \(ErrnoText.name(error))")
            return nil
        }
        pulseInterval = Self.pulseInterval(variables, processID)
    }

    deinit { Syscalls.close(descriptor) }

    /// sd_watchdog_enabled(3): half of `WATCHDOG_USEC`, where `WATCHDOG_PID` is ours or unset.
    static func pulseInterval(_ variables: [String: String], _ processID: Int32) -> Duration? {
        guard let microseconds = variables["WATCHDOG_USEC"].flatMap({ Int64($0) }), microseconds > 0 else { return nil }
        if let owner = variables["WATCHDOG_PID"], Int32(owner) != processID { return nil }
        // A year is for ever, and stays far from the edge of nanoseconds; less than 2 ms would be all that the sampler does.
        return .microseconds(min(max(microseconds, 2000), 31_536_000_000_000) / 2)
    }

    func ready() { send("READY=1") }

    /// - Parameter time: The time that stopping may take: the unit's own timeout may be shorter.
    func stopping(within time: Duration) {
        send("STOPPING=1\n" + Self.extension(time))
    }

    /// - Parameter time: The time from now until the next word.
    func extendTimeout(to time: Duration) { send(Self.extension(time)) }

    func isAlive() { send("WATCHDOG=1") }

    private static func `extension`(_ time: Duration) -> String {
        "EXTEND_TIMEOUT_USEC=\(max(1, time.nanoseconds / 1000))"
    }

    private func send(_ text: String) {
        do {
            try Syscalls.send(descriptor, Array(text.utf8))
        } catch {
            if !hasWarned.exchange(true, ordering: .relaxed) {
                logger.warning(
                    "systemd did not get the message '\(text.onOneLine)': \(ErrnoText.name(error)); further failures are not logged"
                )
            }
        }
    }
}
