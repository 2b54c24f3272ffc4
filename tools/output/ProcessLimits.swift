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

    /// Ends the command where the process may open too few files, or start no thread. To be called once the standard descriptors are open.
    package static func check() {
        if !canOpenFiles() {
            fail("\(descriptors) more files cannot be open at once: \(Errno.tooManyOpenFiles); 'ulimit -n' is too low")
        }
        if let error = startThread() {
            fail("no thread can be started: \(error); 'ulimit -u', 'ulimit -v' or the cgroup's pids.max is too low")
        }
    }

    /// Copies of a descriptor count like files, and need none that might not be there.
    private static func canOpenFiles() -> Bool {
        var opened: [Int32] = []
        defer { for descriptor in opened { close(descriptor) } }
        for _ in 0..<descriptors {
            let descriptor = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0)
            guard descriptor >= 0 else { return errno != EMFILE }
            opened.append(descriptor)
        }
        return true
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
