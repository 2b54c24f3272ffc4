internal import Synchronization

/// A running total of bytes that were fetched again after a release: of one cache, or of all caches of a registry.
package final class RefetchedBytes: Sendable {
    /// The time after a release in which fetching an entry again is counted against that release.
    package static let window = Duration.seconds(10)

    private let bytes = Atomic<Int>(0)
    /// The total that adds up several of them.
    private let sum: RefetchedBytes?

    package init(sum: RefetchedBytes? = nil) {
        self.sum = sum
    }

    package var total: Int { bytes.load(ordering: .relaxed) }

    package func add(_ more: Int) {
        bytes.wrappingAdd(more, ordering: .relaxed)
        sum?.add(more)
    }
}
