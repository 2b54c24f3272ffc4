extension PurgeableCache {
    /// Returns the value for a key. Where there is none, it is loaded and put in.
    ///
    /// If several callers ask for a key at the same time, the first begins the load, and all wait for it. An error that it
    /// throws reaches all of them. Nothing is kept of a load that threw. Where a waiting caller is cancelled,
    /// `CancellationError` is thrown to that caller alone. The load itself is cancelled when no caller waits for it any more. A
    /// load whose key is put in, taken out or emptied in the meantime is out of date: its value is given to those who wait for
    /// it but not kept.
    ///
    /// - Parameters:
    ///   - key: The value's key.
    ///   - expiresAfter: As for ``insert(_:for:cost:expiresAfter:)``, counted from the end of the load.
    ///   - cost: The size of a value, in bytes; 0 by default. Called once a load, after it, outside all locks.
    ///   - load: Makes the value. It runs in a task of its own with the priority and task-local values of the one that asked first,
    ///     on no actor.
    public func value(
        for key: Key, expiresAfter: Duration? = nil, cost: @escaping @Sendable (Value) -> Int = { _ in 0 },
        load: @escaping @Sendable (Key) async throws -> Value
    ) async throws -> Value {
        if let value = value(for: key) { return value }
        try Task.checkCancellation()
        let (flight, isNew) = flights.flight(for: key)
        if isNew {
            flight.begin(
                Task { @concurrent [self] in
                    await run(flight, key, expiresAfter, cost, load)
                })
        }
        return try await flight.value()
    }

    private func run(
        _ flight: CacheFlight<Value>, _ key: Key, _ expiresAfter: Duration?, _ cost: (Value) -> Int,
        _ load: (Key) async throws -> Value
    ) async {
        let result: Result<Value, any Error>
        do {
            // Another load may have ended between this one's lookup and its beginning.
            if let value = table.peek(key) {
                result = .success(value)
                flights.end(key, flight)
            } else {
                table.budget.countLoad()
                let value = try await load(key)
                let bytes = cost(value)
                let expiry = expiry(after: expiresAfter)
                var remains = CacheRemains<Key, Value>()
                flights.end(key, flight) { [table] in table.put(value, for: key, cost: bytes, expiry: expiry, &remains)
                }
                withExtendedLifetime(remains) {}
                report()
                result = .success(value)
            }
        } catch {
            flights.end(key, flight)
            result = .failure(error)
        }
        flight.end(result)
    }
}
