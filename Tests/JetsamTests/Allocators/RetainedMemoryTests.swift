import JetsamTesting
import MemoryPressure
import TestSupport
import Testing

@testable import BackgroundTasks
@testable import Jetsam

/// What was freed and is retained by the allocator is trimmed before any cache is asked, and caches are asked for no part of it.
struct RetainedMemoryTests {
    private static func fixture(isCheap: Bool, retained: Int) throws -> Fixture {
        let allocator = SimulatedAllocator(isCheap: isCheap)
        allocator.retainedBytes = retained
        var configuration = ManagerConfiguration()
        // The machine's memory grows in jumps, which would leave glibc no time.
        configuration.trim.urgentTimeToLimit = .zero
        let fixture = try Fixture(configuration: configuration, allocator: allocator)
        allocator.onTrim { [weak fixture] bytes in fixture?.change(used: -bytes) }
        return fixture
    }

    private static func firstStep(_ fixture: Fixture, used: Int) async throws -> ReclaimStep {
        try await fixture.run { fixture in
            var steps = fixture.manager.reclaimSteps.makeAsyncIterator()
            fixture.set(used: used)
            // Not beyond the reading that begins the step: a later one changes what the step asks for while it is under way.
            for _ in 0..<110 where fixture.manager.level == .normal { fixture.machine.advance(by: .milliseconds(1)) }
            return try #require(await steps.next())
        }
    }

    @Test(
        "Where the allocator retains all that is missing the caches are neither asked nor limited below their size",
        arguments: [true, false])
    func trimAlone(isCheap: Bool) async throws {
        let fixture = try Self.fixture(isCheap: isCheap, retained: 60 * mebibyte)
        let cache = FakeCache("cache", bytes: 200 * mebibyte, in: fixture)
        let step = try await Self.firstStep(fixture, used: 420 * mebibyte)
        #expect(step.didTrim)
        #expect(step.targetBytes > 30 * mebibyte)
        #expect(step.promisedBytes == 0)
        #expect(abs(step.trimmedBytes - 60 * mebibyte) < 4096)
        #expect(abs(step.returnedBytes - 60 * mebibyte) < 4096)
        #expect(step.retainedBytes == 0)
        #expect(cache.requests.isEmpty)
        #expect(cache.limits == [200 * mebibyte])
        #expect(fixture.manager.status.totals.trimmedBytes == step.trimmedBytes)
    }

    @Test(
        "Where it retains a part, the caches are asked for the rest alone, at warning and at critical",
        arguments: [420, 480])
    func trimAndRelease(used: Int) async throws {
        let plain = try Self.fixture(isCheap: true, retained: 0)
        let plainCache = FakeCache("cache", bytes: 200 * mebibyte, in: plain)
        let without = try await Self.firstStep(plain, used: used * mebibyte)
        let fixture = try Self.fixture(isCheap: true, retained: 20 * mebibyte)
        let cache = FakeCache("cache", bytes: 200 * mebibyte, in: fixture)
        let step = try await Self.firstStep(fixture, used: used * mebibyte)
        #expect(step.targetBytes == without.targetBytes)
        #expect(abs(without.promisedBytes - step.promisedBytes - 20 * mebibyte) < 4096)
        #expect(plainCache.limits == [200 * mebibyte - without.promisedBytes])
        #expect(cache.limits == [200 * mebibyte - step.promisedBytes])
    }

    @Test("What an allocator keeps after a trim is not taken for retained again")
    func residue() async throws {
        let fixture = try Self.fixture(isCheap: true, retained: 10 * mebibyte)
        fixture.machine.allocator.residueBytes = 100 * mebibyte
        let cache = FakeCache("cache", bytes: 200 * mebibyte, in: fixture)
        let step = try await Self.firstStep(fixture, used: 420 * mebibyte)
        #expect(abs(step.trimmedBytes - 10 * mebibyte) < 4096)
        #expect(step.promisedBytes > 20 * mebibyte)
        #expect(step.retainedBytes == 0)
        #expect(cache.requests.map(\.bytes).reduce(0, +) == step.promisedBytes)
    }

    @Test("glibc's heaps are counted once in an episode at most, and not at critical")
    func counting() async throws {
        let fixture = try Self.fixture(isCheap: false, retained: 0)
        let cache = FakeCache("cache", bytes: 200 * mebibyte, in: fixture) { _, _ in 0 }
        try await fixture.run { fixture in
            var steps = fixture.manager.reclaimSteps.makeAsyncIterator()
            fixture.set(used: 420 * mebibyte)
            fixture.machine.advance(by: .milliseconds(110))
            _ = await steps.next()
            fixture.set(used: 480 * mebibyte)
            fixture.machine.advance(by: .milliseconds(300))
            let step = try #require(await steps.next())
            #expect(step.level == .critical)
        }
        #expect(fixture.machine.allocator.counts == 1)
        #expect(!cache.requests.isEmpty)
    }

    @Test("What the application frees while memory is short is seen between steps, and trimmed by a step of its own")
    func betweenSteps() async throws {
        let fixture = try Self.fixture(isCheap: true, retained: 0)
        let cache = FakeCache("cache", bytes: 20 * mebibyte, in: fixture)
        try await fixture.run { fixture in
            var steps = fixture.manager.reclaimSteps.makeAsyncIterator()
            fixture.set(used: 420 * mebibyte)
            fixture.machine.advance(by: .milliseconds(110))
            _ = await steps.next()
            _ = cache.give(20 * mebibyte)
            fixture.set(used: 430 * mebibyte)
            fixture.machine.allocator.retainedBytes = 50 * mebibyte
            let trims = fixture.machine.allocator.trims
            // The look is posted, a reclaim thread takes it, and the next reading sees what it found. A thread that is quick
            // enough has found it, and its step has trimmed, while the time still moves.
            fixture.machine.advance(by: .milliseconds(300))
            try await eventually("it has looked") {
                fixture.manager.status.allocator.retainedBytes == 50 * mebibyte
                    || fixture.machine.allocator.trims > trims
            }
            fixture.machine.advance(by: .milliseconds(300))
            let step = try #require(await steps.next())
            #expect(step.didTrim)
            #expect(step.parts.isEmpty)
            #expect(abs(step.trimmedBytes - 50 * mebibyte) < 4096)
        }
    }

    @Test("What a cache gives to the kernel itself is not waited for at the allocator")
    func unmapping() async throws {
        let fixture = try Self.fixture(isCheap: false, retained: 0)
        let cache = FakeCache("bytes", bytes: 200 * mebibyte, traits: .unmapping, in: fixture)
        let step = try await Self.firstStep(fixture, used: 420 * mebibyte)
        #expect(step.promisedBytes > 0)
        #expect(step.retainedBytes == 0)
        #expect(!step.didTrim)
        #expect(cache.requests.map(\.bytes).reduce(0, +) == step.promisedBytes)
    }
}
