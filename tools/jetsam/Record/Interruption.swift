internal import Dispatch
internal import MemoryPressure

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Waits for SIGINT and SIGTERM, so that what was recorded can be written before the command ends.
final class Interruption {
    private let semaphore = DispatchSemaphore(value: 0)
    private let sources: [any DispatchSourceSignal]
    private let flag = Lock(false)

    init() {
        sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            return DispatchSource.makeSignalSource(signal: number, queue: .global())
        }
        for source in sources {
            source.setEventHandler { [semaphore, flag] in
                flag.withLock { $0 = true }
                semaphore.signal()
            }
            source.resume()
        }
    }

    deinit {
        for source in sources { source.cancel() }
    }

    var hasCome: Bool { flag.withLock { $0 } }

    /// Returns when the time has passed, or sooner with a signal.
    func wait(_ time: Duration) {
        _ = semaphore.wait(timeout: .now() + .nanoseconds(Int(max(0, time.nanoseconds))))
    }
}
