internal import MemoryPressure

/// Keeps the caches of an idle process from refilling: their limits are what they hold, until the process is active again.
///
/// The caches of scenes are the scenes' affair.
final class IdleCaches: Sendable {
    private struct State {
        var isIdle = false
        /// The limits that they had, by client.
        var limits: [UInt64: LoweredLimit] = [:]
    }

    private let state = Lock(State())
    private let turn = AsyncTurn()
    private let caches: SceneCaches

    init(registry: CacheRegistry, threads: any ThreadSource) {
        caches = SceneCaches(registry: registry, threads: threads)
    }

    /// Takes effect at once; handlers are called by `hold` and `lift`.
    func setIdle(_ isIdle: Bool) {
        state.withLock { $0.isIdle = isIdle }
    }

    /// Sets the limits, for as long as the process is idle.
    func hold() async {
        await turn.acquire()
        defer { turn.release() }
        for client in caches.registry.clients where client.scene == nil && !client.isHeldDown {
            guard state.withLock({ $0.isIdle }) else { return }
            let limit = await caches.lower(client, to: client.reportedBytes)
            state.withLock { $0.limits[client.id] = limit }
        }
    }

    /// Gives the limits back.
    func lift() async {
        await turn.acquire()
        defer { turn.release() }
        let limits = state.withLock { state in
            defer { state.limits = [:] }
            return state.limits
        }
        for client in caches.registry.clients {
            guard let limit = limits[client.id] else { continue }
            await caches.restore(client, limit)
        }
    }
}
