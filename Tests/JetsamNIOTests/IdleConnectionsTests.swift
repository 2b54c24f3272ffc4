#if NIO || Hummingbird
    import Jetsam
    import JetsamNIO
    import JetsamTesting
    import NIOCore
    import ServiceLifecycle
    import TestSupport
    import Testing

    @Suite("Idle connections", .timeLimit(.minutes(10)))
    struct IdleConnectionsTests {
        private var settings: ConnectionGate.Settings {
            var settings = ConnectionGate.Settings()
            settings.connectionsAtCritical = 100
            settings.idleTime = .milliseconds(1)
            settings.idleClosedPerPass = 3
            // One pass.
            settings.passInterval = .seconds(3600)
            return settings
        }

        private func connect(_ count: Int, to server: GatedServer) async throws -> [Client] {
            var clients: [Client] = []
            for _ in 0..<count {
                clients.append(try await server.connect())
                #expect(try await clients.last?.ask("x") == "1")
            }
            return clients
        }

        @Test("Those that were idle for longest are closed first, a few in a pass")
        func order() async throws {
            try await GatedServer.run(settings) { server in
                let clients = try await connect(8, to: server)
                // The first two are active again.
                for client in clients[..<2] { #expect(try await client.ask("y") == "1") }
                try await server.raise(to: .critical)
                try await eventually("three are closed") { [gate = server.gate] in
                    gate.statistics.closedConnections == [.idle: 3] && gate.statistics.openConnections == 5
                }
                for (number, client) in clients.enumerated() where 2...4 ~= number {
                    try await eventually("client \(number) is closed") { client.received.isClosed }
                }
                for client in clients[..<2] + clients[5...] {
                    #expect(try await client.ask("z") == "1")
                    try await client.close()
                }
            }
        }

        @Test("A connection with a request under way, an unanswered one and an unread answer are not idle")
        func busy() async throws {
            try await GatedServer.run(settings) { server in
                let quiet = try await server.connect()
                #expect(try await quiet.ask("x") == "1")
                server.service.hold()
                let telling = try await server.connect()
                telling.send("request\n")
                let saying = try await server.connect()
                saying.send("question\n")
                let rude = try await server.connect(readsByItself: false)
                rude.send("flood \(64 << 20)\n")
                try await eventually("all have asked") { [answers = server.service] in answers.heldCount == 3 }
                try await server.raise(to: .critical)
                try await eventually("the quiet one is closed") { [gate = server.gate] in
                    gate.statistics.closedConnections == [.idle: 1] && gate.statistics.openConnections == 3
                }
                server.service.letGo()
                try await eventually("the others are answered") {
                    telling.received.text == "7\n" && saying.received.text == "8\n"
                }
                for client in [telling, saying, rude] { try await client.close() }
            }
        }

        @Test("While the level stays critical one pass follows another, and at warning none is closed")
        func passes() async throws {
            var settings = settings
            settings.passInterval = .milliseconds(1)
            try await GatedServer.run(settings) { server in
                let clients = try await connect(10, to: server)
                try await server.raise(to: .warning)
                #expect(try await server.ask() == "1")
                #expect(server.gate.statistics.closedConnections.isEmpty)
                try await server.raise(to: .critical)
                try await eventually("all are closed") { [gate = server.gate] in
                    gate.statistics.closedConnections[.idle] ?? 0 >= 10 && gate.statistics.openConnections == 0
                }
                for client in clients { try await eventually("each hears of it") { client.received.isClosed } }
                try await server.fall()
                #expect(try await server.ask() == "1")
            }
        }

        @Test("Where the gate is full, who stands still makes room for others", arguments: ["", "half a line"])
        func full(begins: String) async throws {
            var settings = settings
            settings.stallLimit = .milliseconds(1)
            settings.passInterval = .milliseconds(1)
            // One that is closed before its half a line has come would count as idle.
            if !begins.isEmpty { settings.idleClosedPerPass = 0 }
            try await GatedServer.run(settings, maximumConnections: 2) { server in
                let still = [try await server.connect(), try await server.connect()]
                for client in still where !begins.isEmpty { client.send(begins) }
                try await eventually("both are open") { [gate = server.gate] in gate.statistics.acceptedConnections >= 2
                }
                // On a busy machine who asks stands still for a millisecond, too, and makes room like the others.
                var answer = ""
                for _ in 0..<1000 where answer.isEmpty { answer = try await server.ask() }
                #expect(answer == "1")
                let closed = server.gate.statistics.closedConnections
                #expect(closed[begins.isEmpty ? .idle : .silent] ?? 0 > 0, "\(closed)")
                for client in still { try await client.close() }
            }
        }

        @Test("A dry run closes none")
        func dryRun() async throws {
            var settings = settings
            settings.passInterval = .milliseconds(1)
            try await GatedServer.run(settings, configure: { $0.isDryRun = true }) { server in
                let clients = try await connect(3, to: server)
                server.manager.simulate(.critical)
                for client in clients {
                    #expect(try await client.ask("x") == "1")
                    try await client.close()
                }
                #expect(server.gate.statistics.closedConnections.isEmpty)
            }
        }
    }
#endif
