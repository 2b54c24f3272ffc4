#if NIO || Hummingbird
    public import CoreMetrics
    public import Jetsam
    internal import Logging
    public import NIOCore

    /// Keeps the connections of SwiftNIO servers within the memory that there is.
    ///
    /// It accepts fewer connections at `warning` and `critical`; the others wait in the kernel's queue. It stops to read where more
    /// bytes are held for clients than there is room for. At `critical` it closes those that were idle for longest.
    ///
    /// ```swift
    /// let gate = ConnectionGate(manager, maximumConnections: 1000)
    /// let server = NIOService(gate) {
    ///     try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
    ///         .protected(by: gate)
    ///         .childChannelInitializer { $0.pipeline.addHandler(Answering()) }
    ///         .bind(host: "0.0.0.0", port: 8080).get()
    /// }
    /// ```
    ///
    /// One gate may serve several server channels on any event loops; they share its bounds.
    public final class ConnectionGate: Sendable {
        struct State {
            var accepting = AcceptQueue()
            var bytes: BufferedBytes
            var allowance: ReceiveAllowance
            var closed: [ClosingReason: Int] = [:]
            /// The server channels that have a service of their own.
            var adopted: Set<ObjectIdentifier> = []
            var waitingForEnd: [(server: ObjectIdentifier, resume: CheckedContinuation<Void, Never>)] = []

            /// Whether the service of one server channel has to end another.
            func belongs(_ other: ObjectIdentifier, to server: ObjectIdentifier) -> Bool {
                other == server || !adopted.contains(other)
            }

            /// Whether a connection is open that the service of a server channel has to end.
            func isServing(_ server: ObjectIdentifier) -> Bool {
                accepting.connections.values.contains { belongs($0.server, to: server) }
            }
        }

        let settings: Settings
        let manager: ResourceManager
        let farewell: (@Sendable (ClosingReason) -> ByteBuffer?)?
        let bounds: ConnectionBounds
        let metrics: GateMetrics
        let state: Lock<State>
        private let listening = Lock<Task<Void, Never>?>(nil)

        /// A gate that asks this manager.
        ///
        /// - Parameters:
        ///   - manager: Whose level and life cycle decide. It is kept.
        ///   - maximumConnections: The most open connections at `normal`. At least 1; held to that, with a warning in the log, as is every
        ///     setting that is out of its range.
        ///   - settings: The other bounds.
        ///   - metricsFactory: Gets `jetsam_connections` and `jetsam_connections_closed_total`; nil for the process's own.
        ///   - farewell: Bytes that a connection is sent before it is closed, such as a short HTTP answer with status 503; nil for none.
        ///     They go to the client as they are: leave it out where the server uses TLS. Called on the connection's event loop; it must
        ///     not block. Nothing is sent into the middle of another answer.
        public init(
            _ manager: ResourceManager, maximumConnections: Int, settings: Settings = Settings(),
            metricsFactory: (any MetricsFactory)? = nil,
            farewell: (@Sendable (ClosingReason) -> ByteBuffer?)? = nil
        ) {
            self.manager = manager
            self.settings = settings.bounded
            self.farewell = farewell
            bounds = ConnectionBounds(
                atNormal: maximumConnections, atWarning: settings.connectionsAtWarning,
                atCritical: settings.connectionsAtCritical)
            metrics = GateMetrics(factory: metricsFactory ?? MetricsSystem.factory)
            for change in settings.changes(maximumConnections: maximumConnections) {
                manager.logger.warning("A connection gate was given a value that cannot be: \(change)")
            }
            let allowance = ReceiveAllowance(bytes: settings.bufferedBytes)
            state = Lock(
                State(
                    bytes: BufferedBytes(budget: allowance.bytes, grant: self.settings.connectionBytes),
                    allowance: allowance))
            let task = manager.observeLevel { [weak self] _ in self?.follow() }
            listening.withLock { $0 = task }
            follow()
        }

        deinit {
            listening.withLock { $0?.cancel() }
        }

        /// The counts now. Takes a lock for a moment.
        public var statistics: Statistics {
            state.withLock { state in
                Statistics(
                    openConnections: state.accepting.connections.count,
                    acceptedConnections: state.accepting.acceptedConnections,
                    waitingServers: state.accepting.waitingServers,
                    waitingConnections: state.bytes.waitingConnections,
                    receivedBytes: state.bytes.received, unwrittenBytes: state.bytes.unwritten,
                    bufferedBytesLimit: state.bytes.budget, closedConnections: state.closed)
            }
        }

        /// Puts the gate into a server channel, and so into each connection that the channel accepts.
        ///
        /// Call it in the server channel's initializer. `ServerBootstrap.protected(by:)` does so.
        /// - Parameter server: The channel that will listen.
        /// - Returns: What becomes of it, on the channel's event loop.
        public func protect(_ server: any Channel) -> EventLoopFuture<Void> {
            let add: @Sendable () throws -> Void = {
                try server.pipeline.syncOperations.addHandler(AcceptHandler(gate: self), position: .first)
            }
            // At once where that is possible: the handlers that the bootstrap adds come after it.
            if server.eventLoop.inEventLoop { return server.eventLoop.makeCompletedFuture(withResultOf: add) }
            return server.eventLoop.submit(add)
        }

        private func follow() {
            let level = manager.admissionLevel
            setBudget { $0.level = level }
            for review in state.withLock({ $0.accepting.reviews }) { review() }
        }

        /// Takes the default budget from the container's limit, as soon as the manager has read it.
        func learnLimit() {
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

        func wakeAll(_ change: @Sendable (inout BufferedBytes) -> [BufferedBytes.Wake]) {
            for wake in state.withLock({ change(&$0.bytes) }) { wake() }
        }
    }
#endif
