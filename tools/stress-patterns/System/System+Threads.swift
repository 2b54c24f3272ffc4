package import SystemPackage

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

extension System {
    /// Starts a thread that ends with the process.
    package static func startThread(_ body: @escaping @Sendable () -> Void) throws(Errno) {
        final class Box: Sendable {
            let body: @Sendable () -> Void
            init(_ body: @escaping @Sendable () -> Void) { self.body = body }
        }
        let box = unsafe Unmanaged.passRetained(Box(body))
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        let result = unsafe pthread_create(
            &thread, nil,
            { context in
                #if canImport(Darwin)
                    unsafe Unmanaged<Box>.fromOpaque(context).takeRetainedValue().body()
                #else
                    unsafe Unmanaged<Box>.fromOpaque(context!).takeRetainedValue().body()
                #endif
                return nil
            }, box.toOpaque())
        guard result == 0 else {
            unsafe box.release()
            throw Errno(rawValue: result)
        }
        // Nobody joins it: what it takes goes with its end.
        #if canImport(Darwin)
            if let thread = thread { unsafe pthread_detach(thread) }
        #else
            pthread_detach(thread)
        #endif
    }

    /// Holds back for this thread what asks the process to stop, until `body` has ended.
    static func withoutStopSignals<Result>(_ body: () throws -> Result) rethrows -> Result {
        var stopping = sigset_t()
        var earlier = sigset_t()
        unsafe sigemptyset(&stopping)
        for signal in stopSignals { unsafe sigaddset(&stopping, signal) }
        unsafe pthread_sigmask(SIG_BLOCK, &stopping, &earlier)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &earlier, nil) }
        return try body()
    }
}
