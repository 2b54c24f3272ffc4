internal import MemoryPressure

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
    /// limits that they had.
    ///
    /// - Parameter sensitiveOnly: True where the others keep what they have: a process that drains needs it to finish.
    func cut(
        _ scene: SceneIdentifier, percent: Int, deadline: Duration, sensitiveOnly: Bool = false
    ) async -> [UInt64: Int?] {
        var before: [UInt64: Int?] = [:]
        for client in registry.clients(of: scene) where !sensitiveOnly || client.traits.contains(.sensitive) {
            before[client.id] = client.limitBytes
            let bytes = client.reportedBytes
            let share = client.traits.contains(.sensitive) ? 0 : bytes / 100 * percent + bytes % 100 * percent / 100
            client.isHeldDown = true
            await limit(client, min(client.limitBytes ?? .max, share))
            await release(client, bytes: client.reportedBytes - share, deadline)
        }
        return before
    }

    func restoreLimits(_ scene: SceneIdentifier, _ before: [UInt64: Int?]) async {
        for client in registry.clients(of: scene) where client.isHeldDown {
            client.isHeldDown = false
            await limit(client, before[client.id] ?? nil)
        }
    }

    func empty(_ scene: SceneIdentifier, deadline: Duration) async {
        for client in registry.clients(of: scene) {
            client.isHeldDown = true
            await limit(client, 0)
            await release(client, bytes: client.reportedBytes, deadline)
        }
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
