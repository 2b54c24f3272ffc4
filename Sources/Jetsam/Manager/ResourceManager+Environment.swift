internal import Dispatch
public import MemoryPressure

extension ResourceManager {
    /// The parts that a manager takes from outside: the kernel's files, the time, and the process's environment variables.
    ///
    /// Production uses ``init()``; tests replace the parts (see the `JetsamTesting` product).
    public struct Environment: Sendable {
        /// The place of the kernel's files.
        public var kernelRoot = KernelRoot()
        /// The source of the time.
        public var clock: any MonotonicClock = SystemMonotonicClock()
        /// The wall clock in nanoseconds since 1970: looked at only to see that somebody has set it.
        package var wallClock: @Sendable () -> Int64 = { wallClockNanoseconds() }
        /// The seconds by which the local time is ahead of UTC, at a time of the wall clock in nanoseconds since 1970.
        package var secondsFromUTC: @Sendable (_ wallClock: Int64) -> Int = { localSecondsFromUTC(wallClock: $0) }
        /// Environment variables. Those are read that systemd and Kubernetes set: where memory pressure is told, where the
        /// service's state is to be told, who started it and with what, and where sockets of this user belong.
        public var variables: [String: String]
        /// The command line's arguments, without the program's name: ``LaunchReason`` tells them.
        public var arguments = Array(CommandLine.arguments.dropFirst())
        /// The allocator that gives memory back to the kernel.
        public var allocator: any MemoryAllocator = SystemAllocator()
        /// The timer that calls the sampler; nil for a thread of its own.
        package var ticker: (any Ticker)?
        /// The source of the threads that call handlers, and of the doorbell for the notification queue.
        package var threads: any ThreadSource = SystemThreads()
        /// Indicates whether kernel events are listened to. Made-up files have none.
        package var listensToKernel = true
        /// The TCP ports that somebody listens on; nil asks the kernel.
        package var listeningPorts: (@Sendable () -> Set<UInt16>?)?
        /// Ends the process at once, as a missed deadline may ask for.
        package var exit: @Sendable (_ status: Int32) -> Void = { ThisProcess.exitAtOnce($0) }
        /// Calls something once, later, on no particular thread.
        package var later: @Sendable (Duration, @escaping @Sendable () -> Void) -> Void = { time, body in
            DispatchQueue.global(qos: .utility).asyncAfter(
                deadline: .now() + .nanoseconds(Int(time.nanoseconds)), execute: body)
        }
        /// This process's number.
        package var processID: Int32 = ThisProcess.identifier

        /// This process and this machine.
        public init() {
            variables = [:]
            let names =
                ["MEMORY_PRESSURE_WATCH", "MEMORY_PRESSURE_WRITE", "WATCHDOG_USEC", "WATCHDOG_PID", "XDG_RUNTIME_DIR"]
                + LaunchReason.variables
            for name in names {
                variables[name] = ThisProcess.variable(name)
            }
        }
    }
}
