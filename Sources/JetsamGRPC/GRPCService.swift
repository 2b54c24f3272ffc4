#if GRPC
    public import GRPCCore
    internal import GRPCNIOTransportHTTP2Posix
    public import Jetsam
    public import ServiceLifecycle

    /// A gRPC server as a service of a group: it says when it listens, and finishes its calls when the group shuts down.
    ///
    /// ```swift
    /// let group = manager.serviceGroupConfiguration(needs: [database], servers: [GRPCService(server, manager: manager)])
    /// ```
    ///
    /// Calls that never end hold up the shutdown until the group cancels them.
    public struct GRPCService<Transport: ServerTransport>: Service {
        private let server: GRPCServer<Transport>
        private let manager: ResourceManager

        /// A server that has not begun.
        ///
        /// - Parameters:
        ///   - server: The server that runs.
        ///   - manager: Whom it tells that it listens: `didStartServing()`.
        public init(_ server: GRPCServer<Transport>, manager: ResourceManager) {
            self.server = server
            self.manager = manager
        }

        /// Serves until the group shuts down and all calls have ended, or the task is cancelled.
        ///
        /// - Throws: The error of `GRPCServer.serve()`, such as for an address that is in use.
        public func run() async throws {
            try await withGracefulShutdownHandler {
                try await withThrowingTaskGroup(of: Void.self) { [server, manager] group in
                    group.addTask { try await server.serve() }
                    do {
                        // There is none where the transport has no address, and is ready at once.
                        _ = try await server.listeningAddress
                        manager.didStartServing()
                    } catch {
                        // Nothing listens any more. The task above says why.
                    }
                    try await group.waitForAll()
                }
            } onGracefulShutdown: { [server] in
                server.beginGracefulShutdown()
            }
        }
    }
#endif
