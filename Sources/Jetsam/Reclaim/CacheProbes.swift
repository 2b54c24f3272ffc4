internal import JetsamPolicy
internal import MemoryPressure
internal import Synchronization

/// Finding out, while memory is not short, what comes back of what a heap cache gives.
///
/// Its values can lie among others that stay: then it promises much and nothing comes of it. That is to be known before it is
/// counted on. Only caches of the library's own kind are asked: a handler of the application might empty its cache on a request
/// at `normal`.
struct CacheProbes: ~Copyable, Sendable {
    /// A little less than the most that a probe may take, because a cache gives whole values.
    static let probeBytes = ReclaimDemand.mostProbedBytes / 8 * 7
    /// A smaller cache is no help worth knowing of.
    static let leastProbed = 16 << 20

    private let registry: CacheRegistry
    private let state: ReclaimState
    /// A probe waits until no call of the application's does.
    private let isWaiting = Atomic<Bool>(false)

    init(registry: CacheRegistry, state: ReclaimState) {
        self.registry = registry
        self.state = state
    }

    /// A probe is wanted, as soon as there is nothing else to do.
    func ask() {
        isWaiting.store(true, ordering: .relaxed)
    }

    /// Memory has become short, or nobody works here any more.
    func withdraw() {
        isWaiting.store(false, ordering: .relaxed)
    }

    /// Returns the cache to probe, if a probe waits and one is due for it; nil while a trim would come too soon after the last.
    ///
    /// - Parameter isAllowed: False in a dry run: the probe is then forgotten.
    func next(isAllowed: Bool) -> CacheClient? {
        guard isWaiting.exchange(false, ordering: .relaxed), isAllowed else { return nil }
        return state.takeProbed(
            of: registry.clients.filter { client in
                client.size != nil && client.reportedBytes >= Self.leastProbed && !client.isBusy && !client.isHeldDown
                    && !client.traits.contains(.lossy)
            })
    }
}
