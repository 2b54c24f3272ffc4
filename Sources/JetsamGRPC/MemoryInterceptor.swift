#if GRPC
    public import GRPCCore
    public import Jetsam
    internal import Synchronization

    /// Keeps the calls of a gRPC server within the memory that there is.
    ///
    /// As an interceptor it refuses calls by priority while memory is short or the process drains, and bounds how many are
    /// open. Where the transport's configuration is `.bounded(by:)` it too, it also bounds what clients send and services have
    /// not taken yet.
    ///
    /// ```swift
    /// let memory = MemoryInterceptor(manager: manager) { $0.method == "Export" ? .low : .normal }
    /// let server = GRPCServer(
    ///     transport: .http2NIOPosix(
    ///         address: .ipv4(host: "0.0.0.0", port: 50051), transportSecurity: .plaintext, config: .bounded(by: memory)),
    ///     services: [links], interceptors: [memory])
    /// ```
    ///
    /// Apply it to all services of a server, and in front of the other interceptors: what a method takes that it does not see,
    /// it counts until the call has ended. One interceptor may serve several servers, which then share its bounds.
    public final class MemoryInterceptor: ServerInterceptor {
        /// The bounds of a server. Values out of their range are held to it.
        public struct Settings: Sendable, Equatable {
            /// The most calls that may be open at once, over all connections. 1…1,000,000. A further one is refused. Default
            /// 1,024.
            public var openCalls = 1024
            /// The most bytes of messages that clients send and services have not taken, over all calls: half of it at
            /// `warning`, a quarter at `critical`. A message counts with its whole length from its beginning. At least 64 KiB.
            /// Nil, the default, is a quarter of the container's limit.
            public var receivedBytes: Int?
            /// How long a message waits for room before its call is refused. 1 ms…1 h. Default 10 s.
            public var waitLimit = Duration.seconds(10)
            /// How long nothing may come of a message that was let in before its call is refused: it keeps room from others. 1
            /// ms…1 h. Default 30 s.
            public var stallLimit = Duration.seconds(30)
            /// The least time that a refused client is asked to wait. The most is half as long again. 1 ms…1 h. Twice as long
            /// at `critical`. Default 1 s.
            public var retryDelay = Duration.seconds(1)
            /// The most streams of one connection, as the transport tells its clients, which hold back further calls
            /// themselves. 1…1,000,000. Default 100.
            public var streamsPerConnection = 100

            /// The defaults.
            public init() {}

            var bounded: Settings {
                var settings = self
                let times = Duration.milliseconds(1)...Duration.seconds(3600)
                settings.openCalls = max(1, min(openCalls, 1_000_000))
                settings.waitLimit = max(times.lowerBound, min(waitLimit, times.upperBound))
                settings.stallLimit = max(times.lowerBound, min(stallLimit, times.upperBound))
                settings.retryDelay = max(times.lowerBound, min(retryDelay, times.upperBound))
                settings.streamsPerConnection = max(1, min(streamsPerConnection, 1_000_000))
                return settings
            }
        }

        /// Counts of an interceptor.
        public struct Statistics: Sendable, Equatable {
            /// Calls that services have now.
            public var openCalls = 0
            /// Calls of which a message waits for room now.
            public var waitingCalls = 0
            /// Bytes of messages that were let in and that services have not taken.
            public var receivedBytes = 0
            /// The most bytes that may be so now.
            public var receivedBytesLimit = 0
            /// Calls that were refused since it was made.
            public var refusedCalls = 0
        }

        private struct State {
            var bytes: ReceivedBytes
            var allowance: ReceiveAllowance
            var openCalls = 0
            var refusedCalls = 0
        }

        let settings: Settings
        private let manager: ResourceManager
        private let priority: @Sendable (MethodDescriptor) -> ResourcePriority
        private let delays: RetryDelays
        private let state: Lock<State>
        private let listening = Lock<Task<Void, Never>?>(nil)

        /// The name under which the transport's part tells the interceptor which call it has. Clients' values are removed.
        static let callKey = "jetsam-call"

        /// An interceptor that asks this manager.
        ///
        /// - Parameters:
        ///   - manager: The manager whose level and background tasks decide. It is kept.
        ///   - settings: The bounds.
        ///   - priority: The priority of a method: calls below `normal` are refused at `warning` and while the process drains,
        ///     those below `high` at `critical`, as background tasks are. Waiting messages of the highest priority go first.
        ///     Called for each call, on an event loop and on the call's executor: it must not block.
        public init(
            manager: ResourceManager, settings: Settings = Settings(),
            priority: @escaping @Sendable (MethodDescriptor) -> ResourcePriority = { _ in .normal }
        ) {
            self.settings = settings.bounded
            self.manager = manager
            self.priority = priority
            delays = RetryDelays(base: self.settings.retryDelay)
            let allowance = ReceiveAllowance(bytes: settings.receivedBytes)
            state = Lock(State(bytes: ReceivedBytes(budget: allowance.bytes), allowance: allowance))
            let task = manager.observeLevel { [weak self] change in self?.follow(change.level) }
            listening.withLock { $0 = task }
            follow(manager.level)
        }

        deinit {
            listening.withLock { $0?.cancel() }
        }

        /// The counts now. Takes a lock for a moment.
        public var statistics: Statistics {
            state.withLock { state in
                Statistics(
                    openCalls: state.openCalls, waitingCalls: state.bytes.waitingCalls, receivedBytes: state.bytes.held,
                    receivedBytesLimit: state.bytes.budget, refusedCalls: state.refusedCalls)
            }
        }

        /// Refuses a call, or has it counted for as long as it is open.
        @concurrent public func intercept<Input: Sendable, Output: Sendable>(
            request: StreamingServerRequest<Input>, context: ServerContext,
            next:
                @Sendable @concurrent (StreamingServerRequest<Input>, ServerContext) async throws ->
                StreamingServerResponse<
                    Output
                >
        ) async throws -> StreamingServerResponse<Output> {
            let open = try admit(context.descriptor)
            var request = request
            let number = claim(request.metadata)
            request.metadata.removeAllValues(forKey: Self.callKey)
            if let number {
                request.messages = RPCAsyncSequence(
                    wrapping: CountedMessages(base: request.messages, interceptor: self, number: number))
            }
            let response = try await next(request, context)
            if let number { endMethod(number) }
            guard case .success(var contents) = response.accepted else { return response }
            let producer = contents.producer
            contents.producer = { writer in
                // Open until its last message is written. Where that is never tried the closure is dropped, and the call with
                // it.
                defer { withExtendedLifetime(open) {} }
                return try await producer(writer)
            }
            return StreamingServerResponse(accepted: .success(contents))
        }

        /// Counts a call as open until what this returns is dropped.
        private func admit(_ method: MethodDescriptor) throws(RPCError) -> OpenCall {
            if let refusal = manager.backgroundTasks.whyNot(priority: priority(method)) {
                countRefusal()
                throw error(for: refusal, method)
            }
            let limit = settings.openCalls
            let isFull = state.withLock { state in
                guard state.openCalls < limit else { return true }
                state.openCalls += 1
                return false
            }
            guard isFull else { return OpenCall(interceptor: self) }
            countRefusal()
            throw shortage("\(limit) \(limit == 1 ? "call is" : "calls are") open, and no more may be")
        }

        private func error(for refusal: BackgroundTaskRefusal, _ method: MethodDescriptor) -> RPCError {
            switch refusal.reason {
            case .pressure(let level): shortage("memory is short: \(method.method) is refused at \(level)")
            case .full: shortage("too many background tasks are held")
            // No time is named: this process does not come back.
            case .draining: RPCError(code: .unavailable, message: "the server drains: \(method.method) is refused")
            case .terminating: RPCError(code: .unavailable, message: "the server ends")
            }
        }

        private func shortage(_ message: String) -> RPCError {
            let delay = delays.next() * (state.withLock { $0.allowance.level } == .critical ? 2 : 1)
            return RPCError(
                code: .resourceExhausted, message: message,
                metadata: RetryInfo.metadata(code: .resourceExhausted, message: message, delay: delay))
        }

        func refusalAfterWaiting(bytes: Int) -> RPCError {
            let size = "\(bytes) \(bytes == 1 ? "byte" : "bytes")"
            return shortage("there was no room for a message of \(size) within \(settings.waitLimit)")
        }

        func countRefusal() { state.withLock { $0.refusedCalls += 1 } }

        fileprivate func endCall() { state.withLock { $0.openCalls -= 1 } }

        private func claim(_ metadata: Metadata) -> Int? {
            guard let number = metadata[stringValues: Self.callKey].first(where: { _ in true }).flatMap({ Int($0) })
            else { return nil }
            return state.withLock { $0.bytes.claim(number) } ? number : nil
        }

        func open(_ method: MethodDescriptor, wake: @escaping ReceivedBytes.Wake) -> Int {
            let priority = priority(method)
            learnLimit()
            return state.withLock { $0.bytes.open(priority: priority, wake: wake) }
        }

        func request(_ bytes: Int, for number: Int) -> Bool { state.withLock { $0.bytes.request(bytes, for: number) } }

        func ask(_ number: Int) { wakeAll { $0.ask(number) } }

        func take(_ number: Int) { state.withLock { $0.bytes.take(number) } }

        func endInput(_ number: Int) { state.withLock { $0.bytes.endInput(number) } }

        private func endMethod(_ number: Int) { wakeAll { $0.endMethod(number) } }

        func close(_ number: Int) { wakeAll { $0.close(number) } }

        private func follow(_ level: PressureLevel) {
            let counts = manager.status.isDryRun ? .normal : level
            setBudget { $0.level = counts }
        }

        /// Takes the default budget from the container's limit, as soon as the manager has read it.
        private func learnLimit() {
            guard state.withLock({ !$0.allowance.isKnown }) else { return }
            let reading = manager.status.reading
            guard reading.sequence > 0 else { return }
            setBudget { $0.learn(limitBytes: reading.limitBytes) }
        }

        private func setBudget(_ change: @Sendable (inout ReceiveAllowance) -> Void) {
            let woken = state.withLock { state in
                change(&state.allowance)
                return state.bytes.setBudget(state.allowance.bytes)
            }
            for wake in woken { wake() }
        }

        private func wakeAll(_ change: @Sendable (inout ReceivedBytes) -> [ReceivedBytes.Wake]) {
            for wake in state.withLock({ change(&$0.bytes) }) { wake() }
        }
    }

    /// A call that counts as open until this is dropped.
    private final class OpenCall: Sendable {
        private let interceptor: MemoryInterceptor

        init(interceptor: MemoryInterceptor) {
            self.interceptor = interceptor
        }

        deinit {
            interceptor.endCall()
        }
    }
#endif
