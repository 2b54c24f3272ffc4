internal import ArgumentParser
internal import GRPCCore
internal import GRPCNIOTransportHTTP2Posix
internal import Jetsam
internal import JetsamGRPC
internal import Logging
internal import ServiceLifecycle
internal import UnixSignals

/// A server with one method, which answers with the number of bytes of its message.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "serve", abstract: "Serves until SIGTERM.")

    @Flag(help: "Keep the calls within the memory that there is.") var bounded = false

    func run() async throws {
        let logger = Logger(label: "gate-grpc") { StreamLogHandler.standardError(label: $0) }
        let manager = try ResourceManager(logger: logger)
        let interceptor = MemoryInterceptor(manager: manager)
        let transport = HTTP2ServerTransport.Posix(
            address: .ipv4(host: "127.0.0.1", port: 0), transportSecurity: .plaintext,
            config: bounded ? .bounded(by: interceptor) : .defaults)
        let server = GRPCServer(
            transport: transport, services: [Summing()], interceptors: bounded ? [interceptor] : [])
        var group =
            bounded
            ? manager.serviceGroupConfiguration(servers: [GRPCService(server, manager: manager)])
            : ServiceGroupConfiguration(services: [GRPCService(server, manager: manager)], logger: logger)
        group.gracefulShutdownSignals = [.sigterm]
        Task {
            if let port = try await server.listeningAddress?.ipv4?.port {
                logger.notice("listening on \(port)")
            }
        }
        try await ServiceGroup(configuration: group).run()
    }
}

/// Counts the bytes of a message, and takes a while for it.
struct Summing: RegistrableRPCService {
    struct Bytes: MessageSerializer, MessageDeserializer {
        func serialize<Contiguous: GRPCContiguousBytes>(_ message: [UInt8]) throws -> Contiguous { Contiguous(message) }

        func deserialize<Contiguous: GRPCContiguousBytes>(_ bytes: Contiguous) throws -> [UInt8] {
            unsafe bytes.withUnsafeBytes { unsafe Array($0) }
        }
    }

    static let method = MethodDescriptor(fullyQualifiedService: "gate.Summing", method: "Sum")

    func registerMethods<Transport: ServerTransport>(with router: inout RPCRouter<Transport>) {
        router.registerHandler(forMethod: Self.method, deserializer: Bytes(), serializer: Bytes()) { request, _ in
            let single = try await ServerRequest(stream: request)
            try await Task.sleep(for: .milliseconds(50))
            return StreamingServerResponse(single: ServerResponse(message: Array("\(single.message.count)".utf8)))
        }
    }
}
