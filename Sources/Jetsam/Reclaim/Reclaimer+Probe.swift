internal import MemoryPressure

/// Finding out, while memory is not short, what comes back of what a heap cache gives.
///
/// Its values can lie among others that stay: then it promises much and nothing comes of it. That is to be known before it is
/// counted on. Only caches of the library's own kind are asked: a handler of the application might empty its cache on a request
/// at `normal`.
extension Reclaimer {
    /// A little less than the mebibyte that may be given at most: a cache gives whole values.
    static let probeBytes = 7 << 17
    /// A smaller cache is no help worth knowing of.
    static let leastProbed = 16 << 20

    /// The probe that waits, if a cache is due for one; nil in a dry run, and while a trim would come too soon after the last.
    func nextProbe() -> Request? {
        let isWaiting = state.withLock { state in
            defer { state.isProbeWaiting = false }
            return state.isProbeWaiting
        }
        guard isWaiting, !isDryRun else { return nil }
        let now = clock.now
        let clients = registry.clients
        return state.withLock { state in
            guard allocator.trimsAfterEveryStep || now >= state.trim.earliest else { return nil }
            let client = clients.first { client in
                client.size != nil && client.reportedBytes >= Self.leastProbed && !client.isBusy && !client.isHeldDown
                    && !client.traits.contains(.lossy) && (state.ledger[client.id]?.isProbeDue(at: now) ?? true)
            }
            guard let client else { return nil }
            state.ledger[client.id, default: LedgerEntry()].noteProbe(at: now)
            return Request(bytes: Self.probeBytes, probed: client)
        }
    }

    /// Begins a probe's measurement anew after a trim. The bytes that a trim brought before anybody was asked are no part of a
    /// probe.
    func beginProbeAnew() {
        guard state.withLock({ $0.requestUnderWay?.probed != nil }) else { return }
        let before = host.measure()
        let managed = registry.reportedBytes
        state.withLock { state in
            guard state.requestUnderWay?.probed != nil else { return }
            state.before = before
            state.managedBefore = managed
        }
    }
}
