internal import CLinuxShims

/// Where a shard and its lock are, on cache lines of their own.
@safe struct ByteShardReference {
    private let word: UnsafeMutablePointer<jetsam_lock_word>
    private let shard: UnsafeMutablePointer<ByteShard>
    private static let lineBytes = 128

    init(_ value: consuming ByteShard) {
        let bytes = Self.lineBytes + MemoryLayout<ByteShard>.stride
        let memory = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: Self.lineBytes)
        unsafe word = memory.bindMemory(to: jetsam_lock_word.self, capacity: 1)
        unsafe word.initialize(to: jetsam_lock_word())
        unsafe shard = (memory + Self.lineBytes).bindMemory(to: ByteShard.self, capacity: 1)
        unsafe shard.initialize(to: value)
    }

    func destroy() {
        unsafe shard.deinitialize(count: 1)
        unsafe UnsafeMutableRawPointer(word).deallocate()
    }

    @inline(__always)
    func withLock<Result>(_ body: (inout ByteShard) -> Result) -> Result {
        unsafe jetsam_lock(word)
        defer { unsafe jetsam_unlock(word) }
        return unsafe body(&shard.pointee)
    }

    /// What the lock is for.
    var locked: UnsafeMutablePointer<ByteShard> { unsafe shard }

    /// Takes the lock; false, at once, where somebody holds it and the caller may not wait.
    func lock(waits: Bool) -> Bool {
        guard waits else { return unsafe jetsam_try_lock(word) }
        unsafe jetsam_lock(word)
        return true
    }

    func unlock() { unsafe jetsam_unlock(word) }

    /// Gives nil, and does not wait, where somebody holds the lock.
    func withLockIfAvailable<Result>(_ body: (inout ByteShard) -> Result) -> Result? {
        guard unsafe jetsam_try_lock(word) else { return nil }
        defer { unsafe jetsam_unlock(word) }
        return unsafe body(&shard.pointee)
    }
}
