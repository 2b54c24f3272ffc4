#if NIO || Hummingbird
    import Jetsam
    import JetsamTesting
    import NIOCore
    import NIOEmbedded
    import Testing

    @testable import JetsamNIO

    /// One connection on an event loop whose time is moved by hand.
    @Suite("The handler of a connection")
    struct ConnectionHandlerTests {
        /// Counts the reads that reach the socket.
        private final class Reads: ChannelOutboundHandler {
            typealias OutboundIn = IOData
            var count = 0
            func read(context: ChannelHandlerContext) { count += 1 }
        }

        /// Keeps what the gate says through the pipeline.
        private final class Events: ChannelInboundHandler {
            typealias InboundIn = ByteBuffer
            var reasons: [ClosingReason] = []
            var quiesces = 0
            func channelRead(context: ChannelHandlerContext, data: NIOAny) {}
            func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
                if let reason = event as? ClosingReason { reasons.append(reason) }
                if event is ChannelShouldQuiesceEvent { quiesces += 1 }
            }
        }

        private struct Connection {
            let gate: ConnectionGate
            let channel: EmbeddedChannel
            let record: GatedConnection
            let handler: ConnectionHandler
            let reads = Reads()
            let events = Events()

            init(_ gate: ConnectionGate) throws {
                self.gate = gate
                channel = EmbeddedChannel()
                record = gate.open(from: ObjectIdentifier(gate))
                handler = ConnectionHandler(gate: gate, connection: record)
                try channel.pipeline.syncOperations.addHandlers([reads, handler, events])
                channel.closeFuture.whenComplete { [record] _ in gate.close(record) }
                try channel.connect(to: .init(ipAddress: "127.0.0.1", port: 1)).wait()
            }

            func receive(_ bytes: Int) throws {
                try channel.writeInbound(ByteBuffer(repeating: 1, count: bytes))
            }

            /// Has the tail ask for more, and returns whether the socket was told.
            func readsOn() -> Bool {
                let before = reads.count
                channel.pipeline.read()
                return reads.count > before
            }

            func tell(_ event: ConnectionEvent) throws { try channel.triggerUserOutboundEvent(event).wait() }
        }

        private func makeGate(
            _ change: (inout ConnectionGate.Settings) -> Void = { _ in },
            farewell: (@Sendable (ClosingReason) -> ByteBuffer?)? = nil
        ) throws -> ConnectionGate {
            let machine = SimulatedMachine(tree: try .v2(limit: 512 << 20))
            var settings = ConnectionGate.Settings()
            settings.connectionBytes = 64 << 10
            change(&settings)
            return ConnectionGate(
                try GatedServer.makeManager(machine), maximumConnections: 10, settings: settings, farewell: farewell)
        }

        @Test("A connection that holds as much as it may is read no further until it is answered")
        func applicationIsSlow() throws {
            let connection = try Connection(makeGate())
            try connection.receive(40 << 10)
            #expect(connection.readsOn())
            try connection.receive(24 << 10)
            #expect(!connection.readsOn() && !connection.readsOn())
            #expect(connection.gate.statistics.receivedBytes == 64 << 10)
            let before = connection.reads.count
            try connection.channel.writeOutbound(ByteBuffer(string: "answer"))
            #expect(connection.reads.count == before + 1, "the read that waited goes on, once")
            #expect(connection.gate.statistics.receivedBytes == 0)
            #expect(connection.readsOn())
            #expect(connection.channel.isActive && connection.events.reasons.isEmpty)
        }

        @Test("One that can never proceed is closed, with the reason")
        func neverProceeds() throws {
            let connection = try Connection(makeGate())
            try connection.receive(64 << 10)
            #expect(!connection.readsOn())
            connection.channel.embeddedEventLoop.advanceTime(by: .seconds(29))
            #expect(connection.channel.isActive)
            connection.channel.embeddedEventLoop.advanceTime(by: .seconds(2))
            #expect(!connection.channel.isActive)
            #expect(connection.events.reasons == [.tooMuch])
            #expect(connection.gate.statistics.closedConnections == [.tooMuch: 1])
            #expect(connection.gate.statistics.openConnections == 0 && connection.gate.statistics.receivedBytes == 0)
        }

        @Test("A connection of which bytes are consumed now and then is not closed")
        func consumesSlowly() throws {
            let connection = try Connection(makeGate())
            try connection.receive(64 << 10)
            #expect(!connection.readsOn())
            for _ in 0..<20 {
                connection.channel.embeddedEventLoop.advanceTime(by: .seconds(20))
                try connection.tell(.consumed(bytes: 1 << 10))
                try connection.receive(1 << 10)
                #expect(!connection.readsOn())
            }
            #expect(connection.channel.isActive)
        }

        @Test("A connection that waits for room is closed after a while, and told before")
        func noRoom() throws {
            let gate = try makeGate {
                $0.bufferedBytes = 64 << 10
            } farewell: { reason in
                ByteBuffer(string: "\(reason.name)\n")
            }
            let first = try Connection(gate)
            let second = try Connection(gate)
            try first.receive(20 << 10)
            #expect(first.readsOn())
            try second.receive(20 << 10)
            #expect(!second.readsOn())
            #expect(gate.statistics.waitingConnections == 1)
            second.channel.embeddedEventLoop.advanceTime(by: .seconds(10))
            #expect(second.events.reasons == [.noRoom])
            #expect(try second.channel.readOutbound(as: ByteBuffer.self) == ByteBuffer(string: "no_room\n"))
            // An embedded channel has no two sides to close; a real one is in the tests of hostile clients.
            second.channel.embeddedEventLoop.advanceTime(by: .seconds(1))
            #expect(!second.channel.isActive)
            #expect(gate.statistics.receivedBytes == 20 << 10 && gate.statistics.waitingConnections == 0)
            #expect(first.channel.isActive)
        }

        @Test("A connection that waits goes on when another is answered")
        func roomAgain() throws {
            let gate = try makeGate { $0.bufferedBytes = 64 << 10 }
            let first = try Connection(gate)
            let second = try Connection(gate)
            try first.receive(20 << 10)
            #expect(first.readsOn())
            try second.receive(20 << 10)
            #expect(!second.readsOn())
            let before = second.reads.count
            try first.channel.writeOutbound(ByteBuffer(string: "answer"))
            second.channel.embeddedEventLoop.run()
            #expect(second.reads.count == before + 1)
            second.channel.embeddedEventLoop.advanceTime(by: .seconds(15))
            #expect(second.channel.isActive)
        }

        @Test("A client that begins and falls silent is closed when others wait, and not before")
        func silent() throws {
            let gate = try makeGate { $0.bufferedBytes = 64 << 10 }
            let silent = try Connection(gate)
            try silent.receive(20 << 10)
            #expect(silent.readsOn())
            silent.channel.embeddedEventLoop.advanceTime(by: .seconds(300))
            #expect(silent.channel.isActive)
            let other = try Connection(gate)
            try other.receive(20 << 10)
            #expect(!other.readsOn())
            silent.channel.embeddedEventLoop.advanceTime(by: .seconds(30))
            #expect(silent.events.reasons == [.silent] && !silent.channel.isActive)
            #expect(gate.statistics.waitingConnections == 0)
        }

        @Test("A connection that waits for room is not taken for a silent one, and has its time when it is read again")
        func keptSilent() throws {
            let gate = try makeGate {
                $0.bufferedBytes = 64 << 10
                $0.waitLimit = .seconds(600)
            }
            let first = try Connection(gate)
            try first.tell(.requestBegan)
            try first.receive(20 << 10)
            #expect(first.readsOn())
            let waiting = [try Connection(gate), try Connection(gate)]
            for connection in waiting {
                try connection.receive(20 << 10)
                #expect(!connection.readsOn())
                connection.channel.embeddedEventLoop.advanceTime(by: .seconds(300))
                #expect(connection.channel.isActive)
            }
            try first.tell(.requestEnded)
            waiting[0].channel.embeddedEventLoop.run()
            waiting[0].channel.embeddedEventLoop.advanceTime(by: .seconds(29))
            #expect(waiting[0].channel.isActive)
            waiting[0].channel.embeddedEventLoop.advanceTime(by: .seconds(10))
            #expect(waiting[0].events.reasons == [.silent])
        }

        @Test("A request that is under way is neither silent nor idle")
        func requestUnderWay() throws {
            let gate = try makeGate { $0.bufferedBytes = 64 << 10 }
            let busy = try Connection(gate)
            try busy.tell(.requestBegan)
            try busy.receive(20 << 10)
            #expect(busy.readsOn())
            let other = try Connection(gate)
            try other.receive(20 << 10)
            #expect(!other.readsOn())
            busy.channel.embeddedEventLoop.advanceTime(by: .seconds(300))
            busy.record.send(.closeIfIdle(since: .distantFuture))
            busy.channel.embeddedEventLoop.run()
            #expect(busy.channel.isActive && busy.record.idleSince == nil)
            try busy.tell(.requestEnded)
            #expect(gate.statistics.receivedBytes == 20 << 10)
            busy.record.send(.closeIfIdle(since: .distantFuture))
            busy.channel.embeddedEventLoop.run()
            #expect(busy.events.reasons == [.idle] && !busy.channel.isActive)
        }

        @Test("What a client does not read holds its connection's reads back")
        func clientIsSlow() throws {
            let connection = try Connection(makeGate())
            connection.channel.write(ByteBuffer(repeating: 1, count: 64 << 10), promise: nil)
            #expect(connection.gate.statistics.unwrittenBytes == 64 << 10)
            #expect(!connection.readsOn())
            let before = connection.reads.count
            connection.channel.flush()
            #expect(connection.reads.count == before + 1)
            #expect(connection.gate.statistics.unwrittenBytes == 0)
        }

        @Test("A handler that is removed lets go of everything, and the connection goes on by itself")
        func removed() throws {
            let connection = try Connection(makeGate())
            try connection.receive(64 << 10)
            connection.channel.write(ByteBuffer(string: "x"), promise: nil)
            #expect(!connection.readsOn())
            let before = connection.reads.count
            try connection.channel.pipeline.syncOperations.removeHandler(connection.handler).wait()
            #expect(connection.reads.count == before + 1)
            connection.channel.flush()
            let statistics = connection.gate.statistics
            #expect(statistics.receivedBytes == 0 && statistics.unwrittenBytes == 0)
            #expect(statistics.openConnections == 1)
            for command in [GatedConnection.Command.readOn, .quiesce, .close, .closeIfIdle(since: .distantFuture)] {
                connection.record.send(command)
            }
            connection.channel.embeddedEventLoop.advanceTime(by: .seconds(100))
            #expect(connection.channel.isActive && connection.readsOn())
            try connection.channel.close().wait()
            connection.channel.embeddedEventLoop.run()
            #expect(connection.gate.statistics.openConnections == 0)
        }

        @Test("At the end a connection is closed when its request has ended, or it was quiet for a while")
        func quiesces() throws {
            let telling = try Connection(makeGate())
            try telling.tell(.requestBegan)
            telling.record.send(.quiesce)
            telling.record.send(.quiesce)
            telling.channel.embeddedEventLoop.advanceTime(by: .seconds(100))
            #expect(telling.channel.isActive && telling.events.quiesces == 1)
            telling.channel.write(ByteBuffer(string: "answer"), promise: nil)
            try telling.tell(.requestEnded)
            #expect(telling.channel.isActive, "the answer is not out")
            telling.channel.flush()
            #expect(!telling.channel.isActive && telling.events.reasons.isEmpty)

            let quiet = try Connection(makeGate())
            try quiet.receive(10)
            quiet.record.send(.quiesce)
            quiet.channel.embeddedEventLoop.advanceTime(by: .seconds(20))
            #expect(quiet.channel.isActive, "it may be at its answer")
            try quiet.channel.writeOutbound(ByteBuffer(string: "answer"))
            quiet.channel.embeddedEventLoop.advanceTime(by: .milliseconds(900))
            #expect(quiet.channel.isActive, "there may be more of the answer")
            quiet.channel.embeddedEventLoop.advanceTime(by: .milliseconds(200))
            #expect(!quiet.channel.isActive)
        }

        @Test("What is told before the handler is there is not lost")
        func early() throws {
            let gate = try makeGate()
            let record = gate.open(from: ObjectIdentifier(gate))
            record.send(.close)
            let channel = EmbeddedChannel()
            try channel.connect(to: .init(ipAddress: "127.0.0.1", port: 1)).wait()
            try channel.pipeline.syncOperations.addHandler(ConnectionHandler(gate: gate, connection: record))
            channel.embeddedEventLoop.run()
            #expect(!channel.isActive)
        }
    }
#endif
