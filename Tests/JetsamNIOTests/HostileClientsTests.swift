#if NIO || Hummingbird
    import Jetsam
    import JetsamNIO
    import JetsamTesting
    import NIOCore
    import ServiceLifecycle
    import TestSupport
    import Testing

    @Suite("Clients that do what they like", .timeLimit(.minutes(10)))
    struct HostileClientsTests {
        @Test("Thousands that come, go, reset and say nothing are counted no more")
        func thousands() async throws {
            try await GatedServer.run { server in
                for _ in 0..<20 {
                    try await withThrowingTaskGroup(of: Void.self) { clients in
                        for number in 0..<100 {
                            clients.addTask {
                                let client = try await server.connect()
                                switch number % 4 {
                                case 0: try await client.close()
                                case 1: try await client.reset()
                                case 2:
                                    client.send("half a lin")
                                    try await client.reset()
                                default:
                                    #expect(try await client.ask("hello") == "5")
                                    try await client.close()
                                }
                            }
                        }
                        try await clients.waitForAll()
                    }
                }
                try await eventually("all are gone") { [gate = server.gate] in
                    gate.statistics.openConnections == 0 && gate.statistics.receivedBytes == 0
                }
                #expect(try await server.ask() == "1")
            }
        }

        @Test("A client that closes its side gets its answer")
        func halfCloses() async throws {
            try await GatedServer.run { server in
                server.service.hold()
                let client = try await server.connect()
                client.send("hello\n")
                try await client.channel.close(mode: .output).get()
                try await eventually("the question is there") { [answers = server.service] in answers.heldCount == 1 }
                server.service.letGo()
                try await eventually("it is answered") { client.received.text == "5\n" }
                try await client.close()
            }
        }

        @Test("Of many that send more than there is room for all are answered, and no more is held than the budget")
        func slowSenders() async throws {
            var settings = ConnectionGate.Settings()
            settings.bufferedBytes = 1 << 20
            settings.connectionBytes = 128 << 10
            settings.waitLimit = .seconds(600)
            try await GatedServer.run(settings) { server in
                let most = Lock(0)
                let watching = Task { [gate = server.gate] in
                    while !Task.isCancelled {
                        let now = gate.statistics.receivedBytes
                        most.withLock { $0 = max($0, now) }
                        await Task.yield()
                    }
                }
                try await withThrowingTaskGroup(of: Void.self) { clients in
                    for _ in 0..<200 {
                        clients.addTask {
                            let client = try await server.connect()
                            for _ in 0..<10 {
                                client.send(bytes: 10_000)
                                await Task.yield()
                            }
                            #expect(try await client.ask("") == "100000")
                            try await client.close()
                        }
                    }
                    try await clients.waitForAll()
                }
                watching.cancel()
                await watching.value
                // A read of each may come before the gate is asked again.
                #expect(most.withLock { $0 } < 1 << 20 + 200 * (4 << 10))
                #expect(server.gate.statistics.closedConnections.isEmpty)
            }
        }

        @Test("A client that never reads is closed, with the reason, and takes nothing from others")
        func neverReads() async throws {
            var settings = ConnectionGate.Settings()
            settings.connectionBytes = 1 << 20
            settings.stallLimit = .milliseconds(200)
            try await GatedServer.run(settings) { server in
                let rude = try await server.connect(readsByItself: false)
                // More than the kernel holds for a connection on both sides.
                rude.send("flood \(64 << 20)\n")
                for _ in 0..<20 { #expect(try await server.ask() == "1") }
                try await eventually("it is closed") { [gate = server.gate] in
                    gate.statistics.closedConnections == [.notReading: 1]
                }
                try await eventually("nothing is left of it") { [gate = server.gate] in
                    gate.statistics.openConnections == 0 && gate.statistics.unwrittenBytes == 0
                }
                try await rude.close()
            }
        }

        @Test("One that waits too long for room is told before it is closed")
        func told() async throws {
            var settings = ConnectionGate.Settings()
            settings.bufferedBytes = 64 << 10
            settings.connectionBytes = 64 << 10
            settings.waitLimit = .milliseconds(50)
            try await GatedServer.run(settings, farewell: { _ in ByteBuffer(string: "busy\n") }) { server in
                server.service.hold()
                let first = try await server.connect()
                first.send(bytes: 40 << 10)
                first.send("\n")
                try await eventually("the first is under way") { [answers = server.service] in answers.heldCount == 1 }
                let second = try await server.connect()
                second.send(bytes: 4 << 20)
                try await eventually("the second is told") { second.received.text == "busy\n" }
                try await eventually("and closed") { [gate = server.gate] in
                    gate.statistics.closedConnections == [.noRoom: 1] && gate.statistics.openConnections == 1
                }
                server.service.letGo()
                try await eventually("the first is answered") { first.received.text == "\(40 << 10)\n" }
                for client in [first, second] { try await client.close() }
            }
        }
    }
#endif
