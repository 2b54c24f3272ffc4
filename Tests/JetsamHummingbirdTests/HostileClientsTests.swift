#if Hummingbird
    import Hummingbird
    import Jetsam
    import JetsamHummingbird
    import JetsamTesting
    import NIOCore
    import ServiceLifecycle
    import Testing

    /// Clients that leave when they like, and levels that change as they like.
    struct HostileClientsTests {
        @Test("Clients that leave without a word are counted no more")
        func leave() async throws {
            let server = try ManagedServer()
            let router = Router()
            router.get { _, _ in "served" }
            let connections = ManagedAvailableConnections(server.manager, maximum: 3)
            try await server.run(router, connections: connections) { port, group in
                for _ in 0..<200 {
                    let client = try await TestClient.connected(to: port)
                    try await client.close()
                }
                for _ in 0..<10 {
                    let text = try await withClient(port) { try await $0.get("/").text }
                    #expect(text == "served")
                }
                await group.triggerGracefulShutdown()
            }
        }

        @Test("A client that leaves its request ends neither the route's background task nor the drain")
        func leavesRequest() async throws {
            let server = try ManagedServer()
            let router = Router()
            let (begun, continuation) = AsyncStream.makeStream(of: Void.self)
            let (end, release) = AsyncStream.makeStream(of: Void.self)
            router.get("slow") { [tasks = server.tasks] _, _ in
                try await tasks.withBackgroundTask("slow") {
                    continuation.yield()
                    for await _ in end { break }
                    return "nobody hears it"
                }
            }
            try await server.run(router) { port, group in
                let client = try await TestClient.connected(to: port)
                let answer = Task { try await client.get("/slow") }
                for await _ in begun { break }
                try await client.close()
                _ = await answer.result
                await group.triggerGracefulShutdown()
                while server.manager.isReady { await Task.yield() }
                #expect(server.tasks.statistics.held == 1)
                release.yield()
            }
            #expect(server.tasks.statistics.held == 0 && server.tasks.statistics.overdue == 0)
        }

        @Test("Nobody is forgotten while the level changes by the hundred")
        func flapping() async throws {
            let server = try ManagedServer()
            let router = Router()
            router.get { _, _ in "served" }
            let connections = ManagedAvailableConnections(server.manager, maximum: 50)
            try await server.run(router, connections: connections) { port, group in
                let manager = server.manager
                let flapping = Task {
                    for _ in 0..<300 {
                        for level in [PressureLevel.critical, .warning, .normal] {
                            manager.simulate(level)
                            await Task.yield()
                        }
                    }
                }
                try await withThrowingTaskGroup(of: Void.self) { clients in
                    for _ in 0..<100 {
                        clients.addTask {
                            let text = try await withClient(port) { try await $0.get("/").text }
                            #expect(text == "served")
                        }
                    }
                    await flapping.value
                    while manager.level > .normal {
                        server.machine.advance(by: .seconds(1))
                        await Task.yield()
                    }
                    try await clients.waitForAll()
                }
                await group.triggerGracefulShutdown()
            }
        }

        @Test("Clients that wait to be accepted do not keep a process that drains")
        func waitingWhileDraining() async throws {
            let server = try ManagedServer()
            let router = Router()
            router.get { _, _ in "served" }
            let connections = ManagedAvailableConnections(server.manager, maximum: 10)
            try await server.run(router, connections: connections) { port, group in
                server.manager.simulate(.critical)
                // The event loop was told to accept one before the level rose.
                let accepted = try await TestClient.connected(to: port)
                #expect(try await accepted.get("/").text == "served")
                let waiting = try await TestClient.connected(to: port)
                let answer = Task { try await waiting.get("/").text }
                await group.triggerGracefulShutdown()
                // Its connection was never the server's: it is ended with the socket that listened.
                await #expect(throws: (any Error).self) { try await answer.value }
            }
            #expect(server.manager.processState == .notRunning)
        }

        @Test("A dry run turns nobody away by the level")
        func dryRun() async throws {
            let server = try ManagedServer { $0.isDryRun = true }
            let fresh = ManagedAvailableConnections(server.manager, maximum: 2)
            try await server.run(Router(), connections: fresh) { _, group in
                server.manager.simulate(.critical)
                #expect(server.manager.level == .critical)
                var connections = fresh
                for isFree in [true, true, false] {
                    #expect(connections.isAcceptingNewConnections() == isFree)
                    connections.connectionOpened()
                }
                await group.triggerGracefulShutdown()
            }
        }
    }
#endif
