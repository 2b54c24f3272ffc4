#if NIO || Hummingbird
    import Jetsam
    import JetsamNIO
    import JetsamTesting
    import NIOCore
    import NIOPosix
    import ServiceLifecycle
    import TestSupport
    import Testing

    @Suite("A server as a service", .timeLimit(.minutes(10)))
    struct NIOServiceTests {
        private typealias Connection = NIOAsyncChannel<ByteBuffer, ByteBuffer>

        private func bootstrap(_ gate: ConnectionGate) -> ServerBootstrap {
            ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup).protected(by: gate)
        }

        @Test("A request under way is finished at the end, and an idle connection is closed")
        func drains() async throws {
            try await GatedServer.run { server in
                let idle = try await server.connect()
                #expect(try await idle.ask("x") == "1")
                server.service.hold()
                let busy = try await server.connect()
                busy.send("request\n")
                try await eventually("it is under way") { [answers = server.service] in answers.heldCount == 1 }
                await server.group.triggerGracefulShutdown()
                try await eventually("the idle one is closed") { idle.received.isClosed }
                #expect(!busy.received.isClosed)
                server.service.letGo()
                try await eventually("the busy one is answered, and closed") {
                    busy.received.text == "7\n" && busy.received.isClosed
                }
            }
        }

        @Test("Connections that are served by tasks are gated, finish their requests, and are closed at the end")
        func tasks() async throws {
            let machine = SimulatedMachine(tree: try .v2(limit: 512 << 20))
            defer { machine.tree.remove() }
            let manager = try GatedServer.makeManager(machine)
            let gate = ConnectionGate(manager, maximumConnections: 2)
            let (ports, port) = AsyncStream.makeStream(of: Int.self)
            let (begun, begin) = AsyncStream.makeStream(of: Void.self)
            let (ends, end) = AsyncStream.makeStream(of: Void.self)
            let service = NIOService(gate) {
                let server = try await bootstrap(gate).bind(host: "127.0.0.1", port: 0) { channel in
                    channel.eventLoop.makeCompletedFuture { try Connection(wrappingChannelSynchronously: channel) }
                }
                port.yield(server.channel.localAddress?.port ?? 0)
                return server
            } serve: { connection in
                try await connection.executeThenClose { inbound, outbound in
                    for try await bytes in inbound {
                        try await connection.channel.withRequest {
                            if bytes.readableBytes > 3 {
                                begin.yield()
                                for await _ in ends { break }
                            }
                            try await outbound.write(ByteBuffer(string: "\(bytes.readableBytes - 1)\n"))
                        }
                    }
                }
            }
            var group = manager.serviceGroupConfiguration(servers: [service])
            group.maximumGracefulShutdownDuration = nil
            let services = ServiceGroup(configuration: group)
            let running = Task { try await services.run() }
            var iterator = ports.makeAsyncIterator()
            let number = try #require(await iterator.next())
            try await eventually("the process is ready") { manager.isReady }

            let idle = try await Client.connect(to: number)
            #expect(try await idle.ask("ab") == "2")
            let busy = try await Client.connect(to: number)
            busy.send("hello\n")
            for await _ in begun { break }
            let waiting = try await Client.connect(to: number)
            waiting.send("x\n")
            try await eventually("the server is full") { gate.statistics.waitingServers == 1 }
            #expect(gate.statistics.openConnections == 2)
            try await idle.close()
            try await eventually("the next has its turn") { waiting.received.text == "1\n" }

            await services.triggerGracefulShutdown()
            try await eventually("the idle one is closed") {
                waiting.received.isClosed && gate.statistics.openConnections == 1
            }
            #expect(!busy.received.isClosed)
            end.yield()
            try await eventually("the busy one is answered, and closed") {
                busy.received.text == "5\n" && busy.received.isClosed
            }
            try await running.value
            #expect(gate.statistics.openConnections == 0 && manager.processState == .notRunning)
        }

        @Test("A server channel that no service has ends with the one that a service has, and finishes its requests")
        func secondChannel() async throws {
            try await GatedServer.run { server in
                let second = try await GatedServer.bootstrap(server.gate, server.service).bind(
                    host: "127.0.0.1", port: 0
                ).get()
                let port = try #require(second.localAddress?.port)
                let idle = try await Client.connect(to: port)
                #expect(try await idle.ask("x") == "1")
                server.service.hold()
                let busy = try await Client.connect(to: port)
                busy.send("request\n")
                try await eventually("it is under way") { [answers = server.service] in answers.heldCount == 1 }
                await server.group.triggerGracefulShutdown()
                try await second.closeFuture.get()
                try await eventually("the idle one is closed") { idle.received.isClosed }
                #expect(!busy.received.isClosed)
                server.service.letGo()
                try await eventually("the busy one is answered, and closed") {
                    busy.received.text == "7\n" && busy.received.isClosed
                }
            }
        }

        @Test("An error of one connection ends it alone; cancellation ends all")
        func errors() async throws {
            struct Rude: Error {}
            let machine = SimulatedMachine(tree: try .v2(limit: 512 << 20))
            defer { machine.tree.remove() }
            let gate = ConnectionGate(try GatedServer.makeManager(machine), maximumConnections: 10)
            let (ports, port) = AsyncStream.makeStream(of: Int.self)
            let service = NIOService(gate) {
                let server = try await bootstrap(gate).bind(host: "127.0.0.1", port: 0) { channel in
                    channel.eventLoop.makeCompletedFuture { try Connection(wrappingChannelSynchronously: channel) }
                }
                port.yield(server.channel.localAddress?.port ?? 0)
                return server
            } serve: { connection in
                try await connection.executeThenClose { inbound, outbound in
                    for try await bytes in inbound {
                        if bytes.readableBytes > 3 { throw Rude() }
                        try await outbound.write(ByteBuffer(string: "ok\n"))
                    }
                }
            }
            let running = Task { try await service.run() }
            var iterator = ports.makeAsyncIterator()
            let number = try #require(await iterator.next())
            let bad = try await Client.connect(to: number)
            bad.send("a long line\n")
            try await eventually("it is closed") { bad.received.isClosed }
            let good = try await Client.connect(to: number)
            #expect(try await good.ask("x") == "ok")
            running.cancel()
            try await eventually("all are closed") { good.received.isClosed }
            _ = await running.result
            #expect(gate.statistics.openConnections == 0)
        }

        @Test("A bootstrap that is not protected is an error, not a silence")
        func notProtected() async throws {
            let machine = SimulatedMachine(tree: try .v2(limit: 512 << 20))
            defer { machine.tree.remove() }
            let gate = ConnectionGate(try GatedServer.makeManager(machine), maximumConnections: 10)
            let bound = Lock<(any Channel)?>(nil)
            let service = NIOService(gate) {
                let channel = try await bootstrap(gate).serverChannelInitializer {
                    $0.eventLoop.makeSucceededVoidFuture()
                }
                .bind(host: "127.0.0.1", port: 0).get()
                bound.withLock { $0 = channel }
                return channel
            }
            await #expect(throws: NIOServiceError.notProtected) { try await service.run() }
            try await eventually("the channel is closed") { bound.withLock { $0 }?.isActive == false }

            let called = Lock(false)
            let both = NIOService(gate) {
                try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                    .protected(by: gate) { channel in
                        called.withLock { $0 = true }
                        return channel.eventLoop.makeSucceededVoidFuture()
                    }
                    .bind(host: "127.0.0.1", port: 0).get()
            }
            let running = Task { try await both.run() }
            try await eventually("the other initializer is called") { called.withLock { $0 } }
            running.cancel()
            try await running.value
        }

        @Test("An address that is in use is an error of the service")
        func inUse() async throws {
            try await GatedServer.run { server in
                let service = NIOService(server.gate) { [port = server.port] in
                    try await bootstrap(server.gate).bind(host: "127.0.0.1", port: port).get()
                }
                await #expect(throws: IOError.self) { try await service.run() }
                let answer = try await server.ask()
                #expect(answer == "1")
            }
        }

        @Test("Without a gate a request is simply made")
        func ungated() async throws {
            let channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .bind(host: "127.0.0.1", port: 0).get()
            #expect(await channel.withRequest { 7 } == 7)
            try await channel.close()
        }
    }
#endif
