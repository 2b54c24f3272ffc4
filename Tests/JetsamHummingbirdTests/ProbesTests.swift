#if Hummingbird
    import Hummingbird
    import Jetsam
    import JetsamHummingbird
    import JetsamTesting
    import NIOCore
    import NIOHTTP1
    import ServiceLifecycle
    import Testing

    struct ProbesTests {
        private func router(_ server: ManagedServer) -> Router<BasicRequestContext> {
            Router().addProbes(of: server.manager)
        }

        @Test("A process whose manager does not run lives, and is not ready")
        func notRunning() async throws {
            let server = try ManagedServer()
            defer { server.machine.tree.remove() }
            try await withClient(of: router(server)) { client in
                let live = try await client.get("/live")
                #expect(live.status == .ok && live.text == "ok\n")
                let ready = try await client.get("/ready")
                #expect(ready.status == .serviceUnavailable)
                #expect(ready.text == "not ready: the process is not running\n")
            }
        }

        @Test("Readiness follows the life cycle: when the server listens, in a pause, and in the drain delay")
        func lifeCycle() async throws {
            let server = try ManagedServer { $0.lifecycle.drainDelay = .seconds(5) }
            try await server.run(router(server)) { port, group in
                try await withClient(port) { client in
                    var response = try await client.get("/ready")
                    #expect(response.status == .ok && response.text == "ready\n")

                    try await server.manager.resignActive()
                    response = try await client.get("/ready")
                    #expect(response.status == .serviceUnavailable)
                    #expect(response.text == "not ready: the process is inactive\n")
                    try await server.manager.becomeActive()
                    #expect(try await client.get("/ready").status == .ok)

                    await group.triggerGracefulShutdown()
                    while server.manager.isReady { await Task.yield() }
                    response = try await client.get("/ready")
                    #expect(response.status == .serviceUnavailable)
                    #expect(response.text == "not ready: the process shuts down\n")
                    #expect(try await client.get("/live").status == .ok)
                }
                // Connections are taken until the delay is over.
                let live = try await withClient(port) { try await $0.get("/live") }
                #expect(live.status == .ok)
                server.machine.advance(by: .seconds(5))
            }
            #expect(server.manager.processState == .notRunning)
        }

        @Test("The paths can be others")
        func paths() async throws {
            let server = try ManagedServer()
            defer { server.machine.tree.remove() }
            let router = Router().addProbes(of: server.manager, live: "healthz", ready: "probes/readyz")
            try await withClient(of: router) { client in
                let live = try await client.get("/healthz")
                #expect(live.status == .ok)
                let ready = try await client.get("/probes/readyz")
                #expect(ready.status == .serviceUnavailable)
                let other = try await client.get("/live")
                #expect(other.status == .notFound)
            }
        }
    }
#endif
