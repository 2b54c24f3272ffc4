#if NIO || Hummingbird
    import Glibc
    import Jetsam
    import NIOCore
    import NIOPosix
    import TestSupport
    import Testing

    /// A connection on loopback that does what a test says, however rude.
    struct Client: Sendable {
        /// What has come.
        final class Received: Sendable {
            private struct State {
                var text = ""
                var bytes = 0
                var isClosed = false
            }

            private let state = Lock(State())

            var text: String { state.withLock { $0.text } }
            var bytes: Int { state.withLock { $0.bytes } }
            var isClosed: Bool { state.withLock { $0.isClosed } }

            func add(_ bytes: ByteBuffer) {
                state.withLock { state in
                    state.bytes += bytes.readableBytes
                    if state.bytes < 1 << 16 { state.text += String(buffer: bytes) }
                }
            }

            func close() { state.withLock { $0.isClosed = true } }
        }

        private final class Collecting: ChannelInboundHandler {
            typealias InboundIn = ByteBuffer

            let received: Received

            init(_ received: Received) {
                self.received = received
            }

            func channelRead(context: ChannelHandlerContext, data: NIOAny) { received.add(unwrapInboundIn(data)) }

            func channelInactive(context: ChannelHandlerContext) { received.close() }

            func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
        }

        let channel: any Channel
        let received: Received

        static func connect(to port: Int, readsByItself: Bool = true) async throws -> Client {
            let received = Received()
            let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .connectTimeout(.seconds(240))
                .channelOption(.autoRead, value: readsByItself)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(Collecting(received))
                    }
                }
                .connect(host: "127.0.0.1", port: port).get()
            return Client(channel: channel, received: received)
        }

        /// Hands bytes to the kernel; whether the server reads them is another matter.
        func send(_ text: String) {
            channel.writeAndFlush(ByteBuffer(string: text), promise: nil)
        }

        func send(bytes: Int) {
            channel.writeAndFlush(ByteBuffer(repeating: UInt8(ascii: "b"), count: bytes), promise: nil)
        }

        /// Sends a line, and returns the answer's.
        func ask(_ question: String) async throws -> String {
            let before = received.text
            send(question + "\n")
            try await eventually("there is an answer") { [received] in
                received.isClosed || received.text.dropFirst(before.count).hasSuffix("\n")
            }
            return String(received.text.dropFirst(before.count).dropLast())
        }

        func close() async throws { try? await channel.close().get() }

        /// Ends the connection with a reset.
        func reset() async throws {
            try await (channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
            try await close()
        }
    }
#endif
