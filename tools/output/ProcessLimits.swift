internal import SystemPackage

#if canImport(Glibc)
    @unsafe @preconcurrency internal import Glibc
#elseif canImport(Musl)
    @unsafe @preconcurrency internal import Musl
#elseif canImport(Darwin)
    @unsafe @preconcurrency internal import Darwin
#endif

/// The limits of its process without which a command cannot work.
///
/// With too few descriptors or no further thread Dispatch does not fail: it traps, or waits for ever.
package enum ProcessLimits {
    /// The exit code where the system lets a command do too little.
    private static let cannotWork: Int32 = 71
    /// Dispatch has three descriptors of its own, and a command a few at a time.
    private static let descriptors = 8

    /// Ends the command where the process may open no more files, or start no thread. To be called once the standard descriptors are open.
    package static func check() {
        if let error = openFiles() {
            fail(
                "\(descriptors) more files cannot be open at once: \(error); 'ulimit -n' says how many this process may open"
            )
        }
        if let error = startThread() {
            fail(
                "no thread can be started: \(error); 'ulimit -u', 'ulimit -v' and the cgroup's pids.max say how many this process may have"
            )
        }
    }

    private static func openFiles() -> Errno? {
        var opened: [Int32] = []
        defer { for descriptor in opened { close(descriptor) } }
        for _ in 0..<descriptors {
            let descriptor = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return Errno(rawValue: errno) }
            opened.append(descriptor)
        }
        return nil
    }

    private static func startThread() -> Errno? {
        #if canImport(Darwin)
            var thread: pthread_t?
            let result = unsafe pthread_create(&thread, nil, { _ in nil }, nil)
            if let thread { pthread_join(thread, nil) }
        #else
            var thread = pthread_t()
            let result = unsafe pthread_create(&thread, nil, { _ in nil }, nil)
            if result == 0 { pthread_join(thread, nil) }
        #endif
        return result == 0 ? nil : Errno(rawValue: result)
    }

    private static func fail(_ text: String) -> Never {
        StandardError.write("error: \(text)")
        exit(cannotWork)
    }
}
