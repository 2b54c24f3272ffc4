import Synchronization

/// A dictionary behind the standard library's lock, which forgets nothing.
final class LockedDictionary: Contender {
    static let evicts = false

    private let values = Mutex<[Int: Int]>([:])

    init(capacity: Int?, keys: Int) {}

    func find(_ key: Int) -> Int? { values.withLock { $0[key] } }

    func put(_ key: Int) {
        values.withLock { $0[key] = key }
    }
}
