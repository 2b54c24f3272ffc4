internal import MemoryPressure

/// Calls the handlers of caches, under no lock.
struct HandlerCalls: Sendable {
    private let registry: CacheRegistry
    private let channel: ReclaimChannel
    private let clock: any MonotonicClock
    private let allocator: any MemoryAllocator
    private let answers: CallAnswers

    init(
        registry: CacheRegistry, channel: ReclaimChannel, clock: any MonotonicClock, allocator: any MemoryAllocator,
        answers: CallAnswers
    ) {
        self.registry = registry
        self.channel = channel
        self.clock = clock
        self.allocator = allocator
        self.answers = answers
    }

    /// Sets a limit, or lifts it, on this thread.
    ///
    /// - Parameter client: Nil where it is not at hand any more.
    func setLimit(_ id: ReclaimRun.CallID, _ clientID: UInt64, _ client: CacheClient?, _ bytes: Int?) {
        call(id, clientID, client, asked: 0) { client in
            client.limitBytes = bytes
            guard case .synchronous(let limit, _) = client.handlers else { return 0 }
            try limit(bytes)
            return 0
        }
    }

    /// Asks for bytes on this thread.
    ///
    /// - Parameter isUnreliable: What it promises counts only as far as headroom shows it.
    func release(
        _ id: ReclaimRun.CallID, _ clientID: UInt64, _ client: CacheClient?, _ request: ReleaseRequest,
        isUnreliable: Bool
    ) {
        call(id, clientID, client, asked: request.bytes, measures: isUnreliable) { client in
            guard case .synchronous(_, let release) = client.handlers else { return 0 }
            return try release(request)
        }
    }

    private func call(
        _ id: ReclaimRun.CallID, _ clientID: UInt64, _ client: CacheClient?, asked: Int, measures: Bool = false,
        _ body: (CacheClient) throws -> Int
    ) {
        guard let client, client.beginCall() else { return cannotCall(id, clientID) }
        var answer = CallAnswer(id: id, client: clientID, askedBytes: asked, start: clock.now)
        let headroom = measures ? answers.headroomBytes : 0
        let before = allocator.bytesFreedByThread()
        channel.handlers.willCall()
        do {
            answer.promisedBytes = try body(client)
        } catch {
            answer.error = CallAnswers.describe(error)
        }
        channel.handlers.didCall()
        let after = allocator.bytesFreedByThread()
        registry.refresh(client)
        client.endCall()
        if measures { answer.gainedBytes = max(0, answers.headroomBytes - headroom) }
        if client.traits.contains(.unmapping) {
            // What went straight to the kernel passed no allocator.
            answer.freedBytes = answer.promisedBytes
        } else if let before, let after {
            answer.freedBytes = Int(clamping: after &- before)
        }
        answers.take(answer)
    }

    /// The cache is gone, or a call of it has not come back.
    private func cannotCall(_ id: ReclaimRun.CallID, _ clientID: UInt64) {
        answers.take(CallAnswer(id: id, client: clientID, askedBytes: 0, start: clock.now))
    }

    /// Starts the asynchronous handlers of a cache: its limit, then its release where it asks for bytes.
    func start(
        _ id: ReclaimRun.CallID, _ clientID: UInt64, _ client: CacheClient?, _ change: LimitChange,
        _ request: ReleaseRequest?
    ) {
        guard let client, client.beginCall() else { return cannotCall(id, clientID) }
        let start = clock.now
        Task(priority: .high) { [answers, channel] in
            var answer = CallAnswer(id: id, client: clientID, askedBytes: request?.bytes ?? 0, start: start)
            do {
                answer.promisedBytes = try await Self.ask(client, change, request)
            } catch {
                answer.error = CallAnswers.describe(error)
            }
            client.endCall()
            answers.take(answer)
            channel.wake()
        }
    }

    private static func ask(_ client: CacheClient, _ change: LimitChange, _ request: ReleaseRequest?) async throws
        -> Int
    {
        guard case .asynchronous(let limit, let release) = client.handlers else { return 0 }
        if change != .keep {
            client.limitBytes = change.bytes
            try await limit(change.bytes)
        }
        guard let request else { return 0 }
        return try await release(request)
    }
}
