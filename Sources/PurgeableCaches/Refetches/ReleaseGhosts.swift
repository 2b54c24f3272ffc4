internal import JetsamSystem
internal import Synchronization

/// Remembers for ten seconds what a cache gave up in releases, and counts what is put in again meanwhile.
///
/// It knows keys by 64-bit hashes only, and no more than ``GhostSamples/mostSamples`` of them at a time. Of more it keeps those
/// whose hashes have enough zeros at one end, and each of these stands for the others (spatial sampling, as in SHARDS: Waldspurger,
/// Park, Garthwaite and Ahmad, FAST 2015). Until the first release its memory is address space only.
///
/// Whoever puts something in asks ``areAlive`` first. Where nothing was given up lately, nothing else happens.
@safe @usableFromInline
final class ReleaseGhosts: Sendable {
    let refetched: RefetchedBytes
    private let alive = Atomic<Bool>(false)
    private let shift = Atomic<UInt8>(0)
    private let bucketMask = Atomic<Int>(0)
    private let samples: Lock<GhostSamples>
    /// Of the samples.
    private nonisolated(unsafe) let base: UnsafeMutableRawPointer?

    init(_ refetched: RefetchedBytes) {
        self.refetched = refetched
        let samples = GhostSamples()
        unsafe base = samples.base
        self.samples = Lock(samples)
    }

    deinit {
        samples.withLock { $0.deallocate() }
    }

    /// Indicates whether anything is remembered, or was not long ago.
    @usableFromInline var areAlive: Bool { alive.load(ordering: .relaxed) }

    /// Returns whether ``add(_:bytes:now:waits:)`` would keep an entry whose hash has this upper half.
    @usableFromInline
    func wants(_ high: UInt32) -> Bool {
        GhostSamples.isSampled(high, shift.load(ordering: .relaxed))
    }

    /// Remembers an entry that a release took out.
    ///
    /// - Parameters:
    ///   - bytes: The bytes that it took, times the number of entries that it stands for already.
    ///   - now: In nanoseconds.
    ///   - waits: True to wait for a thread that is looking something up; otherwise it is not remembered then.
    @usableFromInline
    func add(_ hash: UInt64, bytes: Int, now: Int64, waits: Bool = true) {
        let expiry = now + RefetchedBytes.window.nanoseconds
        if waits {
            samples.withLock { samples in
                samples.add(max(1, hash), bytes: bytes, now: now, expiry: expiry)
                publish(samples)
            }
        } else {
            _ = samples.withLockIfAvailable { samples in
                samples.add(max(1, hash), bytes: bytes, now: now, expiry: expiry)
                publish(samples)
            }
        }
    }

    private func publish(_ samples: borrowing GhostSamples) {
        bucketMask.store(samples.bucketMask, ordering: .relaxed)
        shift.store(samples.shift, ordering: .relaxed)
        alive.store(samples.count > 0, ordering: .relaxed)
    }

    /// Counts an entry that was put in, if it was given up no more than ten seconds ago. To be called where ``areAlive``.
    ///
    /// - Parameter now: In nanoseconds; asked for now and then.
    @usableFromInline
    func meet(_ hash: UInt64, now: @autoclosure () -> Int64) {
        // One in 256 looks at the clock: what nobody asks for again would be remembered for ever.
        if UInt8(truncatingIfNeeded: hash >> 24) == 0 { forgetExpired(now()) }
        guard wants(UInt32(truncatingIfNeeded: hash >> 32)), let base = unsafe base else { return }
        let hash = max(1, hash)
        // Without the lock: most of what is put in was not given up.
        let hashes = unsafe GhostSamples.hashes(base, hash, bucketMask.load(ordering: .relaxed))
        guard unsafe GhostSamples.index(of: hash, in: hashes) != nil else { return }
        let time = now()
        let bytes = samples.withLock { $0.remove(hash, now: time) }
        if bytes > 0 { refetched.add(bytes) }
    }

    private func forgetExpired(_ now: Int64) {
        samples.withLock { samples in
            guard samples.latestExpiry < now else { return }
            samples.removeAll()
            publish(samples)
        }
    }
}
