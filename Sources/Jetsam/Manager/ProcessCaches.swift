internal import MemoryPressure

/// The caches of the process as its state changes: an idle process keeps half, a suspended one nothing.
final class ProcessCaches: ProcessMemory {
    private let registry: CacheRegistry
    private let governor: Governor
    private let reclaimer: Reclaimer
    private let environment: ResourceManager.Environment
    private let idle: IdleCaches
    /// The task that takes half from the caches of a process that has become idle.
    private let halving = Lock<Task<Void, Never>?>(nil)

    init(
        registry: CacheRegistry, governor: Governor, reclaimer: Reclaimer, environment: ResourceManager.Environment
    ) {
        self.registry = registry
        self.governor = governor
        self.reclaimer = reclaimer
        self.environment = environment
        idle = IdleCaches(registry: registry, threads: environment.threads)
    }

    func follow(_ state: ProcessState, isDraining: Bool) {
        let before = halving.withLock { $0.take() }
        // Asked for an idle process, which this is no longer.
        before?.cancel()
        governor.setAllowsRegrowth(!isDraining && state == .active)
        idle.setIdle(!isDraining && state != .active)
        if isDraining || state == .active { Task { [idle] in await idle.lift() } }
        // Idle: half is enough to come back quickly. Whoever drains needs what it has to finish soon.
        guard state == .background, !isDraining, registry.reportedBytes > 0 else { return }
        let task = Task { [reclaimer, registry, idle] in
            _ = await reclaimer.release(bytes: registry.reportedBytes / 2)
            if !Task.isCancelled { await idle.hold() }
        }
        halving.withLock { $0 = task }
    }

    func emptySensitive() async {
        // Private contents are not kept while no client is served.
        guard registry.clients.contains(where: { $0.traits.contains(.sensitive) }) else { return }
        _ = await reclaimer.release(bytes: nil, sensitiveOnly: true)
    }

    func giveBack() async {
        _ = await reclaimer.release(bytes: nil)
        if !Task.isCancelled { await trim() }
    }

    /// Gives back what the allocator keeps, on a thread that may take its time.
    private func trim() async {
        let allocator = environment.allocator
        guard allocator.canTrim else { return }
        let thread = WorkThread("jetsam.trim", threads: environment.threads)
        await withCheckedContinuation { continuation in
            thread.add {
                allocator.trim()
                continuation.resume()
            }
        }
    }
}

/// Room that is made from the caches.
struct CacheRoom: Sendable {
    let governor: Governor
    let reclaimer: Reclaimer

    /// Makes room for so many bytes by asking the caches, and gives how many can then be taken before memory is short.
    func make(bytes: Int) async -> Int {
        let spare = governor.measureSpareBytes()
        guard spare < bytes else { return spare }
        await reclaimer.release(bytes: bytes - spare)
        return governor.measureSpareBytes()
    }
}
