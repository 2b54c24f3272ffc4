import JetsamTesting
import MemoryPressure
import Synchronization
import Testing

@testable import Jetsam
@testable import JetsamPolicy
@testable import PurgeableCaches

/// Who lets go last of a cache that is dropped while the sampler or the steward has it in hand: never these two, for what it holds may
/// be code of the application's.
struct DroppedCacheTests {
    /// Counts when it goes.
    private final class Witness: Sendable {
        let ends: Atomic<Int>

        init() { ends = Atomic(0) }
    }

    private final class Held: Sendable {
        let witness: Witness

        init(_ witness: Witness) { self.witness = witness }

        deinit { witness.ends.add(1, ordering: .sequentiallyConsistent) }
    }

    private func registration(
        in registry: CacheRegistry, _ held: Held, lastResort: @escaping CacheClient.LastResort.Release
    ) -> CacheRegistration {
        registry.registerSegments(
            "a", priority: .normal, rebuildCost: nil, traits: [], scene: nil, limit: { _ in },
            release: { _ in withExtendedLifetime(held) { 0 } }, lastResort: lastResort)
    }

    @Test("A cache that is dropped while its segments are released goes with a thread that may run its code")
    func duringRelease() {
        let registry = CacheRegistry()
        let witness = Witness()
        let box = Lock<CacheRegistration?>(nil)
        // Held by the box alone.
        box.withLock { held in
            held = registration(in: registry, Held(witness)) { bytes, _ in
                let dropped = box.withLock { registration in
                    defer { registration = nil }
                    return registration
                }
                withExtendedLifetime(dropped) {}
                return bytes
            }
        }
        #expect(registry.releaseSegmentsWithoutHandlers(bytes: 1) == 1)
        #expect(registry.clients.isEmpty)
        #expect(witness.ends.load(ordering: .sequentiallyConsistent) == 0)
        registry.letGoOfDropped()
        #expect(witness.ends.load(ordering: .sequentiallyConsistent) == 1)
    }

    @Test("While the steward works, a cache that is dropped is kept for another thread")
    func steward() {
        let registry = CacheRegistry()
        let witness = Witness()
        var registration: CacheRegistration? = registration(in: registry, Held(witness)) { _, _ in 0 }
        #expect(registration != nil)
        registry.borrowing {
            var clients = registry.clients
            registration = nil
            #expect(registry.clients.isEmpty)
            clients.removeAll()
            #expect(witness.ends.load(ordering: .sequentiallyConsistent) == 0)
            registry.letGoOfDropped()
            #expect(witness.ends.load(ordering: .sequentiallyConsistent) == 0)
        }
        registry.letGoOfDropped()
        #expect(witness.ends.load(ordering: .sequentiallyConsistent) == 1)
    }

    @Test("A byte cache that a release without handlers went through lives until such a thread has let go of it")
    func byteCache() {
        let registry = CacheRegistry()
        weak var witness: PurgeableByteCache?
        do {
            let cache = PurgeableByteCache(name: "bytes", registry: registry)
            for number in 0..<100 { cache.insert([UInt8](repeating: 1, count: 1000), for: "\(number)") }
            witness = cache
            #expect(registry.releaseSegmentsWithoutHandlers(bytes: .max) > 0)
        }
        #expect(witness != nil)
        registry.letGoOfDropped()
        #expect(witness == nil)
        #expect(registry.clients.isEmpty && registry.reportedBytes == 0)
    }
}
