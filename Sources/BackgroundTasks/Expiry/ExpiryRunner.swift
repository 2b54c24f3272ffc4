internal import CLinuxShims
internal import JetsamSystem

/// The batch that is being called, and who may take from it. A thread that hangs in a handler leaves the rest to its
/// successor, and finds out when it comes back.
@safe final class ExpiryRunner: Sendable {
    nonisolated(unsafe) private let word: UnsafeMutablePointer<jetsam_lock_word>
    nonisolated(unsafe) private var batch = ExpiryBatch()
    nonisolated(unsafe) private var leader = 0
    nonisolated(unsafe) private var isCalling = false
    /// The number of calls that were handed out.
    nonisolated(unsafe) private var calls = 0

    init() {
        unsafe word = .allocate(capacity: 1)
        unsafe word.initialize(to: jetsam_lock_word())
    }

    deinit {
        unsafe word.deallocate()
    }

    private func withLock<Result>(_ body: () -> Result) -> Result {
        unsafe jetsam_lock(word)
        defer { unsafe jetsam_unlock(word) }
        return body()
    }

    /// The caller takes from the batch from now on, and nobody else does.
    func becomeLeader() -> Int {
        withLock {
            unsafe leader += 1
            unsafe isCalling = false
            return unsafe leader
        }
    }

    func isLeader(_ thread: Int) -> Bool { withLock { unsafe leader == thread } }

    /// The number of the call that is under way; nil where none is.
    var call: Int? { withLock { unsafe isCalling ? calls : nil } }

    /// The caller calls code of the application's beside the batch, and is watched meanwhile; false where another thread leads.
    func beginCall(_ thread: Int) -> Bool {
        withLock {
            guard unsafe leader == thread else { return false }
            unsafe isCalling = true
            unsafe calls += 1
            return true
        }
    }

    /// The call that ``beginCall(_:)`` has begun came back.
    func endCall(_ thread: Int) {
        withLock {
            if unsafe leader == thread { unsafe isCalling = false }
        }
    }

    /// As ``becomeLeader()``, where that call is still under way; nil where it has come back. So a leader is deposed only in
    /// the middle of a call, and finds out when that returns.
    func takeOver(from call: Int) -> Int? {
        withLock {
            guard unsafe isCalling, unsafe calls == call else { return nil }
            unsafe leader += 1
            unsafe isCalling = false
            return unsafe leader
        }
    }

    /// Fills the batch where it is empty. Nil where another thread leads; else whether there may be more.
    func fill(_ thread: Int, _ table: TaskTable) -> Bool? {
        withLock {
            guard unsafe leader == thread else { return nil }
            guard unsafe batch.isEmpty else { return true }
            return unsafe table.collect(&batch)
        }
    }

    /// The next to be called; nil where there is none, or another thread leads.
    func next(_ thread: Int) -> ExpiryBatch.Item? {
        withLock {
            guard unsafe leader == thread else { return nil }
            let item = unsafe batch.next()
            unsafe isCalling = item != nil
            if item != nil { unsafe calls += 1 }
            return item
        }
    }
}
