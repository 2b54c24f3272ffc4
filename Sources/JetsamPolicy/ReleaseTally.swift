internal import MemoryPressure

/// Feeds a ``ReleaseAccount`` with what a manager sees, or a trace tells: the readings that were judged, and the beginnings and ends of
/// releases between them.
///
/// Only readings that were judged count, as a trace has no others: so that who reads it counts the same.
package struct ReleaseTally: Equatable, Sendable {
    package private(set) var account = ReleaseAccount()
    private var last: ReleaseAccount.Sample?
    /// Caches are being asked. The allocator may still have the bytes that they freed, so these are neither theirs nor free.
    private var isReleasing = false
    /// The bytes that came back since the last look, and the look before that began.
    private var pending: (bytes: Int, before: ReleaseAccount.Sample?)?

    package init() {}

    package static func == (lhs: ReleaseTally, rhs: ReleaseTally) -> Bool {
        lhs.account == rhs.account && lhs.last == rhs.last && lhs.isReleasing == rhs.isReleasing
            && lhs.pending?.bytes == rhs.pending?.bytes && lhs.pending?.before == rhs.pending?.before
    }

    /// Returns the bytes of a step that came back: no more than caches promised, and of that only what either the allocator or
    /// the kernel saw go.
    package static func cameBack(promisedBytes: Int, freedBytes: Int?, returnedBytes: Int) -> Int {
        max(0, min(promisedBytes, max(freedBytes ?? 0, returnedBytes)))
    }

    package var total: ReleaseAccount.Figures { account.total }

    /// Caches begin to be asked.
    package mutating func begin() {
        isReleasing = true
    }

    /// They have given so many bytes. The next look shows the rest.
    package mutating func end(releasedBytes bytes: Int) {
        isReleasing = false
        add(releasedBytes: bytes)
    }

    /// A cache has given so many bytes after the step that asked for them had ended.
    package mutating func add(releasedBytes bytes: Int) {
        guard bytes > 0 else { return }
        pending = ((pending?.bytes ?? 0).addingSaturating(bytes), pending?.before ?? last)
    }

    /// Nobody is being asked any more, and what came of it is not known.
    package mutating func abandon() {
        isReleasing = false
    }

    /// Takes a reading that was judged.
    ///
    /// - Returns: The episode that it shows to be over, where it does.
    @discardableResult
    package mutating func look(at sample: ReleaseAccount.Sample) -> ReleaseAccount.Figures? {
        guard !isReleasing else { return nil }
        defer { last = sample }
        guard let (bytes, before) = pending else { return account.look(at: sample) }
        pending = nil
        return account.add(releasedBytes: bytes, before: before ?? sample, after: sample)
    }

    /// Ends the episode that is under way, at the end of what there is to see.
    package mutating func finish() -> ReleaseAccount.Figures? {
        account.end()
    }
}
