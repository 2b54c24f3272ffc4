internal import MemoryPressure

/// A limit of a cache that was lowered for a while, and is given back.
struct LoweredLimit {
    /// The limit before, in bytes; nil where there was none.
    var before: Int?
    /// The limit that it was lowered to, in bytes.
    var lowered: Int

    /// Returns whether that limit, which the cache has now, is a lower one than it was lowered to here.
    func wasLowered(to limitBytes: Int?) -> Bool { limitBytes.map { $0 < lowered } ?? false }
}

/// The caches that belong to scenes: their handlers, called for a scene's changes.
struct SceneCaches: Sendable {
    let registry: CacheRegistry
    /// Handlers are ordinary functions that may block.
    let thread: WorkThread

    init(registry: CacheRegistry, threads: any ThreadSource = SystemThreads()) {
        self.registry = registry
        thread = WorkThread("jetsam-scenes", threads: threads)
    }

    func reportedBytes(of scene: SceneIdentifier) -> Int {
        registry.clients(of: scene).reduce(0) { $0.addingSaturating($1.reportedBytes) }
    }

    /// Leaves the caches so many percent of what they hold and lets them grow no further; empties the sensitive ones. Gives the
    /// limits that they had, by client.
    ///
    /// - Parameter sensitiveOnly: True where the others keep what they have: a process that drains needs it to finish.
    func cut(
        _ scene: SceneIdentifier, percent: Int, deadline: Duration, sensitiveOnly: Bool = false
    ) async -> [UInt64: LoweredLimit] {
        var limits: [UInt64: LoweredLimit] = [:]
        for client in registry.clients(of: scene) where !sensitiveOnly || client.traits.contains(.sensitive) {
            let bytes = client.reportedBytes
            let share = client.traits.contains(.sensitive) ? 0 : bytes / 100 * percent + bytes % 100 * percent / 100
            limits[client.id] = await lower(client, to: share)
            await release(client, bytes: client.reportedBytes - share, deadline)
        }
        return limits
    }

    func restoreLimits(_ scene: SceneIdentifier, _ limits: [UInt64: LoweredLimit]) async {
        for client in registry.clients(of: scene) where client.isHeldDown { await restore(client, limits[client.id]) }
    }

    /// Keeps the cache from growing until its limit is given back.
    func lower(_ client: CacheClient, to bytes: Int) async -> LoweredLimit {
        let before = client.limitBytes
        let lowered = min(before ?? .max, bytes)
        client.isHeldDown = true
        await limit(client, lowered)
        return LoweredLimit(before: before, lowered: lowered)
    }

    /// Gives the limit back. One that reclaim has lowered further meanwhile stays, and rises with the others.
    func restore(_ client: CacheClient, _ limit: LoweredLimit?) async {
        client.isHeldDown = false
        if let limit, limit.wasLowered(to: client.limitBytes) { return }
        await self.limit(client, limit?.before)
    }

    /// Takes all that they hold. Gives the limits that they had before it, or before they were cut.
    func empty(
        _ scene: SceneIdentifier, _ limits: [UInt64: LoweredLimit], deadline: Duration
    ) async -> [UInt64: LoweredLimit] {
        var limits = limits
        for client in registry.clients(of: scene) {
            var emptied = await lower(client, to: 0)
            if let cut = limits[client.id], !cut.wasLowered(to: emptied.before) { emptied.before = cut.before }
            limits[client.id] = emptied
            await release(client, bytes: client.reportedBytes, deadline)
        }
        return limits
    }

    func end(_ scene: SceneIdentifier) {
        for client in registry.clients(of: scene) { registry.remove(client) }
    }

    func limit(_ client: CacheClient, _ bytes: Int?) async {
        await call(client) { client in
            client.limitBytes = bytes
            switch client.handlers {
            case .synchronous(let limit, _): try await onThread { try limit(bytes) }
            case .asynchronous(let limit, _): try await limit(bytes)
            }
        }
    }

    private func release(_ client: CacheClient, bytes: Int, _ deadline: Duration) async {
        guard bytes > 0 else { return }
        let request = ReleaseRequest(bytes: bytes, level: .normal, deadline: deadline)
        await call(client) { client in
            switch client.handlers {
            case .synchronous(_, let release): _ = try await onThread { try release(request) }
            case .asynchronous(_, let release): _ = try await release(request)
            }
            registry.refresh(client)
        }
    }

    /// Waits until reclaim is done with the cache: no handler is called twice at once.
    private func call(_ client: CacheClient, _ body: (CacheClient) async throws -> Void) async {
        while !client.beginCall() {
            guard !client.hasEnded, !Task.isCancelled else { return }
            await client.waitUntilFree()
        }
        defer { client.endCall() }
        // What a handler throws is its own affair here: what it did not give is not counted as given.
        try? await body(client)
    }

    private func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            thread.add { continuation.resume(with: Swift.Result(catching: body)) }
        }
    }
}
