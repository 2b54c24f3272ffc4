#if NIO || Hummingbird
    import Glibc
    import Jetsam
    import JetsamTesting
    import Logging
    import NIOCore
    import NIOEmbedded
    import Testing

    @testable import JetsamNIO

    @Suite("The handler of a server channel")
    struct AcceptHandlerTests {
        /// Counts the reads that reach the socket.
        private final class Reads: ChannelOutboundHandler {
            typealias OutboundIn = Never
            var count = 0
            func read(context: ChannelHandlerContext) { count += 1 }
        }

        private final class Lines: LogHandler {
            let warnings = Lock(0)
            var metadata: Logger.Metadata {
                get { [:] }
                set {}
            }
            var logLevel: Logger.Level {
                get { .trace }
                set {}
            }
            subscript(metadataKey _: String) -> Logger.Metadata.Value? {
                get { nil }
                set {}
            }
            func log(event: LogEvent) { if event.level == .warning { warnings.withLock { $0 += 1 } } }
        }

        @Test(
            "Without descriptors it tries again every second, and warns once a minute",
            arguments: [EMFILE, ENFILE, ENOMEM])
        func descriptors(code: Int32) throws {
            let machine = SimulatedMachine(tree: try .v2(limit: 512 << 20))
            let lines = Lines()
            let manager = try ResourceManager(
                registry: CacheRegistry(), backgroundTasks: machine.makeBackgroundTaskRegistry(),
                logger: Logger(label: "test") { _ in lines }, environment: machine.environment)
            let before = lines.warnings.withLock { $0 }
            let reads = Reads()
            let channel = EmbeddedChannel()
            let gate = ConnectionGate(manager, maximumConnections: 1)
            try channel.pipeline.syncOperations.addHandlers([reads, AcceptHandler(gate: gate)])
            try channel.connect(to: .init(ipAddress: "127.0.0.1", port: 1)).wait()
            channel.pipeline.read()
            for _ in 0..<30 {
                let count = reads.count
                #expect(count > 0)
                channel.pipeline.fireErrorCaught(IOError(errnoCode: code, reason: "accept"))
                channel.pipeline.read()
                channel.embeddedEventLoop.advanceTime(by: .milliseconds(999))
                #expect(reads.count == count)
                channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
                #expect(reads.count == count + 1)
                #expect(throws: IOError.self) { try channel.throwIfErrorCaught() }
            }
            #expect(lines.warnings.withLock { $0 } == before + 1)
            try channel.close().wait()
        }
    }
#endif
