internal import ArgumentParser
internal import NIOCore
internal import NIOPosix

/// Clients that connect together, and each send one body a little at a time.
struct LoadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load",
        abstract: "Sends bodies slowly, and says what became of the connections.",
        discussion: """
            Prints one line: answered (with the right number), told (that the server is busy) and broken (all others).
            """)

    @Option var port: Int
    @Option var connections = 2000
    @Option(help: "The bytes of each body.") var bytes = 1 << 20
    @Option(help: "How long a client that is not held back takes for its body.") var seconds = 4.0

    enum Outcome { case answered, told, broken }

    static let pieces = 16

    func run() async throws {
        let piece = ByteBuffer(repeating: 7, count: bytes / Self.pieces)
        let counts = await withTaskGroup(of: Outcome.self) { group in
            for _ in 0..<connections {
                group.addTask { (try? await send(piece)) ?? .broken }
            }
            return await group.reduce(into: [Outcome: Int]()) { $0[$1, default: 0] += 1 }
        }
        print("answered \(counts[.answered] ?? 0) told \(counts[.told] ?? 0) broken \(counts[.broken] ?? 0)")
    }

    private func send(_ piece: ByteBuffer) async throws -> Outcome {
        let connection = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connectTimeout(.seconds(120))
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await connection.executeThenClose { inbound, outbound in
            try await withThrowingTaskGroup(of: Outcome?.self) { group in
                group.addTask {
                    // Where the server has answered already the connection may be gone, and the answer says why.
                    for _ in 0..<Self.pieces {
                        guard (try? await outbound.write(piece)) != nil else { break }
                        try? await Task.sleep(for: .seconds(seconds / Double(Self.pieces)))
                    }
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

    private func answer(from inbound: NIOAsyncChannelInboundStream<ByteBuffer>) async throws -> Outcome {
        var answer = ""
        for try await bytes in inbound {
            answer += String(buffer: bytes)
            if answer.hasSuffix("\n") { break }
        }
        return answer == "\(bytes)\n" ? .answered : answer == "busy\n" ? .told : .broken
    }
}
