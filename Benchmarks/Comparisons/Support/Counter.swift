import Synchronization

/// A number that any thread may count up.
package final class Counter: Sendable {
    private let count = Atomic(0)

    package init() {}

    package var value: Int { count.load(ordering: .relaxed) }

    /// The number as it was, and counts it up.
    package func next() -> Int {
        count.wrappingAdd(1, ordering: .relaxed).oldValue
    }

    package func increment(by amount: Int = 1) {
        count.wrappingAdd(amount, ordering: .relaxed)
    }
}
