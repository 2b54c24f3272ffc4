internal import Synchronization

/// A running total of bytes that were fetched again after a release: of one cache, or of all caches of a registry.
package final class RefetchedBytes: Sendable {
    /// What is fetched again later than this after its release is not the release's fault.
    package static let window = Duration.seconds(10)

    private let bytes = Atomic<Int>(0)
    /// What adds up several of them.
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
