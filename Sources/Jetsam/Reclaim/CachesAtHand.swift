internal import MemoryPressure

/// The caches of the newest run, and those whose answers may still come.
struct CachesAtHand {
    private var clients: [UInt64: CacheClient] = [:]

    subscript(id: UInt64) -> CacheClient? { clients[id] }

    var count: Int { clients.count }
    var all: some Sequence<CacheClient> { clients.values }
    var names: [UInt64: String] { clients.mapValues(\.name) }
    /// Those whose bytes go to the kernel at once.
    var unmapping: Set<UInt64> { Set(clients.values.filter { $0.traits.contains(.unmapping) }.map(\.id)) }
    /// Indicates whether one of them has bytes and is not busy.
    var canAnyGive: Bool { clients.values.contains { !$0.isBusy && $0.reportedBytes > 0 } }

    /// Has the caches of another run at hand; returns those of the run before.
    mutating func replace(with newClients: [CacheClient]) -> EarlierClients {
        defer { clients = Dictionary(uniqueKeysWithValues: newClients.map { ($0.id, $0) }) }
        return EarlierClients(clients: clients)
    }

    /// Forgets the caches of a run that is over, but for those whose answers may still come: a cache whose registration ends is to
    /// be gone then, with all that its handlers captured, and not with the next run.
    ///
    /// - Returns: Those that were at hand.
    mutating func forget(after run: ReclaimRun?) -> EarlierClients {
        let earlier = EarlierClients(clients: clients)
        let late = run?.lateClients ?? []
        clients = clients.filter { $0.value.isBusy || late.contains($0.key) }
        return earlier
    }

    /// Forgets a cache that was kept for an answer. The caller has it still.
    mutating func remove(_ client: CacheClient) {
        clients[client.id] = nil
    }
}

/// The caches that an earlier run had at hand. These may be the last references to them, and so to code of the application's: they
/// are let go of under no lock.
struct EarlierClients {
    private let clients: [UInt64: CacheClient]

    fileprivate init(clients: [UInt64: CacheClient]) {
        self.clients = clients
    }

    /// Nobody.
    init() {
        clients = [:]
    }

    /// - Parameter callsHandlers: False for a thread that must not run code of the application's: another lets go of them.
    func letGo(_ registry: CacheRegistry, callsHandlers: Bool) {
        if !callsHandlers { registry.keep(clients.values.filter(\.hasEnded)) }
    }
}
