import JetsamTesting
import MemoryPressure
import Testing

@testable import Jetsam
@testable import JetsamPolicy
@testable import PurgeableCaches

/// Caches that report and promise what cannot be: none of it ends the process, and the others are still asked.
struct UntrueSizesTests {
    @Test("Sizes that no process can have are held to 128 TiB, and their sum is a number")
    func reportedSizes() {
        let registry = CacheRegistry()
        let first = registry.register("first", release: { _ in 0 })
        let second = registry.register("second", release: { _ in 0 })
        first.update(bytes: .max)
        second.update(bytes: 1)
        #expect(first.reportedBytes == 1 << 47)
        #expect(registry.reportedBytes == 1 << 47 + 1)
        second.update(bytes: .max)
        #expect(registry.reportedBytes == 1 << 48)
        first.update(bytes: .min)
        #expect(registry.reportedBytes == 1 << 47)
        second.end()
        #expect(registry.reportedBytes == 0)
    }

    @Test("A cache that claims all memory there could be leaves the process alive, and honest ones are asked beside it")
    func claims() async throws {
        let fixture = try Fixture()
        let liars = (0..<3).map { number in
            fixture.registry.register("liar \(number)", priority: .low, release: { _ in number == 0 ? .max : .min })
        }
        for liar in liars { liar.update(bytes: .max) }
        let honest = FakeCache("honest", bytes: 200 * mebibyte, priority: .low, in: fixture)
        try await fixture.run { fixture in
            var steps = fixture.manager.reclaimSteps.makeAsyncIterator()
            fixture.set(used: 500 * mebibyte)
            fixture.machine.advance(by: .milliseconds(110))
            let step = try #require(await steps.next())
            #expect(step.level == .critical)
            await fixture.manager.releaseCaches()
            await fixture.manager.releaseCaches(bytes: .max)
        }
        #expect(!honest.requests.isEmpty)
    }

    @Test("Limits of caches with untrue sizes rise to what a number can be")
    func regrowth() {
        let clients = (1...4).map { id in
            ClientFacts(
                id: id, priority: .normal, traits: [], bytes: .max, limitBytes: id == 1 ? .max - 1 : 1 << 47)
        }
        let limits = Regrowth.limits(clients, bytes: .max)
        #expect(limits.allSatisfy { $0.limitBytes > 1 << 47 })
    }

    @Test("A cache whose entries are said to cost all there is stays within its limit")
    func costs() {
        let cache = PurgeableCache<Int, Int>(name: "costly", limit: 1 << 40, registry: CacheRegistry())
        for key in 0..<100 { cache.insert(key, for: key, cost: .max) }
        #expect(cache.statistics.entries == 1)
    }

    @Test(
        "A number with a fraction becomes the nearest integer that there is",
        arguments: [
            (1.9, 1), (-1.9, -1), (.infinity, .max), (-.infinity, .min), (.nan, 0), (0x1p63, .max), (-0x1p63, .min),
            (1e300, .max),
        ] as [(Double, Int)])
    func saturating(value: Double, nearest: Int) {
        #expect(Int(saturating: value) == nearest)
    }

    @Test("Sums and differences end at the ends of the range")
    func sums() {
        #expect(Int.max.addingSaturating(1) == .max)
        #expect(Int.min.addingSaturating(-1) == .min)
        #expect(Int.min.subtractingSaturating(1) == .min)
        #expect(0.subtractingSaturating(.min) == .max)
        #expect(2.addingSaturating(3) == 5)
        #expect(2.subtractingSaturating(3) == -1)
    }
}
