#if NIO || Hummingbird
    import Jetsam
    import JetsamNIO
    import JetsamTesting
    import Logging
    import NIOCore
    import NIOPosix
    import ServiceLifecycle
    import TestSupport
    import Testing

    /// A manager in a made-up container of 512 MiB, and a real server on loopback under it.
    struct GatedServer: Sendable {
        let machine: SimulatedMachine
        let manager: ResourceManager
        let gate: ConnectionGate
        let service: Answers
        let channel: any Channel
        let group: ServiceGroup

        var port: Int { channel.localAddress?.port ?? 0 }

        static let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })

        static func makeManager(_ machine: SimulatedMachine, _ configuration: ManagerConfiguration = .init()) throws
            -> ResourceManager
        {
            machine.tree.setUnreclaimable(bytes: 100 << 20)
            machine.tree.setFootprint(bytes: 100 << 20)
            return try ResourceManager(
                configuration: configuration, registry: CacheRegistry(),
                backgroundTasks: machine.makeBackgroundTaskRegistry(), logger: logger, environment: machine.environment)
        }

        /// Serves until `body` has returned, and then ends the group in order.
        static func run(
            _ settings: ConnectionGate.Settings = .init(), maximumConnections: Int = 1000,
            configure: (inout ManagerConfiguration) -> Void = { _ in },
            farewell: (@Sendable (ClosingReason) -> ByteBuffer?)? = nil,
            _ body: (GatedServer) async throws -> Void
        ) async throws {
            let machine = SimulatedMachine(tree: try .v2(limit: 512 << 20))
            defer { machine.tree.remove() }
            var configuration = ManagerConfiguration()
            configure(&configuration)
            let manager = try makeManager(machine, configuration)
            let gate = ConnectionGate(
                manager, maximumConnections: maximumConnections, settings: settings, farewell: farewell)
            let answers = Answers()
            let (channels, bound) = AsyncStream.makeStream(of: (any Channel).self)
            let service = NIOService(gate) {
                let channel = try await bootstrap(gate, answers).bind(host: "127.0.0.1", port: 0).get()
                bound.yield(channel)
                return channel
            }
            var group = manager.serviceGroupConfiguration(servers: [service])
            // The group would count real seconds.
            group.maximumGracefulShutdownDuration = nil
            let services = ServiceGroup(configuration: group)
            let running = Task { try await services.run() }
            var iterator = channels.makeAsyncIterator()
            let channel = try #require(await iterator.next())
            try await eventually("the process is ready") { manager.isReady }
            do {
                try await body(
                    GatedServer(
                        machine: machine, manager: manager, gate: gate, service: answers, channel: channel,
                        group: services))
            } catch {
                running.cancel()
                _ = await running.result
                throw error
            }
            await services.triggerGracefulShutdown()
            try await running.value
            #expect(gate.statistics.openConnections == 0)
            #expect(gate.statistics.receivedBytes == 0 && gate.statistics.unwrittenBytes == 0)
        }

        static func bootstrap(
            _ gate: ConnectionGate, _ answers: Answers,
            on group: any EventLoopGroup = .singletonMultiThreadedEventLoopGroup
        ) -> ServerBootstrap {
            ServerBootstrap(group: group)
                .serverChannelOption(.backlog, value: 4096)
                .protected(by: gate)
                .childChannelOption(.allowRemoteHalfClosure, value: true)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(AnsweringHandler(answers: answers))
                    }
                }
        }

        /// Raises the level, and returns when it is followed everywhere.
        func raise(to level: PressureLevel) async throws {
            manager.simulate(level)
            let share = level == .critical ? 4 : 2
            try await eventually("the level is followed") { [manager, gate] in
                manager.level == level && gate.statistics.bufferedBytesLimit <= (128 << 20) / share
            }
            // The server channel reviews what it does on its event loop.
            try await channel.eventLoop.submit {}.get()
        }

        /// Lets the level fall to `normal`.
        func fall() async throws {
            manager.simulate(.normal)
            try await eventually("the level falls") { [manager, machine] in
                machine.advance(by: .seconds(1))
                return manager.level == .normal
            }
        }

        func connect(readsByItself: Bool = true) async throws -> Client {
            try await Client.connect(to: port, readsByItself: readsByItself)
        }

        /// Asks on a new connection, and closes it.
        func ask(_ question: String = "x") async throws -> String {
            let client = try await connect()
            let answer = try await client.ask(question)
            try await client.close()
            return answer
        }
    }
#endif
