#if NIO || Hummingbird
    internal import Jetsam
    internal import Logging
    public import NIOCore
    public import ServiceLifecycle

    /// A server of SwiftNIO as a service of a group: it says when it listens, and ends its connections in order.
    ///
    /// ```swift
    /// let group = manager.serviceGroupConfiguration(needs: [database], servers: [NIOService(gate) { try await bind() }])
    /// ```
    ///
    /// When the group shuts down it takes no more connections, tells those that are open (`ChannelShouldQuiesceEvent`), and closes each
    /// when nothing is under way. Connections that never finish hold up the shutdown until the group cancels them. It does the same
    /// with other server channels of its gate that have no service: those that `bind` makes beside the one that it returns.
    public struct NIOService: Service {
        private let gate: ConnectionGate
        private let serve:
            @Sendable (_ listens: @escaping @Sendable (any Channel) async throws -> Void) async throws -> Void

        /// A server whose connections are served by the handlers in their pipelines.
        ///
        /// - Parameters:
        ///   - gate: The gate that the bootstrap is `protected(by:)`.
        ///   - bind: Makes the channel, when it listens.
        public init(_ gate: ConnectionGate, bind: @escaping @Sendable () async throws -> any Channel) {
            self.gate = gate
            serve = { listens in try await listens(bind()) }
        }

        /// A server whose connections are served by tasks.
        ///
        /// - Parameters:
        ///   - gate: The gate that the bootstrap is `protected(by:)`.
        ///   - bind: Makes the channel, when it listens.
        ///   - serve: Serves one connection, in a task of its own. What it throws ends that connection alone, and is logged.
        public init<Connection: Sendable>(
            _ gate: ConnectionGate, bind: @escaping @Sendable () async throws -> NIOAsyncChannel<Connection, Never>,
            serve: @escaping @Sendable (Connection) async throws -> Void
        ) {
            self.gate = gate
            let logger = gate.manager.logger
            self.serve = { listens in
                let server = try await bind()
                try await server.executeThenClose { connections in
                    try await withThrowingDiscardingTaskGroup { group in
                        group.addTask { try await listens(server.channel) }
                        for try await connection in connections {
                            group.addTask {
                                do { try await serve(connection) } catch {
                                    logger.debug("A connection has ended: \(error)")
                                }
                            }
                        }
                    }
                }
            }
        }

        /// Serves until the group shuts down and all connections are closed, or the task is cancelled.
        ///
        /// - Throws: What `bind` throws, such as for an address that is in use. ``NIOServiceError`` where the channel is not protected by
        ///   the gate.
        public func run() async throws {
            try await serve { [gate] channel in
                guard gate.adopt(channel) else {
                    channel.close(promise: nil)
                    throw NIOServiceError.notProtected
                }
                defer { gate.disown(channel) }
                let server = ObjectIdentifier(channel)
                gate.manager.didStartServing()
                await withTaskCancellationHandler {
                    await withGracefulShutdownHandler {
                        try? await channel.closeFuture.get()
                        await gate.waitUntilClosed(from: server)
                    } onGracefulShutdown: {
                        gate.endServers(with: channel, telling: .quiesce)
                    }
                } onCancel: {
                    gate.endServers(with: channel, telling: .close)
                }
            }
        }
    }

    /// Why a ``NIOService`` cannot run.
    public struct NIOServiceError: Error, Hashable, CustomStringConvertible {
        /// The server's channel does not have the gate in it. Something else was set as its initializer.
        public static let notProtected = NIOServiceError()

        /// One sentence without its full stop.
        public var description: String {
            "the channel that listens is not protected by the gate: call protected(by:) on its bootstrap, after any serverChannelInitializer"
        }
    }
#endif
