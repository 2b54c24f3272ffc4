internal import ArgumentParser
internal import JetsamNIO
internal import Logging
internal import NIOCore
internal import NIOPosix
internal import ServiceLifecycle
internal import UnixSignals

/// A server that answers a body with its number of bytes.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "serve", abstract: "Serves until SIGTERM.")

    @Flag(help: "Keep the connections within the memory that there is.") var gated = false
    @Option(help: "The bytes of each body.") var bytes = 1 << 20
    @Option(help: "The most connections that are accepted with --gated.") var connections = 1000

    func run() async throws {
        let logger = Logger(label: "gate-nio") { StreamLogHandler.standardError(label: $0) }
        let manager = try ResourceManager(logger: logger)
        var settings = ConnectionGate.Settings()
        settings.connectionBytes = bytes + (64 << 10)
        let gate = ConnectionGate(manager, maximumConnections: connections, settings: settings) { _ in
            ByteBuffer(string: "busy\n")
        }
        let (bytes, gated) = (bytes, gated)
        let bind: @Sendable () async throws -> any Channel = {
            let bootstrap = ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .serverChannelOption(.backlog, value: 4096)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(Counting(bytes: bytes))
                    }
                }
            let channel = try await (gated ? bootstrap.protected(by: gate) : bootstrap)
                .bind(host: "127.0.0.1", port: 0).get()
            logger.notice("listening on \(channel.localAddress?.port ?? 0)")
            return channel
        }
        guard gated else {
            try await bind().closeFuture.get()
            return
        }
        var group = manager.serviceGroupConfiguration(servers: [NIOService(gate, bind: bind)])
        group.gracefulShutdownSignals = [.sigterm]
        try await ServiceGroup(configuration: group).run()
        logger.notice("ended: \(gate.statistics)")
    }
}

/// Collects a body, and answers with its number of bytes.
final class Counting: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let bytes: Int
    private var body = ByteBuffer()

    init(bytes: Int) {
        self.bytes = bytes
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        body.writeImmutableBuffer(unwrapInboundIn(data))
        guard body.readableBytes >= bytes else { return }
        context.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(50)) { [self] in
            let answer = ByteBuffer(string: "\(body.readableBytes)\n")
            body = ByteBuffer()
            context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}

@available(*, unavailable)
extension Counting: Sendable {}
