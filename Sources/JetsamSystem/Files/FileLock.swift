#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Locks of whole files (flock(2)). They end with the descriptor, however its process ends, and go beyond containers.
package enum FileLock {
    /// Locks the file of this descriptor, and waits for that. Where the file system has no locks it goes without.
    package static func lock(_ file: CInt) {
        while flock(file, LOCK_EX) != 0, errno == EINTR {}
    }

    /// Locks the file where nobody else has.
    ///
    /// - Returns: True where it was free; nil where the file system has no locks.
    package static func tryLock(_ file: CInt) -> Bool? { attempt(file, LOCK_EX | LOCK_NB) }

    /// Tells whether nobody has locked the file; nil where the file system has no locks. Those who ask do not hinder each other.
    package static func isFree(_ file: CInt) -> Bool? { attempt(file, LOCK_SH | LOCK_NB) }

    /// Gives the lock up.
    package static func unlock(_ file: CInt) { flock(file, LOCK_UN) }

    private static func attempt(_ file: CInt, _ operation: CInt) -> Bool? {
        while flock(file, operation) != 0 {
            if errno == EINTR { continue }
            return errno == EWOULDBLOCK ? false : nil
        }
        return true
    }
}
