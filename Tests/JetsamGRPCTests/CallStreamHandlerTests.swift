#if GRPC
    import GRPCCore
    import Jetsam
    import JetsamTesting
    import NIOCore
    import NIOEmbedded
    import NIOHPACK
    import NIOHTTP2
    import Testing

    @testable import JetsamGRPC

    @Suite("The handler of a stream")
    struct CallStreamHandlerTests {
        typealias Payload = HTTP2Frame.FramePayload

        /// Streams on one event loop that share an interceptor.
        final class Streams {
            let machine: SimulatedMachine
            let manager: ResourceManager
            let interceptor: MemoryInterceptor
            let loop = EmbeddedEventLoop()

            init(_ budget: Int) throws {
                machine = SimulatedMachine(tree: try .v2(limit: 512 << 20))
                manager = try TestServer.makeManager(machine)
                var settings = MemoryInterceptor.Settings()
                settings.receivedBytes = budget
                interceptor = MemoryInterceptor(manager: manager, settings: settings)
            }

            deinit { machine.tree.remove() }

            func open() throws -> EmbeddedChannel {
                let channel = EmbeddedChannel(loop: loop)
                try channel.pipeline.syncOperations.addHandler(
                    CallStreamHandler(interceptor: interceptor, mostMessageBytes: 1 << 20))
                try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
                try channel.writeInbound(
                    Payload.headers(.init(headers: [":path": "/test.Counting/Count", "jetsam-call": "999"])))
                return channel
            }
        }

        private func data(_ bytes: [UInt8], endStream: Bool = false) -> Payload {
            .data(.init(data: .byteBuffer(ByteBuffer(bytes: bytes)), endStream: endStream))
        }

        /// A message's prefix, and the first bytes of it.
        private func beginning(of length: Int, with bytes: Int) -> [UInt8] {
            [0] + (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * $0)) }
                + [UInt8](repeating: 1, count: bytes)
        }

        struct Received: Equatable {
            var bytes: Int
            var hasEnded: Bool
        }

        /// What came through: bytes, and whether the end did.
        private func received(_ channel: EmbeddedChannel) throws -> Received {
            var bytes = 0
            var hasEnded = false
            while let payload = try channel.readInbound(as: Payload.self) {
                if case .data(let part) = payload {
                    bytes += part.data.readableBytes
                    hasEnded = hasEnded || part.endStream
                }
            }
            return Received(bytes: bytes, hasEnded: hasEnded)
        }

        @Test("The call gets a number of its own, whatever the client says")
        func number() throws {
            let streams = try Streams(1 << 20)
            let channel = try streams.open()
            guard case .headers(let payload) = try channel.readInbound(as: Payload.self) else {
                Issue.record("no headers")
                return
            }
            #expect(payload.headers["jetsam-call"] == ["1"])
            _ = try channel.finish()
        }

        @Test("A message that does not fit is held back until there is room, and comes whole")
        func waits() throws {
            let streams = try Streams(100 << 10)
            let first = try streams.open()
            try first.writeInbound(data(beginning(of: 90 << 10, with: 10)))
            #expect(try received(first).bytes == 15)
            let second = try streams.open()
            try second.writeInbound(data(beginning(of: 20 << 10, with: 1000)))
            try second.writeInbound(data([UInt8](repeating: 1, count: (20 << 10) - 1000), endStream: true))
            #expect(try received(second) == Received(bytes: 5, hasEnded: false))
            #expect(streams.interceptor.statistics.waitingCalls == 1)
            try first.close().wait()
            streams.loop.run()
            #expect(try received(second) == Received(bytes: 20 << 10, hasEnded: true))
            #expect(streams.interceptor.statistics == .init(receivedBytes: 20 << 10, receivedBytesLimit: 100 << 10))
            try second.close().wait()
            #expect(streams.interceptor.statistics.receivedBytes == 0)
        }

        @Test("Nothing is read from a stream that waits")
        func withholdsReads() throws {
            final class Reads: ChannelOutboundHandler {
                typealias OutboundIn = Payload
                var count = 0
                func read(context: ChannelHandlerContext) { count += 1 }
            }
            let streams = try Streams(64 << 10)
            let first = try streams.open()
            try first.writeInbound(data(beginning(of: 64 << 10, with: 0)))
            let second = try streams.open()
            let reads = Reads()
            try second.pipeline.syncOperations.addHandler(reads, position: .first)
            second.read()
            #expect(reads.count == 1)
            try second.writeInbound(data(beginning(of: 1, with: 0)))
            second.read()
            second.read()
            #expect(reads.count == 1)
            try first.close().wait()
            streams.loop.run()
            #expect(reads.count == 2)
            _ = try second.finish()
        }

        @Test("A message that waits too long is refused with the time to come back after, and the client is stopped")
        func refuses() throws {
            let streams = try Streams(64 << 10)
            let first = try streams.open()
            try first.writeInbound(data(beginning(of: 64 << 10, with: 0)))
            let second = try streams.open()
            try second.writeInbound(data(beginning(of: 1000, with: 10)))
            streams.loop.advanceTime(by: .seconds(9))
            #expect(try second.readOutbound(as: Payload.self) == nil)
            streams.loop.advanceTime(by: .seconds(1))
            guard case .headers(let payload) = try second.readOutbound(as: Payload.self) else {
                Issue.record("no answer")
                return
            }
            #expect(payload.endStream)
            #expect(payload.headers[":status"] == ["200"])
            #expect(payload.headers["grpc-status"] == ["8"])
            #expect(
                payload.headers["grpc-message"] == ["there was no room for a message of 1000 bytes within 10.0 seconds"]
            )
            #expect(payload.headers["grpc-retry-pushback-ms"].count == 1)
            guard case .rstStream(let code) = try second.readOutbound(as: Payload.self) else {
                Issue.record("the client is not stopped")
                return
            }
            #expect(code == .noError)
            #expect(streams.interceptor.statistics.waitingCalls == 0)
            #expect(streams.interceptor.statistics.refusedCalls == 1)
            // The service learns of it later, and cannot answer any more.
            #expect(throws: ChannelError.ioOnClosedChannel) {
                try second.writeOutbound(Payload.headers(.init(headers: ["grpc-status": "0"], endStream: true)))
            }
            _ = try second.finish()
            _ = try first.finish()
        }

        @Test("A message of which nothing comes any more is refused, unless it is the service that does not read")
        func stalls() throws {
            let streams = try Streams(64 << 10)
            let channel = try streams.open()
            try channel.writeInbound(data(beginning(of: 1000, with: 10)))
            // Nobody asked for more.
            streams.loop.advanceTime(by: .seconds(100))
            #expect(try channel.readOutbound(as: Payload.self) == nil)
            channel.read()
            streams.loop.advanceTime(by: .seconds(20))
            try channel.writeInbound(data([1]))
            channel.read()
            streams.loop.advanceTime(by: .seconds(29))
            #expect(try channel.readOutbound(as: Payload.self) == nil)
            streams.loop.advanceTime(by: .seconds(31))
            guard case .headers(let payload) = try channel.readOutbound(as: Payload.self) else {
                Issue.record("no answer")
                return
            }
            #expect(payload.headers["grpc-status"] == ["4"])
            #expect(payload.headers["grpc-message"] == ["nothing came of a message for 30.0 seconds"])
            #expect(streams.interceptor.statistics.receivedBytes == 0)
            _ = try channel.finish()
        }

        @Test("A message beyond the transport's bound is refused in words")
        func tooLarge() throws {
            let streams = try Streams(64 << 10)
            let channel = try streams.open()
            try channel.writeInbound(data(beginning(of: 2 << 20, with: 0)))
            guard case .headers(let payload) = try channel.readOutbound(as: Payload.self) else {
                Issue.record("no answer")
                return
            }
            #expect(
                payload.headers["grpc-message"] == ["a message of 2097152 bytes came, and at most 1048576 are allowed"])
            _ = try channel.finish()
        }

        @Test("A call that was answered with an error early is stopped, and what still comes is dropped")
        func answeredEarly() throws {
            let streams = try Streams(64 << 10)
            let channel = try streams.open()
            try channel.writeInbound(data(beginning(of: 1000, with: 10)))
            try channel.writeOutbound(
                Payload.headers(.init(headers: [":status": "200", "grpc-status": "8"], endStream: true)))
            _ = try channel.readOutbound(as: Payload.self)
            guard case .rstStream = try channel.readOutbound(as: Payload.self) else {
                Issue.record("the client is not stopped")
                return
            }
            #expect(streams.interceptor.statistics.receivedBytes == 0)
            _ = try received(channel)
            try channel.writeInbound(data([UInt8](repeating: 1, count: 100)))
            #expect(try received(channel).bytes == 0)
            _ = try channel.finish()
        }

        @Test("A stream that ends while it waits leaves nothing behind")
        func endsWhileWaiting() throws {
            let streams = try Streams(64 << 10)
            let first = try streams.open()
            try first.writeInbound(data(beginning(of: 64 << 10, with: 0)))
            let second = try streams.open()
            try second.writeInbound(data(beginning(of: 1000, with: 10)))
            _ = try second.finish()
            _ = try first.finish()
            streams.loop.advanceTime(by: .seconds(20))
            #expect(streams.interceptor.statistics == .init(receivedBytesLimit: 64 << 10))
        }
    }
#endif
