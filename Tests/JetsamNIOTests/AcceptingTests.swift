#if NIO || Hummingbird
    import Jetsam
    import JetsamTesting
    import NIOCore
    import NIOPosix
    import ServiceLifecycle
    import TestSupport
    import Testing

    @testable import JetsamNIO

    @Suite("Which connections are accepted", .timeLimit(.minutes(10)))
    struct AcceptingTests {
        @Test(
            "What is open at most follows the level, and the others are served when there is room",
            arguments: [(PressureLevel.normal, 6), (.warning, 3), (.critical, 1)])
        func levels(level: PressureLevel, most: Int) async throws {
            var settings = ConnectionGate.Settings()
            settings.connectionsAtCritical = 1
            settings.idleClosedPerPass = 0
            try await GatedServer.run(settings, maximumConnections: 6) { server in
                if level > .normal { try await server.raise(to: level) }
                var clients: [Client] = []
                for _ in 0..<10 { clients.append(try await server.connect()) }
                try await eventually("the server is full") { [gate = server.gate] in
                    gate.statistics.openConnections == most && gate.statistics.waitingServers == 1
                }
                for client in clients { client.send("x\n") }
                try await eventually("those that are accepted are answered") { [clients] in
                    clients.count { $0.received.text == "1\n" } == most
                }
                #expect(server.gate.statistics.acceptedConnections == most)
                for client in clients {
                    try await eventually("each has its turn") { client.received.text == "1\n" }
                    #expect(server.gate.statistics.openConnections <= most)
                    try await client.close()
                }
            }
        }

        @Test("A connection that waits is accepted when the level falls, although no other has closed")
        func falls() async throws {
            try await GatedServer.run { server in
                try await server.raise(to: .critical)
                let client = try await server.connect()
                client.send("x\n")
                for _ in 0..<100 { try await server.channel.eventLoop.submit {}.get() }
                #expect(
                    server.gate.statistics.acceptedConnections == 0, "not even one that the channel was told to read")
                try await server.fall()
                try await eventually("it is answered") { client.received.text == "1\n" }
                try await client.close()
            }
        }

        @Test("A process that drains accepts until its drain delay is over, and nothing after it")
        func draining() async throws {
            try await GatedServer.run(configure: { $0.lifecycle.drainDelay = .seconds(5) }) { server in
                await server.group.triggerGracefulShutdown()
                try await eventually("readiness is gone") { [manager = server.manager] in !manager.isReady }
                #expect(try await server.ask() == "1")
                let open = try await server.connect()
                #expect(try await open.ask("x") == "1")
                server.machine.advance(by: .seconds(5))
                try await eventually("the server listens no more") { [channel = server.channel] in !channel.isActive }
                await #expect(throws: (any Error).self) { try await server.ask() }
                try await eventually("an idle connection ends") { open.received.isClosed }
            }
        }

        @Test("A client that waits to be accepted does not keep a process that drains")
        func waitingWhileDraining() async throws {
            try await GatedServer.run { server in
                try await server.raise(to: .critical)
                let client = try await server.connect()
                client.send("x\n")
                await server.group.triggerGracefulShutdown()
                try await eventually("it is ended with the socket that listened") { client.received.isClosed }
                #expect(server.gate.statistics.acceptedConnections == 0)
            }
        }

        @Test("A dry run turns nobody away")
        func dryRun() async throws {
            try await GatedServer.run(maximumConnections: 2, configure: { $0.isDryRun = true }) { server in
                server.manager.simulate(.critical)
                #expect(server.manager.level == .critical)
                let answer = try await server.ask()
                #expect(answer == "1")
                #expect(server.gate.statistics.bufferedBytesLimit == 128 << 20)
            }
        }

        @Test(
            "Several server channels on several event loops share the bound, and one that closes leaves the others alone"
        )
        func several() async throws {
            let threads = MultiThreadedEventLoopGroup(numberOfThreads: 4)
            try await GatedServer.run(maximumConnections: 4) { server in
                var channels: [any Channel] = []
                for _ in 0..<3 {
                    channels.append(
                        try await GatedServer.bootstrap(server.gate, server.service, on: threads)
                            .bind(host: "127.0.0.1", port: 0).get())
                }
                var clients: [Client] = []
                for round in 0..<12 {
                    clients.append(try await Client.connect(to: channels[round % 3].localAddress?.port ?? 0))
                }
                try await eventually("all channels wait") { [gate = server.gate] in
                    gate.statistics.waitingServers >= 3 && gate.statistics.openConnections >= 4
                }
                // Each may have been told to read before the others filled the bound.
                #expect(server.gate.statistics.openConnections <= 7)
                for client in clients { client.send("x\n") }
                try await channels[0].close()
                try await eventually("those of a channel that is gone are ended, all others answered") { [clients] in
                    for client in clients where !client.received.isClosed {
                        guard client.received.text == "1\n" else { return false }
                        try? await client.close()
                    }
                    return true
                }
                for client in clients { try await client.close() }
                for channel in channels[1...] { try await channel.close() }
                try await eventually("nothing is left") { [gate = server.gate] in gate.statistics.openConnections == 0 }
                #expect(try await server.ask() == "1")
            }
            try await threads.shutdownGracefully()
        }

        @Test("A gate that is taken out of a channel while it waits lets the channel go on")
        func removed() async throws {
            try await GatedServer.run { server in
                try await server.raise(to: .critical)
                let client = try await server.connect()
                client.send("x\n")
                let pipeline = server.channel.pipeline
                try await server.channel.eventLoop.flatSubmit {
                    pipeline.context(handlerType: AcceptHandler.self).flatMap {
                        pipeline.syncOperations.removeHandler(context: $0)
                    }
                }.get()
                try await eventually("it is answered") { client.received.text == "1\n" }
                #expect(server.gate.statistics.acceptedConnections == 0)
                try await client.close()
            }
        }

        @Test("Nobody is forgotten while the level changes by the hundred")
        func flapping() async throws {
            var settings = ConnectionGate.Settings()
            // On a busy machine a client may be quiet for a second before it asks.
            settings.idleClosedPerPass = 0
            try await GatedServer.run(settings, maximumConnections: 20) { server in
                let flapping = Task { [manager = server.manager] in
                    for _ in 0..<300 {
                        for level in [PressureLevel.critical, .warning, .normal] {
                            manager.simulate(level)
                            await Task.yield()
                        }
                    }
                }
                try await withThrowingTaskGroup(of: Void.self) { clients in
                    for _ in 0..<200 {
                        clients.addTask {
                            let answer = try await server.ask("hello")
                            #expect(answer == "5")
                        }
                    }
                    await flapping.value
                    try await server.fall()
                    try await clients.waitForAll()
                }
                #expect(server.gate.statistics.acceptedConnections == 200)
            }
        }
    }
#endif
