#if Hummingbird
    import Hummingbird
    import Jetsam
    import JetsamHummingbird
    import JetsamTesting
    import NIOCore
    import ServiceLifecycle
    import Testing

    struct ManagedAvailableConnectionsTests {
        @Test(
            "What is open at most follows the level",
            arguments: [
                (PressureLevel.normal, 100), (.warning, 50), (.critical, 1),
            ])
        func levels(level: PressureLevel, most: Int) async throws {
            let server = try ManagedServer()
            var connections = ManagedAvailableConnections(server.manager, maximum: 100, atCritical: 1)
            try await server.run(Router()) { _, group in
                server.manager.simulate(level)
                for open in 0...most {
                    #expect(connections.isAcceptingNewConnections() == (open < most), "\(open) are open")
                    connections.connectionOpened()
                }
                connections.connectionClosed()
                #expect(!connections.isAcceptingNewConnections())
                connections.connectionClosed()
                #expect(connections.isAcceptingNewConnections())
                await group.triggerGracefulShutdown()
            }
        }

        @Test(
            "Bounds are held to each other",
            arguments: [
                (-5, nil, 0, [1, 0, 0]), (10, 20, 30, [10, 10, 10]), (10, -1, 5, [10, 0, 0]), (9, nil, 2, [9, 4, 2]),
            ] as [(Int, Int?, Int, [Int])])
        func bounds(maximum: Int, atWarning: Int?, atCritical: Int, held: [Int]) async throws {
            let server = try ManagedServer()
            let fresh = ManagedAvailableConnections(
                server.manager, maximum: maximum, atWarning: atWarning, atCritical: atCritical)
            try await server.run(Router(), connections: fresh) { _, group in
                for (level, most) in zip(PressureLevel.allCases, held) {
                    server.manager.simulate(level)
                    // A copy: one that counts for itself, and that a server wakes.
                    var connections = fresh
                    var open = 0
                    while connections.isAcceptingNewConnections(), open < 50 {
                        connections.connectionOpened()
                        open += 1
                    }
                    #expect(open == most, "at \(level)")
                }
                await group.triggerGracefulShutdown()
            }
        }

        @Test("A server that nobody wakes never closes itself for good")
        func unwoken() async throws {
            let server = try ManagedServer()
            var connections = ManagedAvailableConnections(server.manager, maximum: 10)
            try await server.run(Router()) { _, group in
                server.manager.simulate(.critical)
                #expect(connections.isAcceptingNewConnections())
                connections.connectionOpened()
                #expect(!connections.isAcceptingNewConnections())
                await group.triggerGracefulShutdown()
            }
        }

        @Test("A process that drains accepts nothing once its drain delay is over")
        func draining() async throws {
            let server = try ManagedServer { $0.lifecycle.drainDelay = .seconds(5) }
            let connections = ManagedAvailableConnections(server.manager, maximum: 10)
            try await server.run(Router()) { _, group in
                #expect(connections.isAcceptingNewConnections())
                await group.triggerGracefulShutdown()
                while server.manager.isReady { await Task.yield() }
                #expect(connections.isAcceptingNewConnections(), "whoever sends connections does not know yet")
                server.machine.advance(by: .seconds(5))
                #expect(!connections.isAcceptingNewConnections())
            }
            #expect(!connections.isAcceptingNewConnections())
        }

        @Test("A connection that waits is accepted when the level falls, although no other has closed")
        func wakes() async throws {
            let server = try ManagedServer()
            let router = Router()
            router.get { _, _ in "served" }
            let connections = ManagedAvailableConnections(server.manager, maximum: 10, atWarning: 2)
            try await server.run(router, connections: connections) { port, group in
                server.manager.simulate(.warning)
                // One after another: the event loop asks after each.
                let open = [try await TestClient.connected(to: port), try await TestClient.connected(to: port)]
                for client in open { #expect(try await client.get("/").text == "served") }
                let waiting = try await TestClient.connected(to: port)
                let answer = Task { try await waiting.get("/") }
                for client in open { #expect(try await client.get("/").text == "served", "what is open stays open") }
                server.manager.simulate(.normal)
                while server.manager.level > .normal {
                    server.machine.advance(by: .seconds(1))
                    await Task.yield()
                }
                #expect(try await answer.value.text == "served")
                for client in open + [waiting] { try await client.close() }
                await group.triggerGracefulShutdown()
            }
        }
    }
#endif
