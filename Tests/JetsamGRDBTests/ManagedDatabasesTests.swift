#if GRDB
    import GRDB
    import Jetsam
    import JetsamGRDB
    import JetsamTesting
    import Logging
    import ServiceLifecycle
    import Synchronization
    import TestSupport
    import Testing

    // SQLite counts what all connections of the process hold, so one test at a time.
    @Suite("Databases as a cache and as a need", .serialized, .timeLimit(.minutes(5)))
    struct ManagedDatabasesTests {
        /// A database file of 8 MiB, with page caches that may hold all of it.
        private func withPool(_ body: (DatabasePool) async throws -> Void) async throws {
            let directory = try TestDirectory()
            defer { directory.remove() }
            var configuration = Configuration()
            configuration.prepareDatabase { try $0.execute(sql: "PRAGMA cache_size = -65536") }
            let pool = try DatabasePool(path: directory.path + "/test.sqlite", configuration: configuration)
            try await pool.write { database in
                try database.execute(sql: "CREATE TABLE blocks (content BLOB)")
                for _ in 0..<2048 { try database.execute(sql: "INSERT INTO blocks VALUES (randomblob(4000))") }
            }
            try await body(pool)
        }

        private func readAll(_ database: any DatabaseReader) async throws {
            let bytes = try await database.read {
                try Int.fetchOne($0, sql: "SELECT sum(length(hex(content))) FROM blocks")
            }
            #expect(bytes == 2048 * 8000)
        }

        private func makeManager(_ machine: SimulatedMachine, _ registry: CacheRegistry) throws -> ResourceManager {
            machine.tree.setUnreclaimable(bytes: 100 << 20)
            machine.tree.setFootprint(bytes: 100 << 20)
            return try ResourceManager(
                registry: registry, backgroundTasks: machine.makeBackgroundTaskRegistry(),
                logger: Logger(label: "test"),
                environment: machine.environment)
        }

        @Test("What the page caches hold is reported, and comes back when it is asked for")
        func gives() async throws {
            try await withPool { pool in
                try await readAll(pool)
                let registry = CacheRegistry()
                let databases = ManagedDatabases(pool, registry: registry)
                let before = registry.reportedBytes
                #expect(before > 8 << 20)
                #expect(before == ManagedDatabases.pageCacheBytes)

                let machine = SimulatedMachine(tree: try .v2(limit: 512 << 20))
                defer { machine.tree.remove() }
                let manager = try makeManager(machine, registry)
                let running = Task { try await manager.run() }
                await machine.waitUntilStarted()
                let step = try #require(await manager.releaseCaches(bytes: 1 << 20))
                #expect(step.parts.map(\.name) == ["sqlite"])
                #expect(step.promisedBytes > 8 << 20)
                // The registry knows at once: it is not asked again for what it has given.
                #expect(registry.reportedBytes == ManagedDatabases.pageCacheBytes)
                #expect(registry.reportedBytes < 1 << 20)
                // The database goes on.
                try await readAll(pool)
                running.cancel()
                try await running.value
                withExtendedLifetime(databases) {}
            }
        }

        @Test("A queue gives as well")
        func queueGives() async throws {
            let directory = try TestDirectory()
            defer { directory.remove() }
            var configuration = Configuration()
            configuration.prepareDatabase { try $0.execute(sql: "PRAGMA cache_size = -65536") }
            let queue = try DatabaseQueue(path: directory.path + "/queue.sqlite", configuration: configuration)
            try await queue.write { database in
                try database.execute(sql: "CREATE TABLE blocks (content BLOB)")
                for _ in 0..<2048 { try database.execute(sql: "INSERT INTO blocks VALUES (randomblob(4000))") }
            }
            try await readAll(queue)
            let registry = CacheRegistry()
            let databases = ManagedDatabases(queue, name: "queue", priority: .low, registry: registry)
            #expect(registry.reportedBytes > 8 << 20)
            let machine = SimulatedMachine(tree: try .v2(limit: 512 << 20))
            defer { machine.tree.remove() }
            let manager = try makeManager(machine, registry)
            let running = Task { try await manager.run() }
            await machine.waitUntilStarted()
            await manager.releaseCaches()
            #expect(registry.reportedBytes < 1 << 20)
            running.cancel()
            try await running.value
            withExtendedLifetime(databases) {}
        }

        @Test("The figure follows by itself while the service runs")
        func follows() async throws {
            try await withPool { pool in
                pool.releaseMemory()
                let registry = CacheRegistry()
                let databases = ManagedDatabases(pool, interval: .milliseconds(10), registry: registry)
                let little = registry.reportedBytes
                let group = ServiceGroup(services: [databases], logger: Logger(label: "test"))
                let running = Task { try await group.run() }
                try await readAll(pool)
                try await eventually("it is reported") { registry.reportedBytes > little + 8 << 20 }
                await group.triggerGracefulShutdown()
                try await running.value
            }
        }

        @Test("The database closes when background work has ended, and its last transactions are in the file")
        func closesLast() async throws {
            let directory = try TestDirectory()
            defer { directory.remove() }
            let path = directory.path + "/need.sqlite"
            let pool = try DatabasePool(path: path)
            try await pool.write { try $0.execute(sql: "CREATE TABLE work (name TEXT)") }
            let registry = CacheRegistry()
            let databases = ManagedDatabases(pool, registry: registry)
            let machine = SimulatedMachine(tree: try .v2(limit: 512 << 20))
            defer { machine.tree.remove() }
            let manager = try makeManager(machine, registry)
            let group = ServiceGroup(configuration: manager.serviceGroupConfiguration(needs: [databases], servers: []))
            let running = Task { try await group.run() }
            try await eventually("the process is active") { manager.processState == .active }
            var task = try manager.backgroundTasks.begin("work")
            await group.triggerGracefulShutdown()
            try await eventually("it drains") { manager.processState == .background }
            // A reader is open as well.
            _ = try await pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM work") }
            // The servers have ended; the work that is held still has its database.
            try await pool.write { try $0.execute(sql: "INSERT INTO work VALUES ('late')") }
            task.end()
            try await running.value
            await #expect(throws: DatabaseError.self) {
                try await pool.write { try $0.execute(sql: "INSERT INTO work VALUES ('too late')") }
            }
            // A database that was closed in order leaves no log beside it.
            #expect(directory.names == ["need.sqlite"])
            let again = try DatabaseQueue(path: path)
            #expect(try await again.read { try String.fetchAll($0, sql: "SELECT name FROM work") } == ["late"])
        }

        @Test("Nothing is left when it is dropped, and a release after the end gives nothing")
        func dropped() async throws {
            let registry = CacheRegistry()
            do {
                let queue = try DatabaseQueue()
                try await queue.write { try $0.execute(sql: "CREATE TABLE empty (content BLOB)") }
                let databases = ManagedDatabases(queue, registry: registry)
                let group = ServiceGroup(services: [databases], logger: Logger(label: "test"))
                let running = Task { try await group.run() }
                await group.triggerGracefulShutdown()
                try? await running.value
                databases.report()
            }
            #expect(registry.reportedBytes == 0)
        }
    }
#endif
