#if GRDB
    internal import Dispatch
    public import GRDB
    internal import GRDBSQLite
    public import Jetsam
    public import ServiceLifecycle

    /// The databases of a process: their page caches give memory back, and they close when nothing needs them any more.
    ///
    /// As a registered cache it reports what SQLite's page caches hold, and is asked in its turn. As a service it keeps that
    /// figure up to date, and closes the databases at the end. Put it into the `needs` of the group: a group ends those last.
    ///
    /// ```swift
    /// let database = try DatabasePool(path: path)
    /// let databases = ManagedDatabases(database)
    /// let group = manager.serviceGroupConfiguration(needs: [databases], servers: [server])
    /// ```
    ///
    /// Make one for all databases of the process. SQLite counts its page caches together, so two would report the same bytes
    /// twice.
    public final class ManagedDatabases: Service, Sendable {
        private let databases: [any DatabaseWriter]
        private let interval: Duration
        /// Nil for no longer than it takes to register.
        private let registration = Lock<CacheRegistration?>(nil)

        /// The databases, registered from now on for as long as this is kept.
        ///
        /// - Parameters:
        ///   - databases: Every `DatabasePool` and `DatabaseQueue` of the process that stays open.
        ///   - name: The name in logs, metrics and the ledger.
        ///   - priority: Its priority among the caches.
        ///   - rebuildCost: The cost of reading one byte again, in the unit of the process's other caches.
        ///   - interval: How often the figure is brought up to date while the service runs. 10 ms…1 h; it is held to that.
        ///   - registry: Where it registers.
        public convenience init(
            _ databases: (any DatabaseWriter)..., name: String = "sqlite", priority: ResourcePriority = .normal,
            rebuildCost: Double? = nil, interval: Duration = .seconds(1), registry: CacheRegistry = .shared
        ) {
            self.init(
                databases, name: name, priority: priority, rebuildCost: rebuildCost, interval: interval,
                registry: registry)
        }

        private init(
            _ databases: [any DatabaseWriter], name: String, priority: ResourcePriority, rebuildCost: Double?,
            interval: Duration, registry: CacheRegistry
        ) {
            self.databases = databases
            self.interval = max(.milliseconds(10), min(interval, .seconds(3600)))
            let registration = registry.registerAsynchronous(name, priority: priority, rebuildCost: rebuildCost) {
                [weak self] _ in await self?.release() ?? 0
            }
            self.registration.withLock { $0 = registration }
            report()
        }

        /// Bytes on the heap that SQLite's page caches hold now, of all connections of this process. Takes a lock of SQLite's
        /// for a moment.
        public static var pageCacheBytes: Int {
            var current: Int64 = 0
            var highest: Int64 = 0
            guard unsafe sqlite3_status64(SQLITE_STATUS_PAGECACHE_OVERFLOW, &current, &highest, 0) == SQLITE_OK else {
                return 0
            }
            return Int(current)
        }

        /// Brings the reported figure up to date. The service does this itself; a process that does not run it calls this.
        public func report() {
            registration.withLock { $0 }?.update(bytes: Self.pageCacheBytes)
        }

        /// Keeps the reported figure up to date until the group shuts down or the task is cancelled, then closes the databases.
        ///
        /// It waits for work that is under way in a database. A database that cannot be closed does not keep the others open.
        /// - Throws: The first error of closing.
        public func run() async throws {
            try? await cancelWhenGracefulShutdown { [self] in
                while true {
                    report()
                    try await Task.sleep(for: interval)
                }
            }
            try await close()
            report()
        }

        /// Asks SQLite for everything that it can do without, and gives what its page caches gave.
        ///
        /// How much cannot be asked for: SQLite gives all clean pages that no statement is at, and a pool closes its idle
        /// readers.
        private func release() async -> Int {
            let before = Self.pageCacheBytes
            for database in databases {
                // Its readers close when they have done what they are at. To wait for them would hold up new ones.
                (database as? DatabasePool)?.releaseMemoryEventually()
                await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
                    database.asyncWriteWithoutTransaction { connection in
                        connection.releaseMemory()
                        done.resume()
                    }
                }
            }
            report()
            return max(0, before - Self.pageCacheBytes)
        }

        private func close() async throws {
            // It blocks until what is under way has ended, which a thread of Swift's tasks must not.
            let errors = await withCheckedContinuation { (done: CheckedContinuation<[any Error], Never>) in
                DispatchQueue.global().async { [databases] in
                    var errors: [any Error] = []
                    for database in databases {
                        // A pool's readers first: the last connection that closes brings the log into the file, and may have to
                        // write.
                        (database as? DatabasePool)?.releaseMemory()
                        do { try database.close() } catch { errors.append(error) }
                    }
                    done.resume(returning: errors)
                }
            }
            if let first = errors.first { throw first }
        }
    }
#endif
