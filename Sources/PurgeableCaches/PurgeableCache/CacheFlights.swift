internal import JetsamSystem
internal import Synchronization

/// The loads that are under way: one a key, and who waits for it.
final class CacheFlights<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct State {
        var flights: [Key: CacheFlight<Value>] = [:]

        /// Removes a flight together with the key that it was put in with, which may be the last reference to what is in it: whoever
        /// takes it out lets go of both after the lock.
        mutating func remove(_ key: Key) -> (key: Key, value: CacheFlight<Value>)? {
            flights.index(forKey: key).map { flights.remove(at: $0) }
        }
    }

    private let state = Lock(State())
    // So that insertions and removals look for a load only while there is one.
    private let count = Atomic<Int>(0)
    /// The number of loads that have put their value in.
    private let kept = Atomic<Int>(0)

    /// The flight for a key that one may join, and whether it was made just now.
    func flight(for key: Key) -> (flight: CacheFlight<Value>, isNew: Bool) {
        let (flight, isNew, old) = state.withLock {
            state -> (CacheFlight<Value>, Bool, (key: Key, value: CacheFlight<Value>)?) in
            if let flight = state.flights[key], flight.join() { return (flight, false, nil) }
            let old = state.remove(key)
            let flight = CacheFlight<Value>()
            state.flights[key] = flight
            if old == nil { count.add(1, ordering: .sequentiallyConsistent) }
            return (flight, true, old)
        }
        withExtendedLifetime(old) {}
        return (flight, isNew)
    }

    /// Takes a flight out, and calls the body where nobody forgot it: while that runs nobody can.
    func end(_ key: Key, _ flight: CacheFlight<Value>, _ body: (() -> Void)? = nil) {
        let old = state.withLock { state -> (key: Key, value: CacheFlight<Value>)? in
            guard state.flights[key] === flight else { return nil }
            if let body {
                body()
                kept.wrappingAdd(1, ordering: .sequentiallyConsistent)
            }
            count.subtract(1, ordering: .sequentiallyConsistent)
            return state.remove(key)
        }
        withExtendedLifetime(old) {}
    }

    /// Forgets the load of a key, whose value is out of date. Returns the number of loads that had put their value in before.
    @discardableResult
    func forget(_ key: Key) -> Int {
        guard count.load(ordering: .sequentiallyConsistent) > 0 else {
            return kept.load(ordering: .sequentiallyConsistent)
        }
        let old = state.withLock { state -> (key: Key, value: CacheFlight<Value>)? in
            guard let old = state.remove(key) else { return nil }
            count.subtract(1, ordering: .sequentiallyConsistent)
            return old
        }
        withExtendedLifetime(old) {}
        return kept.load(ordering: .sequentiallyConsistent)
    }

    @discardableResult
    func forgetAll() -> Int {
        let old = state.withLock { state -> [Key: CacheFlight<Value>] in
            let old = state.flights
            state.flights = [:]
            count.subtract(old.count, ordering: .sequentiallyConsistent)
            return old
        }
        withExtendedLifetime(old) {}
        return kept.load(ordering: .sequentiallyConsistent)
    }

    var isEmpty: Bool { state.withLock { $0.flights.isEmpty } }

    /// Indicates whether somebody holds the lock at this moment: it may be the calling thread.
    var isLocked: Bool { state.withLockIfAvailable { _ in true } == nil }

    /// Returns the number of tasks that wait for a key's load.
    func waiting(for key: Key) -> Int {
        state.withLock { $0.flights[key] }?.waiting ?? 0
    }
}
