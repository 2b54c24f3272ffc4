#if canImport(Glibc)
    import Glibc
    import MemoryPressure
    import SystemPackage
    import Testing

    @testable import Jetsam
    @testable import JetsamPolicy

    /// A real file system that is really full or read-only.
    @Suite(.enabled(if: SmallDisk.isAllowed, "needs the right to make a file system (CAP_SYS_ADMIN)"))
    struct FullDiskTests {
        private static func scene(_ identifier: SceneIdentifier = "a") -> StoredScene {
            StoredScene(identifier: identifier, priority: .normal, expectedBytes: 0, stamp: 1)
        }

        private static func state(_ bytes: Int) -> SceneStateData {
            SceneStateData(version: 1, bytes: [UInt8](repeating: 7, count: bytes))
        }

        private static func error(
            _ body: () async throws(SceneStateStoreError) -> Void
        ) async -> SceneStateStoreError? {
            do throws(SceneStateStoreError) {
                try await body()
                return nil
            } catch {
                return error
            }
        }

        @Test(
            "On a full disk the state before stays, nothing half-written is left, and it works again when there is room"
        )
        func full() async throws {
            let disk = try SmallDisk(bytes: 64 << 10)
            try await disk.store.save(Self.scene(), Self.state(10_000))
            let error = await Self.error { () async throws(SceneStateStoreError) in
                try await disk.store.save(Self.scene(), Self.state(100_000))
            }
            #expect(error == .system(.noSpace, doing: "writing the file"))
            #expect(error?.isUnavailability == true)
            #expect(try await disk.store.load("a")?.1 == Self.state(10_000))
            try await disk.store.save(Self.scene("b"), Self.state(20_000))
            #expect(try await disk.store.list(limit: 10).map(\.identifier) == ["a", "b"])
        }

        @Test("On a read-only disk states can be read and not written")
        func readOnly() async throws {
            let disk = try SmallDisk(bytes: 64 << 10)
            try await disk.store.save(Self.scene(), Self.state(10))
            disk.makeReadOnly()
            let error = await Self.error { () async throws(SceneStateStoreError) in
                try await disk.store.save(Self.scene(), Self.state(11))
            }
            #expect(error == .system(.readOnlyFileSystem, doing: "making the file"))
            #expect(try await disk.store.load("a")?.1 == Self.state(10))
        }

        @Test("Scenes go on while the disk is full, and are stored when there is room")
        func scenes() async throws {
            let disk = try SmallDisk(bytes: 64 << 10)
            let fixture = SceneFixture(otherStore: disk.store)
            try await disk.store.save(Self.scene("ballast"), Self.state(50_000))
            let record = BigScene()
            let scene = try await fixture.scenes.connect("a", observer: record)
            try await scene.enterBackground()
            #expect(scene.isUnsaved)
            #expect(fixture.availability.withLock { $0 } == [false])
            try await disk.store.remove("ballast", stamp: nil)
            await fixture.scenes.stateStoreBecame(available: true)
            #expect(!scene.isUnsaved)
            #expect(try await disk.store.load("a")?.1.bytes.count == 20_000)
        }

        private struct BigScene: SceneObserver {
            func encodeState(of scene: ServerScene) async throws -> SceneStateData? { FullDiskTests.state(20_000) }
        }
    }
#endif
