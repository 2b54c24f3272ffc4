internal import MemoryPressure
internal import SystemPackage

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Standard output, where that is a terminal.
enum Terminal {
    static var isInteractive: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Columns and rows; 80 × 24 where they cannot be told.
    static var size: (columns: Int, rows: Int) {
        var size = winsize()
        guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return (80, 24)
        }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Writes all of it, however slow the terminal is; false where it has gone.
    @discardableResult
    static func write(_ text: String) -> Bool {
        (try? FileDescriptor.standardOutput.writeAll(text.utf8)) != nil
    }
}

/// Holds back the signals that end a command, so that it can put the terminal in order first.
struct EndingSignals {
    private static let numbers = [SIGINT, SIGTERM, SIGHUP]

    #if os(Linux)
        private var set = sigset_t()

        init() {
            unsafe sigemptyset(&set)
            for number in Self.numbers { unsafe sigaddset(&set, number) }
            unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
        }

        /// Waits that long for one of them; gives which came, nil where none did.
        mutating func wait(for time: Duration) -> Int32? {
            let nanoseconds = max(0, time.nanoseconds)
            var limit = timespec(
                tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
            let number = unsafe sigtimedwait(&set, nil, &limit)
            return number > 0 ? number : nil
        }
    #else
        init() {}

        mutating func wait(for time: Duration) -> Int32? {
            usleep(UInt32(clamping: time.nanoseconds / 1000))
            return nil
        }
    #endif
}
