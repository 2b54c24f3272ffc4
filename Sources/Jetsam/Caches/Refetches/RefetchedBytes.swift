internal import Synchronization

/// A running total of bytes that were fetched again after a release: of one cache, or of all caches of a registry.
final class RefetchedBytes: Sendable {
    private let bytes = Atomic<Int>(0)
    /// What adds up several of them.
    private let sum: RefetchedBytes?

    init(sum: RefetchedBytes? = nil) {
        self.sum = sum
    }

    var total: Int { bytes.load(ordering: .relaxed) }

    func add(_ more: Int) {
        bytes.wrappingAdd(more, ordering: .relaxed)
        sum?.add(more)
    }
}
