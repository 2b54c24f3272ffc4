#if GRPC
    import GRPCCore
    import Jetsam
    import JetsamGRPC
    import JetsamTesting
    import TestSupport
    import Testing

    @Suite("A scene for the tenant of a call", .timeLimit(.minutes(5)))
    struct TenantSceneTests {
        struct Observer: SceneObserver {}

        private func run(_ body: @Sendable (SceneManager) async throws -> Void) async throws {
            let machine = SimulatedMachine(tree: try .v2(limit: 512 << 20))
            defer { machine.tree.remove() }
            let manager = try TestServer.makeManager(machine)
            let running = Task { try await manager.run() }
            try await eventually("the process is active") { manager.processState == .active }
            try await body(manager.scenes)
            running.cancel()
            try await running.value
        }

        @Test("The scene that is named serves, and is the same for the next call")
        func connects() async throws {
            try await run { scenes in
                let first = try await scenes.scene(forCallWith: ["tenant": "acme"]) { _ in Observer() }
                #expect(first.identifier == "acme")
                #expect(first.sceneState == .active)
                let second = try await scenes.scene(forCallWith: ["tenant": "acme"]) { _ in Observer() }
                #expect(first === second)
            }
        }

        @Test(
            "A call that names none, or two, or one that is no name, is told what is allowed",
            arguments: [[:], ["tenant": ""], ["tenant": "a", "tenant": "b"]] as [Metadata])
        func names(metadata: Metadata) async throws {
            try await run { scenes in
                let error = await #expect(throws: RPCError.self) {
                    _ = try await scenes.scene(forCallWith: metadata) { _ in Observer() }
                }
                #expect(error?.code == .invalidArgument)
                #expect(
                    error?.message.contains("the metadata 'tenant' names the tenant in 1 to 128 bytes, once") == true)
            }
        }

        @Test("A scene for which there is no room is worth another try")
        func noRoom() async throws {
            try await run { scenes in
                let error = await #expect(throws: RPCError.self) {
                    _ = try await scenes.scene(forCallWith: ["tenant": "acme"], expectedBytes: 1 << 40) { _ in
                        Observer()
                    }
                }
                #expect(error?.code == .resourceExhausted)
                #expect(error?.metadata[stringValues: "grpc-retry-pushback-ms"].contains { _ in true } == true)
            }
        }
    }
#endif
