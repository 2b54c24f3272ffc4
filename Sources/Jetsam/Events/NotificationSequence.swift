internal import Synchronization

/// The numbers of everything that a manager notifies of, in one sequence.
final class NotificationSequence: Sendable {
    private let newest = Atomic<UInt64>(0)

    /// The next number. Allocates nothing, and takes no lock.
    func next() -> UInt64 { newest.add(1, ordering: .relaxed).newValue }
}
