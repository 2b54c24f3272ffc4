#if Hummingbird
    import Hummingbird
    import HummingbirdTesting
    import Jetsam
    import JetsamHummingbird
    import JetsamTesting
    import Logging
    import NIOCore
    import ServiceLifecycle

    /// A manager on a made-up machine, and a Hummingbird server on a port of its own under it.
    final class ManagedServer: Sendable {
        let machine: SimulatedMachine
        let tasks: BackgroundTaskRegistry
        let manager: ResourceManager

        init(_ configure: (inout ManagerConfiguration) -> Void = { _ in }) throws {
            machine = SimulatedMachine(tree: try .v2(limit: 512 << 20))
            machine.tree.setUnreclaimable(bytes: 100 << 20)
            tasks = machine.makeBackgroundTaskRegistry()
            var configuration = ManagerConfiguration()
            configure(&configuration)
            manager = try ResourceManager(
                configuration: configuration, registry: CacheRegistry(), backgroundTasks: tasks, logger: Self.logger,
                environment: machine.environment)
        }

        static let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })

        /// Runs the server in the manager's group until the process is ready, then `body`, and waits until the group has ended.
        ///
        /// - Parameter body: Gets the port, and has to have the group shut down.
        func run(
            _ router: Router<BasicRequestContext>, connections: ManagedAvailableConnections? = nil,
            _ body: (Int, ServiceGroup) async throws -> Void
        ) async throws {
            defer { machine.tree.remove() }
            let (ports, port) = AsyncStream.makeStream(of: Int.self)
            let application = Application(
                router: router,
                configuration: ApplicationConfiguration(
                    address: .hostname("127.0.0.1", port: 0), availableConnectionsDelegate: connections),
                onServerRunning: { port.yield($0.localAddress?.port ?? 0) }, logger: Self.logger)
            let (actives, active) = AsyncStream.makeStream(of: Void.self)
            manager.observeLifecycle(Actives(continuation: active))
            var configuration = manager.serviceGroupConfiguration(servers: [application.managed(by: manager)])
            // The group would count real seconds.
            configuration.maximumGracefulShutdownDuration = nil
            let group = ServiceGroup(configuration: configuration)
            let running = Task { try await group.run() }
            var iterator = ports.makeAsyncIterator()
            let number = await iterator.next() ?? 0
            var activeIterator = actives.makeAsyncIterator()
            await activeIterator.next()
            do {
                try await body(number, group)
            } catch {
                running.cancel()
                _ = await running.result
                throw error
            }
            try await running.value
        }

        private struct Actives: LifecycleObserver {
            let continuation: AsyncStream<Void>.Continuation

            func didBecomeActive(_ transition: ProcessTransition) async { continuation.yield() }
        }
    }

    /// Makes one connection, runs `body` with it, and closes it.
    func withClient<Value: Sendable>(
        _ port: Int, _ body: @escaping @Sendable (TestClient) async throws -> Value
    ) async throws -> Value {
        try await TestClient.withClient(
            host: "127.0.0.1", port: port, configuration: .patient, operation: body)
    }

    extension TestClient.Configuration {
        /// Waits for as long as a machine takes that runs all other tests meanwhile.
        static let patient = Self(timeout: .seconds(300))
    }

    extension TestClient {
        /// Returns a client when it is connected.
        static func connected(to port: Int) async throws -> TestClient {
            let client = TestClient(host: "127.0.0.1", port: port, configuration: .patient)
            client.connect()
            _ = try await client.channelPromise.futureResult.get()
            return client
        }
    }

    extension TestClient.Response {
        var text: String { body.map { String(buffer: $0) } ?? "" }
    }
#endif
