internal import CLinuxShims
internal import MemoryPressure
package import SystemPackage

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

extension System {
    package static let killSignal = SIGKILL
    package static let childSignal = SIGCHLD
    package static let brokenPipeSignal = SIGPIPE
    package static let userSignal = SIGUSR1
    /// What asks the tool to stop, and is passed on.
    package static let stopSignals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

    /// How a process ended.
    package enum ProcessEnd: Hashable {
        case exited(Int32)
        case signalled(Int32)

        /// As <sys/wait.h> defines a status: the low seven bits are the signal, the next byte what it exited with.
        fileprivate init(_ status: Int32) {
            let signal = status & 0x7f
            self = signal == 0 ? .exited((status >> 8) & 0xff) : .signalled(signal)
        }

        /// What comes after the process's name.
        package var text: String {
            switch self {
            case .exited(let status): "ended with status \(status)"
            case .signalled(let signal): "was ended by signal \(signal)"
            }
        }
    }

    package static func send(_ signal: Int32, to process: Int32) {
        kill(process, signal)
    }

    package static func isAlive(_ process: Int32) -> Bool {
        kill(process, 0) == 0 || lastError != .noSuchProcess
    }

    /// The end of a child process; nil while it runs.
    package static func reap(_ process: Int32) -> ProcessEnd? {
        var status: Int32 = 0
        guard unsafe waitpid(process, &status, WNOHANG) == process else { return nil }
        return ProcessEnd(status)
    }

    /// Waits for the end of a child process.
    package static func waitForEnd(of process: Int32) -> ProcessEnd {
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) == -1, errno == EINTR {}
        return ProcessEnd(status)
    }

    /// Replaces this process by a program; comes back only where that failed.
    package static func execute(_ arguments: [String]) -> Errno {
        let strings: [UnsafeMutablePointer<CChar>?] = unsafe arguments.map { unsafe strdup($0) } + [nil]
        _ = unsafe execvp(strings[0]!, strings)
        let error = lastError
        unsafe strings.forEach { unsafe free($0) }
        return error
    }

    /// Where the shell would find a program; nil where there is none to execute.
    package static func executablePath(of name: String) -> String? {
        guard !name.contains("/") else { return isExecutableFile(name) ? name : nil }
        let path = unsafe getenv("PATH").map { unsafe String(cString: $0) } ?? "/usr/local/bin:/usr/bin:/bin"
        return path.split(separator: ":").map { "\($0)/\(name)" }.first(where: isExecutableFile)
    }
}

#if os(Linux)
    extension System {
        /// The signals that `nextSignal` takes, blocked for this thread, and so for those that it starts.
        package static func blockSignals(_ signals: [Int32]) {
            var set = signalSet(signals)
            unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
        }

        /// The next of some blocked signals, and whether the kernel sent it (as a terminal's interrupt); nil where none came
        /// in time.
        package static func nextSignal(of signals: [Int32], within time: Duration) -> (number: Int32, fromKernel: Bool)?
        {
            var set = signalSet(signals)
            var information = unsafe siginfo_t()
            let (seconds, nanoseconds) = max(0, time.nanoseconds).quotientAndRemainder(dividingBy: 1_000_000_000)
            var timeout = timespec(tv_sec: Int(seconds), tv_nsec: Int(nanoseconds))
            let number = unsafe sigtimedwait(&set, &information, &timeout)
            guard number > 0 else { return nil }
            // SI_USER is 0; what the kernel sends has a code above it.
            return (number, unsafe information.si_code > 0)
        }

        /// Starts a program with the standard descriptors of this process, no signal blocked and none ignored.
        ///
        /// - Parameters:
        ///   - output: The file that its standard output goes to, made anew; nil for this process's own.
        ///   - errors: The same for its standard error.
        ///   - leadsGroup: Whether it is the first of a process group of its own, so that all that it starts can be ended together.
        package static func spawn(
            _ path: String, _ arguments: [String], output: String? = nil, errors: String? = nil,
            leadsGroup: Bool = false
        ) throws(Errno) -> Int32 {
            var actions = unsafe posix_spawn_file_actions_t()
            unsafe posix_spawn_file_actions_init(&actions)
            defer { unsafe posix_spawn_file_actions_destroy(&actions) }
            for (descriptor, file) in [(1 as Int32, output), (2, errors)] {
                guard let file else { continue }
                unsafe posix_spawn_file_actions_addopen(&actions, descriptor, file, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
            }
            var attributes = posix_spawnattr_t()
            unsafe posix_spawnattr_init(&attributes)
            defer { unsafe posix_spawnattr_destroy(&attributes) }
            var none = signalSet([])
            var all = signalSet([SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGCHLD])
            unsafe posix_spawnattr_setsigmask(&attributes, &none)
            unsafe posix_spawnattr_setsigdefault(&attributes, &all)
            let group = leadsGroup ? POSIX_SPAWN_SETPGROUP : 0
            unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | group))
            let strings: [UnsafeMutablePointer<CChar>?] = unsafe arguments.map { unsafe strdup($0) } + [nil]
            defer { unsafe strings.forEach { unsafe free($0) } }
            var process: Int32 = 0
            let error = unsafe posix_spawn(&process, path, &actions, &attributes, strings, environ)
            guard error == 0 else { throw Errno(rawValue: error) }
            return process
        }

        /// Has the kernel end this process when the one that started it ends, through every `exec`.
        package static func dieWithParent() {
            jetsam_die_with_parent()
        }

        private static func signalSet(_ signals: [Int32]) -> sigset_t {
            var set = sigset_t()
            unsafe sigemptyset(&set)
            for signal in signals { unsafe sigaddset(&set, signal) }
            return set
        }
    }
#else
    extension System {
        static func blockSignals(_ signals: [Int32]) {}
        static func nextSignal(of signals: [Int32], within time: Duration) -> (number: Int32, fromKernel: Bool)? { nil }
        package static func spawn(
            _ path: String, _ arguments: [String], output: String? = nil, errors: String? = nil,
            leadsGroup: Bool = false
        ) throws(Errno) -> Int32 { throw .notSupported }
        static func dieWithParent() {}
    }
#endif
