#if GRPC
    import GRPCCore
    import GRPCNIOTransportHTTP2Posix
    import Jetsam
    import JetsamGRPC
    import JetsamTesting
    import Logging
    import ServiceLifecycle
    import TestSupport
    import Testing

    /// A real server on loopback with a manager in a made-up container of 512 MiB, and a real client.
    struct TestServer: Sendable {
        typealias Client = GRPCClient<HTTP2ClientTransport.Posix>

        let machine: SimulatedMachine
        let manager: ResourceManager
        let interceptor: MemoryInterceptor
        let service: Counting
        let client: Client
        /// The group of the manager alone.
        let group: ServiceGroup

        static func makeManager(_ machine: SimulatedMachine, _ configuration: ManagerConfiguration = .init()) throws
            -> ResourceManager
        {
            machine.tree.setUnreclaimable(bytes: 100 << 20)
            machine.tree.setFootprint(bytes: 100 << 20)
            return try ResourceManager(
                configuration: configuration, registry: CacheRegistry(),
                backgroundTasks: machine.makeBackgroundTaskRegistry(), logger: Logger(label: "test"),
                environment: machine.environment)
        }

        static func run(
            _ settings: MemoryInterceptor.Settings = .init(), configuration: ManagerConfiguration = .init(),
            serviceConfig: ServiceConfig = ServiceConfig(),
            priority: @escaping @Sendable (MethodDescriptor) -> ResourcePriority = { _ in .normal },
            _ body: @Sendable (TestServer) async throws -> Void
        ) async throws {
            let machine = SimulatedMachine(tree: try .v2(limit: 512 << 20))
            defer { machine.tree.remove() }
            let manager = try makeManager(machine, configuration)
            let interceptor = MemoryInterceptor(manager: manager, settings: settings, priority: priority)
            let group = ServiceGroup(services: [manager], logger: Logger(label: "test"))
            let running = Task { try await group.run() }
            await machine.waitUntilStarted()
            let service = Counting()
            let transport = HTTP2ServerTransport.Posix(
                address: .ipv4(host: "127.0.0.1", port: 0), transportSecurity: .plaintext,
                config: .bounded(by: interceptor))
            try await withGRPCServer(transport: transport, services: [service], interceptors: [interceptor]) { server in
                guard let port = try await server.listeningAddress?.ipv4?.port else { throw CancellationError() }
                try await withGRPCClient(
                    transport: .http2NIOPosix(
                        target: .ipv4(address: "127.0.0.1", port: port), transportSecurity: .plaintext,
                        serviceConfig: serviceConfig)
                ) { client in
                    try await body(
                        TestServer(
                            machine: machine, manager: manager, interceptor: interceptor, service: service,
                            client: client, group: group))
                }
            }
            await group.triggerGracefulShutdown()
            try await running.value
        }

        /// Raises the level, and returns when it is followed everywhere.
        func raise(to level: PressureLevel) async throws {
            manager.simulate(level)
            machine.advance(by: .milliseconds(300))
            try await eventually("the level is followed") { [manager] in manager.level == level }
        }

        func call(
            _ method: MethodDescriptor, _ message: [UInt8] = [], metadata: Metadata = [:],
            options: CallOptions = .defaults
        ) async throws -> String {
            try await client.unary(
                request: ClientRequest(message: message, metadata: metadata), descriptor: method,
                serializer: RawBytes(),
                deserializer: RawBytes(), options: options
            ) { String(decoding: try $0.message, as: UTF8.self) }
        }

        /// The error with which a call is answered.
        func refusal(_ method: MethodDescriptor, _ message: [UInt8] = []) async throws -> RPCError? {
            do {
                _ = try await call(method, message)
                return nil
            } catch let error as RPCError {
                return error
            }
        }
    }
#endif
