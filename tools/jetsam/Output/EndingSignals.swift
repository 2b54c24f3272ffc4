internal import MemoryPressure

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Holds back the signals that end a command, so that it can put in order first what it leaves: the terminal, a file.
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
