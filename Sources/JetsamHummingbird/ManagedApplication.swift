#if Hummingbird
    public import Hummingbird
    public import HummingbirdCore
    public import Jetsam
    public import Logging
    public import NIOCore
    public import ServiceLifecycle
    public import UnixSignals

    extension ApplicationProtocol {
        /// Returns this application as a server of the manager's: the process is ready when it listens.
        ///
        /// Pass it to `ResourceManager.serviceGroupConfiguration(needs:servers:serving:)`. If a process has several servers,
        /// manage the one that takes the requests, and pass the others to `servers:` as they are.
        public func managed(by manager: ResourceManager) -> ManagedApplication<Self> {
            ManagedApplication(self, manager: manager)
        }

        /// Runs this application, the manager and the services that both need as one group, until one of the signals comes or a
        /// service ends. The group stops them in the right order.
        ///
        /// On a signal readiness is false at once; after the drain delay the server takes no more connections and finishes its requests;
        /// then held background tasks are waited for; then `needs` end.
        /// - Parameters:
        ///   - manager: The manager, which has not run before.
        ///   - needs: The services that requests and background work need, such as a database. They start first and end last.
        ///   - gracefulShutdownSignals: The signals that begin the shutdown.
        /// - Throws: The error of a service of the group.
        public func runService(
            managedBy manager: ResourceManager, needs: [any Service] = [],
            gracefulShutdownSignals: [UnixSignal] = [.sigterm, .sigint]
        ) async throws {
            var group = manager.serviceGroupConfiguration(needs: needs, servers: [managed(by: manager)])
            group.gracefulShutdownSignals = gracefulShutdownSignals
            try await ServiceGroup(configuration: group).run()
        }
    }

    /// A Hummingbird application that tells a manager when it listens.
    ///
    /// Everything else is the application's own: its router, configuration, services and event loops.
    public struct ManagedApplication<Base: ApplicationProtocol>: ApplicationProtocol {
        /// The responder of the application.
        public typealias Responder = Base.Responder

        private let base: Base
        private let manager: ResourceManager
        /// The configuration of the application.
        public let configuration: ApplicationConfiguration

        init(_ base: Base, manager: ResourceManager) {
            self.base = base
            self.manager = manager
            configuration = base.configuration
        }

        /// The responder of the application.
        public var responder: Base.Responder {
            get async throws { try await base.responder }
        }

        /// The server of the application.
        public var server: HTTPServerBuilder { base.server }

        /// The event loops of the application.
        public var eventLoopGroup: any EventLoopGroup { base.eventLoopGroup }

        /// The logger of the application.
        public var logger: Logger { base.logger }

        /// The services of the application.
        public var services: [any Service] { base.services }

        // Of the type that Hummingbird gives it. A property of another type would leave the requirement to its default, which is none.

        /// The work of the application before it listens.
        public var processesRunBeforeServerStart: [@Sendable @concurrent () async throws -> Void] {
            base.processesRunBeforeServerStart
        }

        // As Hummingbird says it, which does not run what is nonisolated in its caller's place.
        /// Calls the application's own, then tells the manager that the server takes connections.
        @Sendable @concurrent public func onServerRunning(_ channel: any Channel) async {
            await base.onServerRunning(channel)
            if let connections = configuration.availableConnectionsDelegate as? ManagedAvailableConnections {
                connections.serverIsRunning(on: channel)
            }
            manager.didStartServing()
        }
    }
#endif
