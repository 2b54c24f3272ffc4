#if Hummingbird
    import Hummingbird
    import Jetsam
    import JetsamHummingbird
    import JetsamTesting
    import NIOCore
    import NIOHTTP1
    import ServiceLifecycle
    import Synchronization
    import Testing

    struct ManagedApplicationTests {
        @Test("Everything of the application's is kept, and the process is ready only after its own onServerRunning")
        func keeps() async throws {
            let server = try ManagedServer()
            defer { server.machine.tree.remove() }
            let wasReady = Mutex<Bool?>(nil)
            let hasPrepared = Mutex(false)
            let router = Router()
            router.get { _, _ in "served" }
            let port = ListeningPort()
            var application = Application(
                router: router,
                configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0), serverName: "kept"),
                onServerRunning: { [manager = server.manager] channel in
                    wasReady.withLock { $0 = manager.isReady }
                    port.tell(channel)
                },
                logger: ManagedServer.logger)
            application.beforeServerStarts { hasPrepared.withLock { $0 = true } }
            try await withClient(of: application.managed(by: server.manager), port) { client in
                let response = try await client.get("/")
                #expect(response.text == "served")
                #expect(response.headers["server"] == ["kept"])
            }
            #expect(hasPrepared.withLock { $0 })
            #expect(wasReady.withLock { $0 } == false)
        }

        @Test("A request that is under way when shutdown begins is answered, and its background task waited for")
        func drains() async throws {
            let server = try ManagedServer()
            let router = Router()
            let (begun, continuation) = AsyncStream.makeStream(of: Void.self)
            let (end, release) = AsyncStream.makeStream(of: Void.self)
            router.get("slow") { [tasks = server.tasks] _, _ in
                try await tasks.withBackgroundTask("slow") {
                    continuation.yield()
                    for await _ in end { break }
                    return "finished"
                }
            }
            try await server.run(router) { port, group in
                try await withClient(port) { client in
                    async let answer = client.get("/slow")
                    for await _ in begun { break }
                    await group.triggerGracefulShutdown()
                    while server.manager.isReady { await Task.yield() }
                    #expect(server.tasks.statistics.held == 1)
                    release.yield()
                    let response = try await answer
                    #expect(response.status == .ok && response.text == "finished")
                }
            }
            #expect(server.tasks.statistics.held == 0 && server.tasks.statistics.overdue == 0)
            #expect(server.manager.processState == .notRunning)
        }

        @Test("One call runs application, manager and what they need, and ends when a service does")
        func runService() async throws {
            let server = try ManagedServer()
            defer { server.machine.tree.remove() }
            let application = Application(
                router: Router(), configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
                logger: ManagedServer.logger)
            let need = Failing()
            let manager = server.manager
            let running = Task {
                try await application.runService(managedBy: manager, needs: [need], gracefulShutdownSignals: [])
            }
            while !manager.isReady { await Task.yield() }
            need.fail()
            await #expect(throws: Failing.Failed.self) { try await running.value }
        }
    }

    /// A service that fails when it is told to.
    private final class Failing: Service {
        struct Failed: Error {}

        private let (failures, continuation) = AsyncStream.makeStream(of: Void.self)

        func fail() { continuation.yield() }

        func run() async throws {
            for await _ in failures { throw Failed() }
        }
    }
#endif
