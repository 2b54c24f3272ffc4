#if Hummingbird
    import Hummingbird
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
            let port = ListeningPort()
            let application = Application(
                router: router,
                configuration: ApplicationConfiguration(
                    address: .hostname("127.0.0.1", port: 0), availableConnectionsDelegate: connections),
                onServerRunning: { port.tell($0) }, logger: Self.logger)
            let (actives, active) = AsyncStream.makeStream(of: Void.self)
            manager.observeLifecycle(Actives(continuation: active))
            var configuration = manager.serviceGroupConfiguration(servers: [application.managed(by: manager)])
            // The group would count real seconds.
            configuration.maximumGracefulShutdownDuration = nil
            let group = ServiceGroup(configuration: configuration)
            let running = Task { try await group.run() }
            let number = await port.number
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

    /// The port of a server, which is known when it listens.
    struct ListeningPort: Sendable {
        private let numbers: AsyncStream<Int>
        private let continuation: AsyncStream<Int>.Continuation

        init() {
            (numbers, continuation) = AsyncStream.makeStream()
        }

        var number: Int {
            get async { await numbers.first { _ in true } ?? 0 }
        }

        /// Call it with the channel that listens.
        func tell(_ channel: any Channel) { continuation.yield(channel.localAddress?.port ?? 0) }

        /// Nothing will listen any more.
        func end() { continuation.finish() }
    }

    /// Makes one connection, runs `body` with it, and closes it.
    func withClient<Value: Sendable>(_ port: Int, _ body: (TestClient) async throws -> Value) async throws -> Value {
        let client = try await TestClient.connected(to: port)
        do {
            let value = try await body(client)
            try await client.close()
            return value
        } catch {
            try? await client.close()
            throw error
        }
    }

    /// Runs an application without a manager's group, and `body` with a client of it; then shuts the application down.
    ///
    /// - Parameter port: What the application tells when it listens.
    func withClient<Value: Sendable>(
        of application: some ApplicationProtocol, _ port: ListeningPort, _ body: (TestClient) async throws -> Value
    ) async throws -> Value {
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(services: [application], logger: ManagedServer.logger))
        let running = Task {
            defer { port.end() }
            try await group.run()
        }
        let result: Result<Value, any Error>
        do {
            result = .success(try await withClient(await port.number, body))
        } catch {
            result = .failure(error)
        }
        await group.triggerGracefulShutdown()
        try await running.value
        return try result.get()
    }

    /// The same, of an application that is only this router.
    func withClient<Value: Sendable>(
        of router: Router<BasicRequestContext>, _ body: (TestClient) async throws -> Value
    ) async throws -> Value {
        let port = ListeningPort()
        let application = Application(
            router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { port.tell($0) }, logger: ManagedServer.logger)
        return try await withClient(of: application, port, body)
    }
#endif
