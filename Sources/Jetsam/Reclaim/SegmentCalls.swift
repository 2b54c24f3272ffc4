internal import MemoryPressure

/// The work of a cache that owns its memory, beside the handlers of others.
struct ReclaimBeside {
    var id: ReclaimRun.CallID
    var client: CacheClient
    var limit: LimitChange
    var request: ReleaseRequest?
}

/// Has caches give whose memory is the library's own: no code of the application's runs when they give, so they wait for nobody's.
///
/// The work that waits for the thread that is there for it is in the ``ReclaimChannel``.
struct SegmentCalls: Sendable {
    private let registry: CacheRegistry
    private let channel: ReclaimChannel
    private let clock: any MonotonicClock
    private let state: ReclaimState
    private let answers: CallAnswers

    init(
        registry: CacheRegistry, channel: ReclaimChannel, clock: any MonotonicClock, state: ReclaimState,
        answers: CallAnswers
    ) {
        self.registry = registry
        self.channel = channel
        self.clock = clock
        self.state = state
        self.answers = answers
    }

    /// Does what waits, and covers for a handler that takes too long. For the thread that is there for it.
    func giveWhatWaits() {
        while let beside = channel.popFirstBeside() {
            give(beside, mayWait: true)
            channel.wake()
        }
        coverForLateHandler()
    }

    /// Leaves the work to the thread that is there for it. Without one, this thread does it.
    ///
    /// - Parameter mayWait: False for a thread that may not be kept waiting by whoever is in the cache.
    func start(_ beside: ReclaimBeside, mayWait: Bool) {
        if !channel.post(beside) { give(beside, mayWait: mayWait) }
    }

    /// Has all of them give so many bytes without their handlers.
    func giveWithoutHandlers(_ bytes: Int) {
        // The sampler may have seen to some of it meanwhile.
        _ = registry.releaseSegmentsWithoutHandlers(bytes: bytes - registry.unbookedBytes, waits: true)
        state.bookSegments(isDone: true)
    }

    private func give(_ beside: ReclaimBeside, mayWait: Bool) {
        let client = beside.client
        guard client.beginCall() else {
            return answers.take(CallAnswer(id: beside.id, client: client.id, askedBytes: 0, start: clock.now))
        }
        var answer = CallAnswer(
            id: beside.id, client: client.id, askedBytes: beside.request?.bytes ?? 0, start: clock.now)
        do {
            answer.promisedBytes = try Self.give(beside, mayWait ? nil : registry)
        } catch {
            answer.error = CallAnswers.describe(error)
        }
        client.endCall()
        answer.freedBytes = answer.promisedBytes
        answers.take(answer)
    }

    /// - Parameter registry: The one through which it gives where nobody may be waited for.
    private static func give(_ beside: ReclaimBeside, _ registry: CacheRegistry?) throws -> Int {
        guard case .synchronous(let limit, let release) = beside.client.handlers else { return 0 }
        if beside.limit != .keep {
            beside.client.limitBytes = beside.limit.bytes
            try limit(beside.limit.bytes)
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
        state.bookSegments()
        channel.wake()
    }
}
