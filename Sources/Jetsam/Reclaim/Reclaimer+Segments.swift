internal import MemoryPressure

/// The work of a cache that owns its memory, beside the handlers of others.
struct ReclaimBeside {
    var id: ReclaimRun.CallID
    var client: CacheClient
    var limit: LimitChange
    var request: ReleaseRequest?
}

/// Caches whose memory is the library's own: no code of the application's runs when they give, so they wait for nobody's.
extension Reclaimer {
    /// Does what waits, and covers for a handler that takes too long. For the thread that is there for it.
    func giveSegments() {
        while let beside = channel.popFirstBeside() {
            give(beside, mayWait: true)
            channel.wake()
        }
        coverForLateHandler()
    }

    /// - Parameter mayWait: False for a thread that may not be kept waiting by whoever is in the cache.
    func give(_ beside: ReclaimBeside, mayWait: Bool) {
        let client = beside.client
        guard client.beginCall() else {
            return answered(beside.id, client.id, asked: 0, 0, freed: nil, error: nil, since: clock.now)
        }
        let start = clock.now
        var given = 0
        var message: String?
        do {
            given = try Self.give(beside, mayWait ? nil : registry)
        } catch {
            message = Self.describe(error)
        }
        client.endCall()
        answered(
            beside.id, client.id, asked: beside.request?.bytes ?? 0, given, freed: given, error: message, since: start)
    }

    /// - Parameter registry: The one through which it gives where nobody may be waited for.
    private static func give(_ beside: ReclaimBeside, _ registry: CacheRegistry?) throws -> Int {
        guard case .synchronous(let limit, let release) = beside.client.handlers else { return 0 }
        switch beside.limit {
        case .keep: break
        case .set(let bytes):
            beside.client.limitBytes = bytes
            try limit(bytes)
        case .lift:
            beside.client.limitBytes = nil
            try limit(nil)
        }
        guard let request = beside.request else { return 0 }
        if let registry { return registry.releaseSegments(bytes: request.bytes, of: beside.client) }
        return try release(request)
    }

    /// At critical, what a handler has not given in the time that was expected of it is given from memory of the library's own, and
    /// so is what those after it were to give: the level does not wait for any of them.
    private func coverForLateHandler() {
        guard channel.gauges.lateNanoseconds <= clock.now.nanoseconds else { return }
        let given = registry.releaseSegmentsWithoutHandlers(
            bytes: channel.gauges.urgentBytes - registry.unbookedBytes, waits: true)
        guard given > 0 else { return }
        state.withLock { state in
            bookSegments(&state, at: clock.now)
            channel.gauges.publish(state.run)
        }
        channel.wake()
    }
}
