#if Hummingbird
    import Hummingbird
    import NIOCore
    import NIOHTTP1
    import NIOPosix

    /// A connection on loopback that asks one question after the other.
    ///
    /// Hummingbird's own client for tests would bring TLS and HTTP/2 into every build of the tests.
    struct TestClient: Sendable {
        struct Response: Sendable {
            var status: HTTPResponseStatus
            var headers: HTTPHeaders
            var text: String
        }

        enum Failure: Error {
            /// The connection was closed before the answer was whole.
            case closed
            /// No answer has come in five minutes, which is long enough on a machine that runs all other tests meanwhile.
            case late
        }

        private let channel: any Channel

        /// Returns a client when it is connected.
        static func connected(to port: Int) async throws -> TestClient {
            let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .connectTimeout(.seconds(240))
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHTTPClientHandlers()
                        try channel.pipeline.syncOperations.addHandler(Answers())
                    }
                }
                .connect(host: "127.0.0.1", port: port).get()
            return TestClient(channel: channel)
        }

        /// Asks for `path`, and returns the answer.
        func get(_ path: String) async throws -> Response {
            let promise = channel.eventLoop.makePromise(of: Response.self)
            let late = channel.eventLoop.scheduleTask(in: .seconds(300)) { promise.fail(Failure.late) }
            defer { late.cancel() }
            channel.writeAndFlush(Answers.Question(path: path, answer: promise)).cascadeFailure(to: promise)
            return try await promise.futureResult.get()
        }

        /// Closes the connection, if the server has not done so yet.
        func close() async throws {
            do { try await channel.close().get() } catch ChannelError.alreadyClosed {}
        }
    }

    /// Writes questions, and gives their answers to who asked.
    private final class Answers: ChannelDuplexHandler {
        typealias InboundIn = HTTPClientResponsePart
        typealias OutboundIn = Question
        typealias OutboundOut = HTTPClientRequestPart

        struct Question: Sendable {
            var path: String
            var answer: EventLoopPromise<TestClient.Response>
        }

        private var waiting: [EventLoopPromise<TestClient.Response>] = []
        private var response = TestClient.Response(status: .ok, headers: [:], text: "")

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            let question = unwrapOutboundIn(data)
            waiting.append(question.answer)
            let head = HTTPRequestHead(
                version: .http1_1, method: .GET, uri: question.path, headers: ["host": "127.0.0.1"])
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            context.write(wrapOutboundOut(.end(nil)), promise: promise)
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head):
                response = TestClient.Response(status: head.status, headers: head.headers, text: "")
            case .body(let bytes): response.text += String(buffer: bytes)
            case .end: if !waiting.isEmpty { waiting.removeFirst().succeed(response) }
            }
        }

        func channelInactive(context: ChannelHandlerContext) { failAll(TestClient.Failure.closed) }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            failAll(error)
            context.close(promise: nil)
        }

        private func failAll(_ error: any Error) {
            for answer in waiting { answer.fail(error) }
            waiting.removeAll()
        }
    }
#endif
