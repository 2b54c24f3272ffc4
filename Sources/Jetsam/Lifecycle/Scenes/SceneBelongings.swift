internal import MemoryPressure

/// The caches and background tasks that belong to one scene.
final class SceneBelongings: Sendable {
    private let identifier: SceneIdentifier
    private let parts: SceneParts
    private let calls: SceneCalls
    private let handlers = SerialCalls()
    /// The limits that the caches had before they were cut, by client.
    private let limits = Lock<[UInt64: LoweredLimit]>([:])

    init(_ identifier: SceneIdentifier, parts: SceneParts, calls: SceneCalls) {
        self.identifier = identifier
        self.parts = parts
        self.calls = calls
    }

    /// The bytes that the caches report.
    var reportedBytes: Int { parts.caches.reportedBytes(of: identifier) }

    /// Has the caches give a part and grow no further, and empties those that are sensitive.
    ///
    /// - Parameters:
    ///   - sensitiveOnly: True where the others keep what they have.
    ///   - token: Marks the calls of the caches' handlers.
    func cutCaches(sensitiveOnly: Bool, by deadline: MonotonicInstant, _ token: CallbackToken) async {
        await callHandlers(by: deadline, token) { [self, percent = parts.configuration.backgroundCachePercent] left in
            let before = await parts.caches.cut(
                identifier, percent: percent, deadline: left, sensitiveOnly: sensitiveOnly)
            limits.withLock { $0 = before }
        }
    }

    /// Gives the caches their limits back.
    func restoreLimits(by deadline: MonotonicInstant, _ token: CallbackToken) async {
        await callHandlers(by: deadline, token) { [self] _ in
            await parts.caches.restoreLimits(identifier, limits.withLock { $0 })
        }
    }

    /// Empties the caches.
    func emptyCaches(by deadline: MonotonicInstant, _ token: CallbackToken) async {
        await callHandlers(by: deadline, token) { [self] left in
            let before = await parts.caches.empty(identifier, limits.withLock { $0 }, deadline: left)
            limits.withLock { $0 = before }
        }
    }

    /// Expires the background tasks.
    func expireTasks() {
        parts.tasks.expireAll(of: identifier)
    }

    /// Ends the registrations of caches, and the background tasks.
    func end() {
        parts.tasks.endAll(of: identifier)
        parts.caches.end(identifier)
    }

    private func callHandlers(
        by deadline: MonotonicInstant, _ token: CallbackToken,
        _ body: @escaping @Sendable (_ left: Duration) async -> Void
    ) async {
        guard !parts.caches.registry.clients(of: identifier).isEmpty else { return }
        let left = max(.zero, parts.now.duration(to: deadline))
        let outcome = await handlers.call(by: deadline, parts.deadlines) { await token.run { await body(left) } }
        if case .late = outcome {
            parts.caches.thread.giveUpBusyThread()
            calls.noteLate(.cacheHandlers)
        }
    }
}
