#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Locks of whole files (flock(2)). They end with the descriptor, however its process ends, and go beyond containers.
package enum FileLock {
    /// Waits until this descriptor has its file's lock. Where the file system has no locks it goes without.
    package static func take(_ file: CInt) {
        while flock(file, LOCK_EX) != 0, errno == EINTR {}
    }

    /// Takes the lock where nobody has it.
    ///
    /// - Returns: True where it was free; nil where the file system has no locks.
    package static func takeIfFree(_ file: CInt) -> Bool? { attempt(file, LOCK_EX | LOCK_NB) }

    /// Tells whether nobody has taken the lock; nil where the file system has no locks. Those who ask do not hinder each other.
    package static func isFree(_ file: CInt) -> Bool? { attempt(file, LOCK_SH | LOCK_NB) }

    /// Gives the lock up.
    package static func end(_ file: CInt) { flock(file, LOCK_UN) }

    private static func attempt(_ file: CInt, _ operation: CInt) -> Bool? {
        while flock(file, operation) != 0 {
            if errno == EINTR { continue }
            return errno == EWOULDBLOCK ? false : nil
        }
        return true
    }
}
