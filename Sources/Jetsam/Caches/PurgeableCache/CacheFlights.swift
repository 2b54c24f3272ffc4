internal import MemoryPressure
internal import Synchronization

/// The loads that are under way: one a key, and who waits for it.
final class CacheFlights<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct State {
        var flights: [Key: CacheFlight<Value>] = [:]
    }

    private let state = Lock(State())
    // So that insertions and removals look for a load only while there is one.
    private let count = Atomic<Int>(0)
    /// How many loads have put their value in.
    private let kept = Atomic<Int>(0)

    /// The flight for a key that one may join, and whether it was made just now.
    func flight(for key: Key) -> (flight: CacheFlight<Value>, isNew: Bool) {
        state.withLock { state in
            if let flight = state.flights[key], flight.join() { return (flight, false) }
            let flight = CacheFlight<Value>()
            if state.flights.updateValue(flight, forKey: key) == nil { count.add(1, ordering: .sequentiallyConsistent) }
            return (flight, true)
        }
    }

    /// Takes a flight out, and calls the body where nobody forgot it: while that runs nobody can.
    func end(_ key: Key, _ flight: CacheFlight<Value>, _ body: (() -> Void)? = nil) {
        state.withLock { state in
            guard state.flights[key] === flight else { return }
            if let body {
                body()
                kept.wrappingAdd(1, ordering: .sequentiallyConsistent)
            }
            state.flights[key] = nil
            count.subtract(1, ordering: .sequentiallyConsistent)
        }
    }

    /// What is being loaded for a key is out of date. Gives how many loads have put their value in before it was forgotten.
    @discardableResult
    func forget(_ key: Key) -> Int {
        guard count.load(ordering: .sequentiallyConsistent) > 0 else {
            return kept.load(ordering: .sequentiallyConsistent)
        }
        let old = state.withLock { state -> CacheFlight<Value>? in
            guard let flight = state.flights.removeValue(forKey: key) else { return nil }
            count.subtract(1, ordering: .sequentiallyConsistent)
            return flight
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

    /// How many wait for a key's load.
    func waiting(for key: Key) -> Int {
        state.withLock { $0.flights[key] }?.waiting ?? 0
    }
}
