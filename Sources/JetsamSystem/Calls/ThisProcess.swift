#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The facts that a process can ask about itself.
package enum ThisProcess {
    /// Its number in its own pid namespace.
    package static var identifier: Int32 { getpid() }

    /// The user that it acts as, in its own user namespace.
    package static var user: UInt32 { geteuid() }

    /// An environment variable; nil where it is not set.
    package static func variable(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        return unsafe String(cString: value)
    }

    /// Ends it at once: nothing is flushed and no handler runs.
    package static func exitAtOnce(_ status: Int32) -> Never { _exit(status) }
}
