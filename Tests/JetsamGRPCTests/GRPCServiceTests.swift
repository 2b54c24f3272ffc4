#if GRPC
    import GRPCCore
    import GRPCNIOTransportHTTP2Posix
    import Jetsam
    import JetsamGRPC
    import JetsamTesting
    import Logging
    import ServiceLifecycle
    import TestSupport
    import Testing

    @Suite("A server in a service group", .timeLimit(.minutes(5)))
    struct GRPCServiceTests {
        @Test(
            "The process is ready when the server listens, and a call that is open is finished before it ends"
        )
        func lifecycle() async throws {
            let machine = SimulatedMachine(tree: try .v2(limit: 512 << 20))
            defer { machine.tree.remove() }
            let manager = try TestServer.makeManager(machine)
            let interceptor = MemoryInterceptor(manager: manager) { $0 == .count ? .low : .normal }
            let service = Counting()
            let server = GRPCServer(
                transport: HTTP2ServerTransport.Posix(
                    address: .ipv4(host: "127.0.0.1", port: 0), transportSecurity: .plaintext,
                    config: .bounded(by: interceptor)),
                services: [service], interceptors: [interceptor])
            let group = ServiceGroup(
                configuration: manager.serviceGroupConfiguration(servers: [GRPCService(server, manager: manager)]))
            let running = Task { try await group.run() }
            try await eventually("the process is ready") { manager.isReady }
            let port = try #require(try await server.listeningAddress?.ipv4?.port)
            try await withGRPCClient(
                transport: .http2NIOPosix(
                    target: .ipv4(address: "127.0.0.1", port: port), transportSecurity: .plaintext)
            ) { client in
                async let held = client.unary(
                    request: ClientRequest(message: [1]), descriptor: .hold, serializer: RawBytes(),
                    deserializer: RawBytes(), options: .defaults
                ) { try $0.message }
                try await eventually("a call is held") { service.heldCalls == 1 }
                await group.triggerGracefulShutdown()
                try await eventually("it is not ready") { !manager.isReady }
                service.letGo()
                let answer = try await held
                #expect(answer == Array("1".utf8))
            }
            try await running.value
            #expect(!manager.isReady)
        }

        @Test("An address that is in use ends the service with the error")
        func cannotListen() async throws {
            let machine = SimulatedMachine(tree: try .v2(limit: 512 << 20))
            defer { machine.tree.remove() }
            let manager = try TestServer.makeManager(machine)
            try await withGRPCServer(
                transport: HTTP2ServerTransport.Posix(
                    address: .ipv4(host: "127.0.0.1", port: 0), transportSecurity: .plaintext), services: []
            ) { first in
                let port = try #require(try await first.listeningAddress?.ipv4?.port)
                let second = GRPCServer(
                    transport: HTTP2ServerTransport.Posix(
                        address: .ipv4(host: "127.0.0.1", port: port), transportSecurity: .plaintext), services: [])
                await #expect(throws: RuntimeError.self) { try await GRPCService(second, manager: manager).run() }
            }
        }
    }
#endif
