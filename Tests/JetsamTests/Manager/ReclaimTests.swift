import JetsamTesting
import MemoryPressure
import TestSupport
import Testing

@testable import Jetsam

struct ReclaimTests {
    @Test(
        "Growth is seen at once where page cache gives way to it, and usage stays at the limit", arguments: [nil, 400])
    func growthBehindPageCache(high: Int?) async throws {
        let fixture = try Fixture(used: 250 * mebibyte)
        let tree = fixture.machine.tree
        let bound = (high ?? 512) * mebibyte
        if let high { tree.setHigh(bytes: high * mebibyte) }
        try await fixture.run { fixture in
            func grow(to used: Int) {
                tree.setPageCache(bytes: bound - used)
                fixture.set(used: used)
            }
            grow(to: 250 * mebibyte)
            // The sampler has seen it full.
            for _ in 0..<30 { fixture.machine.advance(by: .milliseconds(100)) }
            #expect(fixture.manager.level == .normal)
            for step in 1...20 where fixture.manager.level == .normal {
                grow(to: 250 * mebibyte + step * 10 * mebibyte)
                fixture.machine.advance(by: .milliseconds(20))
            }
            #expect(fixture.manager.level > .normal)
        }
    }

    @Test("Short headroom raises a warning with its reason, and the cheapest band gives what is missing")
    func warning() async throws {
        let fixture = try Fixture()
        let low = FakeCache("low", bytes: 150 * mebibyte, priority: .low, in: fixture)
        let high = FakeCache("high", bytes: 150 * mebibyte, priority: .high, in: fixture)
        try await fixture.run { fixture in
            var changes = fixture.manager.levelChanges.makeAsyncIterator()
            var steps = fixture.manager.reclaimSteps.makeAsyncIterator()
            fixture.set(used: 420 * mebibyte)
            fixture.machine.advance(by: .milliseconds(110))
            let change = try #require(await changes.next(isolation: nil))
            #expect(change.level == .warning)
            #expect(change.reason.rule == .headroom)
            #expect(change.reason.observed == 92 * mebibyte)
            let step = try #require(await steps.next())
            #expect(step.parts.map(\.name) == ["low"])
            #expect(step.promisedBytes == step.targetBytes)
            // The made-up files count in pages.
            #expect(abs(step.returnedBytes - step.promisedBytes) < 4096)
            #expect(!step.isDisturbed)
            #expect(step.headroomAfter > 127 * mebibyte)
            #expect(fixture.manager.isUnderPressure)
        }
        #expect(low.limits.first.map { ($0 ?? 0) / mebibyte } == 110)
        #expect(high.limits.first == 150 * mebibyte)
        #expect(high.requests.isEmpty)
    }

    @Test("At critical one step brings all that is missing, over several caches in order")
    func critical() async throws {
        let fixture = try Fixture()
        let low = FakeCache("low", bytes: 60 * mebibyte, priority: .low, in: fixture)
        let high = FakeCache("high", bytes: 200 * mebibyte, priority: .high, in: fixture)
        try await fixture.run { fixture in
            let steps = fixture.manager.reclaimSteps
            fixture.set(used: 480 * mebibyte)
            fixture.advanceUntilCritical()
            let step = try #require(await steps.first { !$0.parts.isEmpty })
            #expect(step.level == .critical)
            #expect(step.parts.map(\.name) == ["low", "high"])
            #expect(step.promisedBytes == step.missingBytes)
            #expect(step.timeToFirstRelease != nil)
        }
        #expect(low.requests.map(\.bytes).reduce(0, +) == 60 * mebibyte)
        #expect(high.requests.first?.deadline == .milliseconds(100))
    }

    @Test("What a handler captured is let go of when its registration ends", arguments: [false, true])
    func ended(throwing: Bool) async throws {
        final class Values: Sendable {}
        struct Weak: Sendable { weak var values: Values? }
        struct Broken: Error {}
        let fixture = try Fixture()
        try await fixture.run { fixture in
            var values: Values? = Values()
            let left = Weak(values: values)
            var registration: CacheRegistration? = fixture.registry.register("values") { [values] request in
                withExtendedLifetime(values) {}
                if throwing { throw Broken() }
                return request.bytes
            }
            values = nil
            registration?.update(bytes: 100 * mebibyte)
            fixture.set(used: 505 * mebibyte)
            try await fixture.advance(until: "a step has ended") { fixture.manager.status.totals.steps > 0 }
            // No step comes after this: it is gone by itself.
            registration?.end()
            registration = nil
            try await eventually("it is gone") { left.values == nil }
        }
    }

    @Test("A handler that throws, and one that lies, cost nobody else anything")
    func throwsAndLies() async throws {
        struct Broken: Error {}
        let fixture = try Fixture()
        let broken = FakeCache("broken", bytes: 50 * mebibyte, priority: .low, in: fixture) { _, _ in throw Broken() }
        let liar = FakeCache("liar", bytes: 50 * mebibyte, priority: .normal, in: fixture) { _, _ in .max }
        let honest = FakeCache("honest", bytes: 150 * mebibyte, priority: .high, in: fixture)
        try await fixture.run { fixture in
            var steps = fixture.manager.reclaimSteps.makeAsyncIterator()
            fixture.set(used: 470 * mebibyte)
            fixture.advanceUntilCritical()
            let step = try #require(await steps.next())
            #expect(step.parts.map(\.name) == ["broken", "liar", "honest"], "\(step)")
            #expect(step.parts.map(\.failed) == [true, false, false])
            #expect(step.parts[1].promisedBytes == 50 * mebibyte)
            #expect(step.returnedBytes < step.promisedBytes)
        }
        #expect(!broken.requests.isEmpty && !liar.requests.isEmpty && !honest.requests.isEmpty)
    }

    @Test("A handler that hangs is left behind at its deadline, and is not called again while it hangs")
    func hangs() async throws {
        let fixture = try Fixture()
        let gate = Gate()
        let hung = FakeCache.hanging("hung", bytes: 100 * mebibyte, at: gate, in: fixture)
        let other = FakeCache("other", bytes: 150 * mebibyte, priority: .high, in: fixture)
        defer { gate.open() }
        try await fixture.run { fixture in
            var steps = fixture.manager.reclaimSteps.makeAsyncIterator()
            fixture.set(used: 470 * mebibyte)
            // Others are asked before its deadline.
            try await fixture.advance(past: gate, until: "the step has ended") {
                fixture.manager.status.totals.steps > 0
            }
            let step = try #require(await steps.next())
            #expect(step.parts.map(\.name) == ["hung", "other"])
            #expect(step.parts.map(\.missedDeadline) == [true, false])
            let asked = other.requests.count
            fixture.change(used: 60 * mebibyte)
            try await fixture.advance(past: gate, until: "the other is asked again") { other.requests.count > asked }
            #expect(hung.requests.count == 1)
            gate.open()
        }
    }

    @Test("When all threads hang another takes their place, and the rest is still asked")
    func allHang() async throws {
        let fixture = try Fixture()
        let gate = Gate()
        defer { gate.open() }
        let hung = (1...ReclaimThreads.count).map { number in
            FakeCache.hanging("hung \(number)", bytes: 60 * mebibyte, at: gate, in: fixture)
        }
        let other = FakeCache("other", bytes: 150 * mebibyte, priority: .high, in: fixture)
        try await fixture.run { fixture in
            var steps = fixture.manager.reclaimSteps.makeAsyncIterator()
            fixture.set(used: 480 * mebibyte)
            try await fixture.advance(past: gate, until: "a step has ended") { fixture.manager.status.totals.steps > 0 }
            let step = try #require(await steps.next())
            #expect(step.parts.contains { $0.name == "other" })
            #expect(step.parts.filter { $0.missedDeadline && $0.name != "other" }.count == hung.count)
            gate.open()
        }
        #expect(hung.allSatisfy { $0.requests.count == 1 })
        #expect(!other.requests.isEmpty)
    }

    @Test("A handler may register, report and end from inside")
    func reenters() async throws {
        let fixture = try Fixture()
        let made = Lock<CacheRegistration?>(nil)
        let cache = FakeCache("re-entrant", bytes: 150 * mebibyte, in: fixture) { cache, request in
            let registration = cache.fixture.registry.register("made inside") { _ in 0 }
            registration.update(bytes: 1)
            made.withLock { $0 = registration }
            cache.end()
            return request.bytes
        }
        try await fixture.run { fixture in
            var steps = fixture.manager.reclaimSteps.makeAsyncIterator()
            fixture.set(used: 470 * mebibyte)
            fixture.advanceUntilCritical()
            let step = try #require(await steps.next())
            #expect(step.parts.map(\.name) == ["re-entrant"])
            #expect(fixture.manager.status.caches.map(\.name) == ["made inside"])
        }
        #expect(cache.requests.count == 1)
    }

    @Test("An actor's asynchronous handler is asked, and its answer counts")
    func asynchronous() async throws {
        actor Store {
            var bytes = 150 * mebibyte
            func give(_ wanted: Int, _ fixture: Fixture) -> Int {
                let given = min(wanted, bytes)
                bytes -= given
                fixture.change(used: -given)
                return given
            }
        }
        let fixture = try Fixture()
        let store = Store()
        let registration = fixture.registry.registerAsynchronous("store") { [unowned fixture] request in
            await store.give(request.bytes, fixture)
        }
        registration.update(bytes: 150 * mebibyte)
        try await fixture.run { fixture in
            var steps = fixture.manager.reclaimSteps.makeAsyncIterator()
            fixture.set(used: 470 * mebibyte)
            fixture.advanceUntilCritical()
            let step = try #require(await steps.next())
            #expect(step.parts.map(\.name) == ["store"])
            #expect(step.promisedBytes == step.targetBytes)
        }
        #expect(registration.limitBytes != nil)
    }

    @Test("A registration that was ended or dropped is gone, with its bytes")
    func ended() throws {
        let registry = CacheRegistry()
        let kept = registry.register("kept") { _ in 0 }
        kept.update(bytes: 5)
        do {
            let dropped = registry.register("dropped") { _ in 0 }
            dropped.update(bytes: 7)
            #expect(registry.reportedBytes == 12)
        }
        #expect(registry.reportedBytes == 5)
        kept.end()
        kept.end()
        kept.update(bytes: 9)
        #expect(registry.reportedBytes == 0)
    }

    @Test("Asked for everything, every cache is emptied, at any level")
    func everything() async throws {
        let fixture = try Fixture()
        let caches = [("a", 10), ("b", 20)].map { FakeCache($0.0, bytes: $0.1 * mebibyte, in: fixture) }
        try await fixture.run { fixture in
            let step = try #require(await fixture.manager.releaseCaches())
            #expect(step.promisedBytes == 30 * mebibyte)
            #expect(fixture.registry.reportedBytes == 0)
            #expect(fixture.manager.level == .normal)
        }
        #expect(caches.allSatisfy { $0.requests.count == 1 })
        #expect(await fixture.manager.releaseCaches() == nil)
    }

    @Test("Growth of caches ends before it leads to a warning: they get limits, and give nothing", arguments: [1, 20])
    func growthEnds(mebibytes: Int) async throws {
        let fixture = try Fixture()
        let caches = ["large", "small"].map { FakeCache($0, bytes: 20 * mebibyte, in: fixture) }
        let idle = FakeCache("idle", bytes: 10 * mebibyte, in: fixture)
        try await fixture.run { fixture in
            for _ in 0..<400 {
                for (cache, weight) in zip(caches, [3, 1]) {
                    let bytes = cache.state.withLock(\.bytes)
                    let limit = cache.limits.last ?? nil
                    let grown = min(mebibytes * weight * mebibyte / 4, limit.map { max(0, $0 - bytes) } ?? .max)
                    if grown > 0 { cache.grow(grown) }
                }
                fixture.machine.advance(by: .milliseconds(20))
                await fixture.settle()
            }
            #expect(fixture.manager.level == .normal)
            // Warning begins at 102.4 MiB and ends at 128.
            #expect(fixture.manager.status.reading.headroomBytes / mebibyte > 110)
            #expect(fixture.manager.status.reading.headroomBytes / mebibyte < 140)
        }
        #expect((caches + [idle]).allSatisfy { !$0.limits.isEmpty && $0.requests.isEmpty })
    }

    @Test("Caches that do not grow get no limit at normal, however little is free above the warning; nor in a dry run")
    func noLimits() async throws {
        for isDryRun in [false, true] {
            var configuration = ManagerConfiguration()
            configuration.isDryRun = isDryRun
            let fixture = try Fixture(used: 400 * mebibyte, configuration: configuration)
            let cache = FakeCache("cache", bytes: 100 * mebibyte, in: fixture)
            try await fixture.run { fixture in
                for _ in 0..<40 {
                    if isDryRun { cache.grow(128 << 10) }
                    fixture.machine.advance(by: .milliseconds(100))
                    await fixture.settle()
                }
                #expect(fixture.manager.level == .normal)
            }
            #expect(cache.limits.isEmpty && cache.requests.isEmpty)
        }
    }

    @Test("At normal limits rise again slowly, also with room in plenty, and are lifted once they hold nobody back")
    func regrowth() async throws {
        let fixture = try Fixture()
        let cache = FakeCache("cache", bytes: 200 * mebibyte, in: fixture)
        try await fixture.run { fixture in
            var steps = fixture.manager.reclaimSteps.makeAsyncIterator()
            // What comes after ten seconds is no part of the start.
            fixture.machine.advance(by: .seconds(12))
            fixture.set(used: 420 * mebibyte)
            fixture.machine.advance(by: .milliseconds(1100))
            _ = await steps.next()
            let limit = try #require(cache.limits.last ?? nil)
            for _ in 0..<60 {
                fixture.machine.advance(by: .seconds(1))
                await fixture.settle()
            }
            #expect(fixture.manager.level == .normal)
            #expect(cache.limits.last == limit, "memory may rise by as much again")
            for _ in 0..<250 {
                fixture.machine.advance(by: .seconds(1))
                await fixture.settle()
            }
            let raised = try #require(cache.limits.last ?? nil)
            #expect(raised > limit)
            #expect(raised - limit < 60 * mebibyte)
            let count = cache.limits.count
            cache.grow(raised - fixture.registry.reportedBytes)
            fixture.set(used: 100 * mebibyte)
            for _ in 0..<10 {
                fixture.machine.advance(by: .seconds(1))
                await fixture.settle()
            }
            let later = cache.limits.dropFirst(count)
            let next = later.first ?? nil
            #expect(next.map { $0 > raised } == true, "it holds the cache back, and is not lifted at once")
            #expect(later.last == .some(nil))
        }
    }
}
