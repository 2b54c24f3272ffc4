package import CLinuxShims

/// The project's one lock: a value behind a three-state futex, reachable only while the lock is held.
///
/// It has no priority inheritance, does not recurse, and is visible to Thread Sanitizer. `Synchronization.Mutex` is
/// not used because on Linux it is a priority-inheritance futex, which Thread Sanitizer misreads when contended and
/// which falls into convoys where threads outnumber cores. Code of the library's user is never called under it.
@safe package final class Lock<State>: Sendable {
    @usableFromInline package nonisolated(unsafe) let word: UnsafeMutablePointer<jetsam_lock_word>
    @usableFromInline package nonisolated(unsafe) let state: UnsafeMutablePointer<State>

    package init(_ initial: sending State) {
        unsafe word = .allocate(capacity: 1)
        unsafe word.initialize(to: jetsam_lock_word())
        unsafe state = .allocate(capacity: 1)
        unsafe state.initialize(to: initial)
    }

    deinit {
        unsafe state.deinitialize(count: 1)
        unsafe state.deallocate()
        unsafe word.deallocate()
    }

    @inlinable
    package func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        unsafe jetsam_lock(word)
        defer { unsafe jetsam_unlock(word) }
        return try unsafe body(&state.pointee)
    }

    /// Gives nil, and does not wait, where somebody holds the lock.
    @inlinable
    package func withLockIfAvailable<Result, Failure: Error>(
        _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result? {
        guard unsafe jetsam_try_lock(word) else { return nil }
        defer { unsafe jetsam_unlock(word) }
        return try unsafe body(&state.pointee)
    }
}
