internal import MemoryPressure

/// Keeps the caches of an idle process from refilling: their limits are what they hold, until the process is active again.
///
/// The caches of scenes are the scenes' affair.
final class IdleCaches: Sendable {
    private struct State {
        var isIdle = false
        /// The limits that they had, in bytes, by client.
        var before: [UInt64: Int?] = [:]
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
            let isWanted = state.withLock { state in
                if state.isIdle { state.before[client.id] = client.limitBytes }
                return state.isIdle
            }
            guard isWanted else { return }
            client.isHeldDown = true
            await caches.limit(client, min(client.limitBytes ?? .max, client.reportedBytes))
        }
    }

    /// Gives the limits back.
    func lift() async {
        await turn.acquire()
        defer { turn.release() }
        let before = state.withLock { state in
            defer { state.before = [:] }
            return state.before
        }
        for client in caches.registry.clients {
            guard let limit = before[client.id] else { continue }
            client.isHeldDown = false
            await caches.limit(client, limit)
        }
    }
}
