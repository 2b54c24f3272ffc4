package import SystemPackage

#if canImport(Glibc)
    @unsafe @preconcurrency internal import Glibc
#elseif canImport(Musl)
    @unsafe @preconcurrency internal import Musl
#elseif canImport(Darwin)
    @unsafe @preconcurrency internal import Darwin
#endif

/// The standard descriptors of a command.
package enum StandardStreams {
    /// The exit code where a result could not be written.
    private static let cannotWrite: Int32 = 73

    /// Sees to it that a result that cannot be written is an error and not lost. To be called first.
    ///
    /// A standard descriptor that is closed is opened, and writing to it still fails. Otherwise the next file that the command opens
    /// would be its standard output. At the end all that was printed is written; where that fails the command ends with 73.
    package static func guardOutput() {
        for descriptor: Int32 in 0...2 where fcntl(descriptor, F_GETFD) == -1 {
            // The lowest number that is free is taken: this one.
            _ = unsafe open("/dev/null", O_RDONLY)
        }
        atexit {
            let hasFailed = unsafe ferror(stdout) != 0
            guard unsafe fflush(stdout) != 0 || hasFailed else { return }
            StandardStreams.sayLost(Errno(rawValue: errno))
            _exit(StandardStreams.cannotWrite)
        }
    }

    /// Ends the command as the standard output cannot be written.
    package static func fail(_ error: Errno) -> Never {
        sayLost(error)
        exit(cannotWrite)
    }

    private static func sayLost(_ error: Errno) {
        StandardError.write("standard output: error: cannot be written: \(error)")
    }
}
