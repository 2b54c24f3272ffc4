import Synchronization

/// A number that any thread may count up.
package final class Counter: Sendable {
    private let count = Atomic(0)

    package init() {}

    package var value: Int { count.load(ordering: .relaxed) }

    package func increment(by amount: Int = 1) {
        count.wrappingAdd(amount, ordering: .relaxed)
    }
}
