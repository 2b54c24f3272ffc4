public import JetsamSystem
internal import Synchronization

/// A registry of the caches that a `ResourceManager` can ask to give memory back.
///
/// ``shared`` serves the whole process. A library registers there before, after or without a manager, and need not know whether
/// there will be one. Tests make registries of their own.
public final class CacheRegistry: Sendable {
    /// The registry of this process.
    public static let shared = CacheRegistry()

    private struct State {
        var clients: [CacheClient] = []
        /// Those that belong to a scene, by scene.
        var scenes: [SceneIdentifier: [CacheClient]] = [:]
        var nextID: UInt64 = 1
        var hasManager = false
        /// Those that were dropped while the sampler or the steward had them in hand.
        var dropped: [CacheClient] = []
    }

    private let state = Lock(State())
    // Kept beside the list: the sampler reads it at every reading and may not walk the list.
    private let total = Atomic<Int>(0)
    private let unbooked = Atomic<Int>(0)
    private let hollow = Atomic<Int>(0)
    /// The bytes that all caches of ours have fetched again, those that are gone included.
    private let refetched = RefetchedBytes()
    /// Held while caches give segments without their handlers: what one thread has got counts before another decides.
    private let segmentRelease = Lock(())
    /// The number of threads that have clients in hand and may not be the last to have them: code of the application's would run
    /// there.
    private let borrowers = Atomic<Int>(0)
    private let hasDropped = Atomic<Bool>(false)

    /// An empty registry.
    public init() {}

    /// Registers a cache whose handlers are ordinary functions.
    ///
    /// Both handlers are called on a reclaim thread of the manager's, never under a lock, never twice at once for one
    /// registration, and may register, end and report from inside. One that does not come back keeps its thread; the
    /// others go on without it after its deadline.
    ///
    /// - Parameters:
    ///   - name: The cache's name in logs, metrics and the ledger. At most 128 characters are kept.
    ///   - priority: Its priority; lower ones are asked first.
    ///   - rebuildCost: The cost of rebuilding one byte, in any unit, as long as every cache in the process uses the same one.
    ///     Within a priority the cheapest are asked first. Nil counts as 1. Not-a-number and negative values count as 0.
    ///   - traits: The facts that reclaim should know before it asks.
    ///   - scene: The scene that it belongs to, if any: in the background its limit is cut, suspension empties it, and
    ///     disconnecting ends it. The handlers are then called for the scene's changes too, on a thread of the scenes'.
    ///   - limit: Stop growing beyond so many bytes, or have no limit again where it is nil. It must free nothing.
    ///   - release: Give back at least so many bytes and return how many. An error that it throws counts as nothing given, and is
    ///     logged.
    /// - Returns: The registration; the cache is gone when it is ended or dropped.
    public func register(
        _ name: String,
        priority: ResourcePriority = .normal,
        rebuildCost: Double? = nil,
        traits: CacheTraits = [],
        scene: SceneIdentifier? = nil,
        limit: @escaping @Sendable (_ bytes: Int?) throws -> Void = { _ in },
        release: @escaping @Sendable (ReleaseRequest) throws -> Int
    ) -> CacheRegistration {
        add(
            name, priority, rebuildCost, traits.subtracting([.asynchronous, .segments]), scene,
            .synchronous(limit: limit, release: release))
    }

    /// Registers a cache whose handlers are `async`, such as one that is an actor.
    ///
    /// The handlers run in a task of their own at high priority, at the same time as the others; what they promise counts
    /// towards a critical target only once they have answered.
    /// Parameters and result are those of ``register(_:priority:rebuildCost:traits:scene:limit:release:)``.
    public func registerAsynchronous(
        _ name: String,
        priority: ResourcePriority = .normal,
        rebuildCost: Double? = nil,
        traits: CacheTraits = [],
        scene: SceneIdentifier? = nil,
        limit: @escaping @Sendable (_ bytes: Int?) async throws -> Void = { _ in },
        release: @escaping @Sendable (ReleaseRequest) async throws -> Int
    ) -> CacheRegistration {
        add(
            name, priority, rebuildCost, traits.subtracting(.segments).union(.asynchronous), scene,
            .asynchronous(limit: limit, release: release))
    }

    /// Bytes that all registered caches report together; never negative.
    public var reportedBytes: Int { max(0, total.load(ordering: .relaxed)) }

    /// The part of the reported bytes that is not expected to come back as memory, by the results of earlier releases.
    package var hollowBytes: Int { max(0, hollow.load(ordering: .relaxed)) }

    /// Sets what part of what a cache reports is expected to come back as memory, 0…1.
    package func expect(share: Double, of client: CacheClient) {
        client.setExpectedShare(share)
        countHollow(client)
    }

    private func countHollow(_ client: CacheClient) {
        let change = client.exchangeHollow()
        if change != 0 { hollow.wrappingAdd(change, ordering: .relaxed) }
    }

    /// Bytes that were given up in releases and put in again within ten seconds, since the registry was made: of
    /// ``PurgeableCache`` and ``PurgeableByteCache``, as far as samples tell. Of other caches nobody knows the keys.
    package var refetchedBytes: Int { refetched.total }

    /// A total for one more cache, which is part of the registry's.
    func makeRefetchedBytes() -> RefetchedBytes { RefetchedBytes(sum: refetched) }

    /// Registers a cache of values that counts what is fetched again.
    ///
    /// - Parameter bytes: The bytes that it holds: asked after each release.
    func registerValues(
        _ name: String, priority: ResourcePriority, rebuildCost: Double?, traits: CacheTraits, scene: SceneIdentifier?,
        refetched: RefetchedBytes, limit: @escaping @Sendable (_ bytes: Int?) -> Void,
        release: @escaping @Sendable (ReleaseRequest) -> Int, bytes: (@Sendable () -> Int)? = nil
    ) -> CacheRegistration {
        add(
            name, priority, rebuildCost, traits.subtracting([.asynchronous, .segments]), scene,
            .synchronous(limit: limit, release: release), refetched: refetched,
            size: bytes.map { CacheClient.Size(bytes: $0) })
    }

    /// Takes down what a cache holds after its handler was called, where it can be asked.
    package func refresh(_ client: CacheClient) {
        if let size = client.size { report(size.bytes(), for: client) }
    }

    /// Registers a cache that gives memory to the kernel itself: its answers are what was freed.
    ///
    /// - Parameter lastResort: The release for a thread that may neither wait nor allocate; called at any time, also beside
    ///   the others. It hands over the cache that it is about, which may have no other reference by its end.
    func registerSegments(
        _ name: String, priority: ResourcePriority, rebuildCost: Double?, traits: CacheTraits, scene: SceneIdentifier?,
        refetched: RefetchedBytes? = nil, limit: @escaping @Sendable (_ bytes: Int?) -> Void,
        release: @escaping @Sendable (_ bytes: Int) -> Int, lastResort: @escaping CacheClient.LastResort.Release
    ) -> CacheRegistration {
        add(
            name, priority, rebuildCost,
            traits.subtracting([.asynchronous, .traversal]).union([.unmapping, .segments]),
            scene,
            .synchronous(limit: limit, release: { release($0.bytes) }),
            CacheClient.LastResort(release: lastResort), refetched: refetched)
    }

    private func add(
        _ name: String, _ priority: ResourcePriority, _ rebuildCost: Double?, _ traits: CacheTraits,
        _ scene: SceneIdentifier?, _ handlers: CacheClient.Handlers,
        _ lastResort: CacheClient.LastResort? = nil, refetched: RefetchedBytes? = nil, size: CacheClient.Size? = nil
    ) -> CacheRegistration {
        let name = String(name.prefix(128))
        let cost = rebuildCost.map { $0 > 0 ? $0 : 0 }
        let client = state.withLock { state in
            let client = CacheClient(
                id: state.nextID, name: name, priority: priority, rebuildCost: cost, traits: traits,
                handlers: handlers, scene: scene, lastResort: lastResort, refetched: refetched, size: size)
            state.nextID += 1
            state.clients.append(client)
            if let scene { state.scenes[scene, default: []].append(client) }
            return client
        }
        return CacheRegistration(client: client, registry: self)
    }

    /// Lets byte caches give whole segments back, in the order of priorities, when every reclaim thread hangs.
    ///
    /// For the sampler and the steward: it allocates nothing, calls no code of the application's, and passes over a cache or a
    /// part of one that somebody is in.
    ///
    /// - Parameters:
    ///   - bytes: The number of bytes that are missing, asked once nobody else is at it.
    ///   - waits: True to wait while somebody else is at it; otherwise nothing is given then.
    /// - Returns: The bytes that were given to the kernel. They are written in the ledger with the step that is under way.
    package func releaseSegmentsWithoutHandlers(bytes: @autoclosure () -> Int, waits: Bool = false) -> Int {
        if waits { return segmentRelease.withLock { _ in releaseSegments(bytes: bytes()) } }
        return segmentRelease.withLockIfAvailable { _ in releaseSegments(bytes: bytes()) } ?? 0
    }

    /// The same of one cache, for a thread that may not be the last to have it.
    package func releaseSegments(bytes: Int, of client: CacheClient) -> Int {
        guard bytes > 0, let lastResort = client.lastResort else { return 0 }
        return borrowing {
            let given = lastResort.release(bytes, client)
            if client.isBorrowed { hasDropped.store(true, ordering: .releasing) }
            return given
        }
    }

    private func releaseSegments(bytes: Int) -> Int {
        guard bytes > 0 else { return 0 }
        return borrowing { releaseBorrowedSegments(bytes: bytes) }
    }

    /// A cache that is dropped meanwhile is kept, with its handlers, until a thread that may run code of the application's lets go of it.
    private func releaseBorrowedSegments(bytes: Int) -> Int {
        guard let clients = state.withLockIfAvailable({ $0.clients }) else { return 0 }
        var given = 0
        var band: UInt8?
        while given < bytes, let next = Self.nextBand(after: band, clients) {
            // By number: going through the array itself can allocate.
            for index in 0..<clients.count where given < bytes && clients[index].priority.rawValue == next {
                guard !clients[index].hasEnded, let lastResort = clients[index].lastResort else { continue }
                let bytes = lastResort.release(bytes - given, clients[index])
                if clients[index].isBorrowed { hasDropped.store(true, ordering: .releasing) }
                guard bytes > 0 else { continue }
                given = given.addingSaturating(bytes)
                clients[index].addUnbooked(bytes)
            }
            band = next
        }
        if given > 0 { unbooked.wrappingAdd(given, ordering: .relaxed) }
        return given
    }

    /// Bytes that were given without handlers and are in no ledger yet.
    package var unbookedBytes: Int { max(0, unbooked.load(ordering: .acquiring)) }

    /// Bytes that one cache gave without its handlers are in the ledger now, or never will be. A thread that sees this also
    /// sees the missing bytes that were published before.
    package func noteBooked(_ bytes: Int, of client: CacheClient) {
        unbooked.wrappingSubtract(client.removeUnbooked(upTo: bytes), ordering: .acquiringAndReleasing)
    }

    /// The next priority in which a cache has memory of its own.
    private static func nextBand(after band: UInt8?, _ clients: [CacheClient]) -> UInt8? {
        var next: UInt8?
        for index in 0..<clients.count where clients[index].hasLastResort {
            let candidate = clients[index].priority.rawValue
            if let band, candidate <= band { continue }
            if let found = next, found <= candidate { continue }
            next = candidate
        }
        return next
    }

    /// No cache that is dropped while `body` runs, nor what its handlers hold, goes on this thread.
    package func borrowing<Result>(_ body: () -> Result) -> Result {
        borrowers.add(1, ordering: .sequentiallyConsistent)
        defer { borrowers.subtract(1, ordering: .sequentiallyConsistent) }
        return body()
    }

    /// Keeps references that may be the last ones for a thread that may run code of the application's.
    package func keep(_ clients: [CacheClient]) {
        guard !clients.isEmpty else { return }
        state.withLock { $0.dropped += clients }
        hasDropped.store(true, ordering: .releasing)
    }

    /// Lets go of what was kept. For threads that may run code of the application's, under no lock.
    package func letGoOfDropped() {
        guard hasDropped.load(ordering: .acquiring) else { return }
        // While nobody borrows anything: it would be the last to have it after all.
        let kept = segmentRelease.withLockIfAvailable {
            _ -> (clients: [CacheClient], caches: [any AnyObject & Sendable])? in
            guard borrowers.load(ordering: .sequentiallyConsistent) == 0 else { return nil }
            hasDropped.store(false, ordering: .releasing)
            return state.withLock { state in
                defer { state.dropped = [] }
                return (state.dropped, (state.clients + state.dropped).compactMap { $0.giveBack() })
            }
        }
        withExtendedLifetime(kept) {}
    }

    package func remove(_ client: CacheClient) {
        guard client.end() else { return }
        // The list gives up its reference under the lock, but the handlers, which are the user's, are let go after it.
        state.withLock { state in
            if let index = state.clients.firstIndex(where: { $0 === client }) { state.clients.remove(at: index) }
            if borrowers.load(ordering: .sequentiallyConsistent) > 0 {
                state.dropped.append(client)
                hasDropped.store(true, ordering: .releasing)
            }
            guard let scene = client.scene else { return }
            state.scenes[scene]?.removeAll { $0 === client }
            if state.scenes[scene]?.isEmpty == true { state.scenes[scene] = nil }
        }
        report(0, for: client)
        noteBooked(.max, of: client)
        letGoOfDropped()
    }

    package func report(_ bytes: Int, for client: CacheClient) {
        let change = client.exchange(bytes: bytes)
        if change != 0 { total.wrappingAdd(change, ordering: .relaxed) }
        if client.isDiscounted { countHollow(client) }
        // A report that crosses the end of its registration must not leave bytes behind that nobody takes back.
        if bytes > 0, client.hasEnded { report(0, for: client) }
    }

    package var clients: [CacheClient] { state.withLock { $0.clients } }

    package func clients(of scene: SceneIdentifier) -> [CacheClient] {
        state.withLock { $0.scenes[scene] ?? [] }
    }

    /// Takes the one place of a running manager; false where it is taken.
    package func attachManager() -> Bool {
        state.withLock { state in
            guard !state.hasManager else { return false }
            state.hasManager = true
            return true
        }
    }

    package func detachManager() {
        state.withLock { $0.hasManager = false }
    }
}

/// A cache's place in a ``CacheRegistry``: end it or drop it, and the cache is gone from there.
public final class CacheRegistration: Sendable {
    private let client: CacheClient
    private let registry: CacheRegistry

    package init(client: CacheClient, registry: CacheRegistry) {
        self.client = client
        self.registry = registry
    }

    deinit {
        registry.remove(client)
    }

    /// The name that it was registered with.
    package var name: String { client.name }

    /// Reports how many bytes the cache holds now. Negative values count as 0, and more than 128 TiB as 128 TiB.
    ///
    /// Cheap (two atomic operations): call it whenever the size changes, also under the cache's own lock.
    public func update(bytes: Int) {
        registry.report(bytes, for: client)
    }

    /// The cache wants more than its limit: it has turned an entry away.
    func noteTurnedAway() { client.noteTurnedAway() }

    /// The bytes that were reported last.
    package var reportedBytes: Int { client.reportedBytes }

    /// The limit that the manager has set, in bytes; nil for none.
    public var limitBytes: Int? { client.limitBytes }

    /// Takes the cache out of the registry; further calls do nothing. A handler that is running is not waited for.
    public func end() {
        registry.remove(client)
    }
}
