internal import ArgumentParser
internal import NIOCore
internal import NIOHPACK
internal import NIOHTTP2
internal import NIOPosix

/// Clients that begin together, and each send one message a little at a time.
struct LoadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load",
        abstract: "Sends messages slowly, and says what became of the calls.",
        discussion: """
            Prints one line: answered (with the right number), told (RESOURCE_EXHAUSTED with the time to come back after) and broken \
            (all others).
            """)

    @Option var port: Int
    @Option var streams = 500
    @Option var connections = 10
    @Option(help: "The bytes of each message.") var bytes = 1 << 20
    @Option(help: "How long a client that is not held back takes for its message.") var seconds = 4.0

    enum Outcome { case answered, told, broken }

    typealias Payload = HTTP2Frame.FramePayload
    typealias Stream = NIOAsyncChannel<Payload, Payload>

    static let pieces = 64

    func run() async throws {
        var multiplexers: [NIOHTTP2Handler.AsyncStreamMultiplexer<Void>] = []
        for _ in 0..<connections {
            multiplexers.append(
                try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                    .connect(host: "127.0.0.1", port: port) { channel in
                        channel.configureAsyncHTTP2Pipeline(mode: .client) { $0.eventLoop.makeSucceededVoidFuture() }
                    })
        }
        let counts = await withTaskGroup(of: Outcome.self) { group in
            for number in 0..<streams {
                let multiplexer = multiplexers[number % multiplexers.count]
                group.addTask { (try? await call(multiplexer)) ?? .broken }
            }
            return await group.reduce(into: [Outcome: Int]()) { $0[$1, default: 0] += 1 }
        }
        print("answered \(counts[.answered] ?? 0) told \(counts[.told] ?? 0) broken \(counts[.broken] ?? 0)")
    }

    private func call(_ multiplexer: NIOHTTP2Handler.AsyncStreamMultiplexer<Void>) async throws -> Outcome {
        let stream = try await multiplexer.openStream { channel in
            channel.eventLoop.makeCompletedFuture { try Stream(wrappingChannelSynchronously: channel) }
        }
        return try await stream.executeThenClose { inbound, outbound in
            try await withThrowingTaskGroup(of: Outcome?.self) { group in
                group.addTask {
                    // Where the server has answered already the stream is gone, and the answer says why.
                    try? await send(to: outbound)
                    return nil
                }
                group.addTask { try await answer(from: inbound) }
                for try await outcome in group {
                    guard let outcome else { continue }
                    group.cancelAll()
                    return outcome
                }
                return .broken
            }
        }
    }

    private func send(to outbound: NIOAsyncChannelOutboundWriter<Payload>) async throws {
        let headers: HPACKHeaders = [
            ":method": "POST", ":scheme": "http", ":path": "/gate.Summing/Sum", ":authority": "localhost",
            "content-type": "application/grpc", "te": "trailers",
        ]
        try await outbound.write(.headers(.init(headers: headers)))
        var message = ByteBuffer(integer: UInt8(0))
        message.writeInteger(UInt32(bytes))
        message.writeRepeatingByte(7, count: bytes)
        let size = message.readableBytes / Self.pieces + 1
        while let piece = message.readSlice(length: min(size, message.readableBytes)) {
            let isLast = message.readableBytes == 0
            try await outbound.write(.data(.init(data: .byteBuffer(ByteBuffer(buffer: piece)), endStream: isLast)))
            if isLast { return }
            try await Task.sleep(for: .seconds(seconds / Double(Self.pieces)))
        }
    }

    private func answer(from inbound: NIOAsyncChannelInboundStream<Payload>) async throws -> Outcome {
        var content = ByteBuffer()
        for try await payload in inbound {
            switch payload {
            case .data(let part):
                if case .byteBuffer(let bytes) = part.data { content.writeImmutableBuffer(bytes) }
            case .headers(let part) where part.endStream:
                switch part.headers.first(name: "grpc-status") {
                case "0": return String(buffer: content).hasSuffix("\(bytes)") ? .answered : .broken
                case "8": return part.headers.contains(name: "grpc-retry-pushback-ms") ? .told : .broken
                default: return .broken
                }
            default: continue
            }
        }
        return .broken
    }
}
