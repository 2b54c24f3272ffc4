import JetsamTesting
import MemoryPressure
import TestSupport
import Testing

@testable import Jetsam
@testable import JetsamPolicy
@testable import PurgeableCaches

struct LimitPreparationTests {
    /// Uses 380 MiB of 512, of which the cache holds 300.
    private func made() throws -> (Fixture, FakeCache) {
        let fixture = try Fixture(used: 380 * mebibyte)
        return (fixture, FakeCache("values", bytes: 300 * mebibyte, in: fixture))
    }

    @Test("Caches give what is missing, are held until the limit is cut, and grow again afterwards")
    func reached() async throws {
        let (fixture, cache) = try made()
        try await fixture.run { fixture in
            let preparation = try #require(await fixture.manager.prepareForLimit(300 * mebibyte))
            #expect(preparation.obstacle == nil && preparation.missingBytes == 0, "\(preparation)")
            #expect(preparation.readings.before.unreclaimableBytes == 380 * mebibyte)
            #expect(preparation.readings.after.unreclaimableBytes <= 240 * mebibyte)
            #expect(preparation.steps.flatMap(\.parts).map(\.name) == ["values"])
            let held = try #require(cache.limits.last ?? nil)
            #expect(fixture.manager.status.announcedLimit?.bytes == 300 * mebibyte)

            fixture.machine.advance(by: .seconds(30))
            await fixture.settle()
            #expect(cache.limits.last == held)

            fixture.machine.tree.setLimit(bytes: 300 * mebibyte)
            fixture.machine.advance(by: .seconds(3))
            #expect(fixture.manager.status.announcedLimit == nil)
            #expect(fixture.manager.level == .normal)
        }
        cache.end()
    }

    @Test("Caches are held for the time that was given, or until nobody wants it", arguments: [true, false])
    func holdEnds(byTime: Bool) async throws {
        let (fixture, cache) = try made()
        try await fixture.run { fixture in
            await fixture.manager.prepareForLimit(300 * mebibyte, holding: .seconds(10))
            let count = cache.limits.count
            fixture.machine.advance(by: .seconds(9))
            await fixture.settle()
            #expect(cache.limits.count == count)
            if !byTime { #expect(await fixture.manager.prepareForLimit(nil) == nil) }
            fixture.machine.advance(by: .seconds(byTime ? 3 : 0.5))
            #expect(fixture.manager.status.announcedLimit == nil)
            for _ in 0..<5 {
                fixture.machine.advance(by: .seconds(2))
                await fixture.settle()
            }
            #expect(cache.limits.count > count)
        }
        cache.end()
    }

    @Test("Where two ask the lower number holds, until the later end")
    func two() async throws {
        let (fixture, cache) = try made()
        try await fixture.run { fixture in
            await fixture.manager.prepareForLimit(300 * mebibyte, holding: .seconds(10))
            let second = await fixture.manager.prepareForLimit(400 * mebibyte, holding: .seconds(100))
            #expect(second?.obstacle == nil)
            #expect(fixture.manager.status.announcedLimit?.bytes == 300 * mebibyte)
            fixture.machine.advance(by: .seconds(50))
            #expect(fixture.manager.status.announcedLimit?.bytes == 300 * mebibyte)
        }
        cache.end()
    }

    @Test("Less than what is beside the caches cannot be reached, and empties nobody")
    func unmanaged() async throws {
        let (fixture, cache) = try made()
        try await fixture.run { fixture in
            let preparation = try #require(await fixture.manager.prepareForLimit(90 * mebibyte))
            #expect(preparation.obstacle == .unmanagedMemory)
            #expect(preparation.missingBytes > 0)
            #expect(cache.requests.isEmpty)
        }
        cache.end()
    }

    @Test("A number above the limit of now, and one that is none, ask nobody and hold nobody")
    func outOfRange() async throws {
        let (fixture, cache) = try made()
        try await fixture.run { fixture in
            for bytes in [0, -5, 513 * mebibyte] {
                let preparation = try #require(await fixture.manager.prepareForLimit(bytes))
                #expect(preparation.obstacle == .outOfRange)
            }
            #expect(fixture.manager.status.announcedLimit == nil)
            #expect(cache.requests.isEmpty && cache.limits.isEmpty)
        }
        cache.end()
    }

    @Test("A dry run says what is missing, and asks nobody")
    func dryRun() async throws {
        let (fixture, cache) = try made()
        try await fixture.run { fixture in
            fixture.manager.setDryRun(true)
            let preparation = try #require(await fixture.manager.prepareForLimit(300 * mebibyte))
            #expect(preparation.obstacle == .dryRun)
            #expect(preparation.missingBytes == 140 * mebibyte)
            #expect(cache.requests.isEmpty)
            #expect(fixture.manager.status.announcedLimit == nil)
        }
        cache.end()
    }

    @Test("A cache that says it gave and did not is found out, and one that throws as well", arguments: [true, false])
    func poor(lies: Bool) async throws {
        struct Failure: Error {}
        let fixture = try Fixture(used: 380 * mebibyte)
        let cache = FakeCache("values", bytes: 300 * mebibyte, in: fixture) { _, request in
            if !lies { throw Failure() }
            return request.bytes
        }
        try await fixture.run { fixture in
            let preparation = try #require(await fixture.manager.prepareForLimit(300 * mebibyte))
            #expect(preparation.obstacle == .caches, "\(preparation)")
            #expect(preparation.missingBytes == 140 * mebibyte)
        }
        cache.end()
    }

    @Test("A cache that registers during the hold keeps what it has, and grows again afterwards")
    func newcomer() async throws {
        let (fixture, cache) = try made()
        try await fixture.run { fixture in
            await fixture.manager.prepareForLimit(300 * mebibyte)
            let newcomer = FakeCache("newcomer", bytes: 10 * mebibyte, in: fixture)
            fixture.change(used: 10 * mebibyte)
            fixture.machine.advance(by: .seconds(4))
            await fixture.settle()
            #expect(newcomer.limits == [10 * mebibyte])

            #expect(await fixture.manager.prepareForLimit(nil) == nil)
            for _ in 0..<10 {
                fixture.machine.advance(by: .seconds(2))
                await fixture.settle()
            }
            #expect(newcomer.limits.count > 1)
            newcomer.end()
        }
        cache.end()
    }

    @Test("A process that is active again during the hold does not get its older limits back")
    func activeAgain() async throws {
        let (fixture, cache) = try made()
        try await fixture.run { fixture in
            try await fixture.manager.enterBackground()
            try await eventually("it holds half") { cache.limits.count == 1 }
            await fixture.manager.prepareForLimit(200 * mebibyte)
            let held = try #require(cache.limits.last ?? nil)
            #expect(held < 150 * mebibyte)
            try await fixture.manager.becomeActive()
            try await eventually("it may grow") { fixture.registry.clients.allSatisfy { !$0.isHeldDown } }
            #expect(cache.limits.last == held)
            await fixture.settle()
            #expect(cache.limits.last == held)
        }
        cache.end()
    }

    @Test("A cache that hangs does not keep the others from making room")
    func hanging() async throws {
        let fixture = try Fixture(used: 400 * mebibyte)
        let gate = Gate()
        let hanging = FakeCache.hanging("hanging", bytes: 20 * mebibyte, at: gate, in: fixture)
        let honest = FakeCache("honest", bytes: 300 * mebibyte, in: fixture)
        try await fixture.run { fixture in
            async let preparation = fixture.manager.prepareForLimit(300 * mebibyte)
            try await eventually("it hangs") { hanging.isBusy }
            try await eventually("its time is over") {
                fixture.machine.advance(by: .milliseconds(100))
                return !honest.requests.isEmpty
            }
            let answer = await preparation
            #expect(answer?.obstacle == nil, "\(String(describing: answer))")
            gate.open()
        }
        hanging.end()
        honest.end()
    }

    @Test("A cache that takes longer than its deadline is waited for")
    func slow() async throws {
        let fixture = try Fixture(used: 380 * mebibyte)
        let gate = Gate()
        let cache = FakeCache("slow", bytes: 300 * mebibyte, in: fixture) { cache, request in
            gate.arrive()
            gate.waitUntilOpen()
            return cache.give(request.bytes)
        }
        let ended = Lock(false)
        try await fixture.run { fixture in
            async let preparation = {
                defer { ended.withLock { $0 = true } }
                return await fixture.manager.prepareForLimit(300 * mebibyte)
            }()
            try await eventually("it is asked") { cache.isBusy }
            try await eventually("its deadline is over, and it is waited for") {
                fixture.machine.advance(by: .milliseconds(100))
                return fixture.registry.clients.contains { $0.waiting > 0 }
            }
            #expect(fixture.manager.status.caches.contains { $0.missedDeadlines > 0 })
            #expect(!ended.withLock { $0 })
            gate.open()
            let answer = await preparation
            #expect(answer?.obstacle == nil && answer?.missingBytes == 0, "\(String(describing: answer))")
        }
        cache.end()
    }

    @Test("A cache that is ended while it is asked is no longer counted on")
    func leaves() async throws {
        let fixture = try Fixture(used: 380 * mebibyte)
        let cache = FakeCache("values", bytes: 300 * mebibyte, in: fixture) { cache, _ in
            cache.end()
            return 0
        }
        try await fixture.run { fixture in
            let preparation = try #require(await fixture.manager.prepareForLimit(300 * mebibyte))
            #expect(preparation.obstacle == .unmanagedMemory, "\(preparation)")
            #expect(preparation.missingBytes == 140 * mebibyte && preparation.cacheBytes == 0)
        }
        cache.end()
    }

    @Test("Its time ends while a cache hangs, and the manager's end leaves no answer", arguments: [true, false])
    func timeEnds(byTime: Bool) async throws {
        let ends = Lock<[@Sendable () -> Void]>([])
        let fixture = try Fixture(used: 380 * mebibyte, later: { _, end in ends.withLock { $0.append(end) } })
        let gate = Gate()
        let cache = FakeCache.hanging("hanging", bytes: 300 * mebibyte, at: gate, in: fixture)
        let task = try await fixture.run { fixture in
            let task = Task { await fixture.manager.prepareForLimit(300 * mebibyte) }
            try await eventually("it hangs") { cache.isBusy }
            guard byTime else { return task }
            for end in ends.withLock({ $0 }) { end() }
            gate.open()
            #expect(await task.value?.obstacle == .time)
            return task
        }
        gate.open()
        if !byTime { #expect(await task.value == nil) }
        cache.end()
    }

    @Test("A cut is measured by the hard limit, wherever the soft one is")
    func softLimit() async throws {
        let (fixture, cache) = try made()
        fixture.machine.tree.setHigh(bytes: 400 * mebibyte)
        try await fixture.run { fixture in
            let preparation = try #require(await fixture.manager.prepareForLimit(450 * mebibyte))
            #expect(preparation.obstacle == nil, "\(preparation)")
            #expect(preparation.readings.after.unreclaimableBytes <= 360 * mebibyte)
        }
        cache.end()
    }

    @Test("A preparation and its hold are decided again from a trace, byte for byte")
    func replays() async throws {
        let file = try TemporaryFile()
        var configuration = ManagerConfiguration()
        configuration.recorder.traceFile = file.path
        let fixture = try Fixture(used: 380 * mebibyte, configuration: configuration)
        let cache = FakeCache("values", bytes: 300 * mebibyte, in: fixture)
        try await fixture.run { fixture in
            await fixture.manager.prepareForLimit(300 * mebibyte)
            let newcomer = FakeCache("newcomer", bytes: 10 * mebibyte, in: fixture)
            fixture.machine.advance(by: .seconds(4))
            await fixture.settle()
            fixture.machine.tree.setLimit(bytes: 300 * mebibyte)
            for _ in 0..<10 {
                fixture.machine.advance(by: .seconds(1))
                await fixture.settle()
            }
            #expect(newcomer.limits.count > 1)
            newcomer.end()
        }
        cache.end()
        let bytes = try file.read()
        let text = String(decoding: bytes, as: UTF8.self)
        for purpose in ["prepare", "hold"] { #expect(text.contains(#""purpose":"\#(purpose)""#)) }
        let again = try TraceText(bytes).replayed()
        #expect(again.differences == 0)
        #expect(again.text == text)
    }

    @Test("A manager that does not run answers nothing")
    func notRunning() async throws {
        let (fixture, cache) = try made()
        #expect(await fixture.manager.prepareForLimit(300 * mebibyte) == nil)
        cache.end()
        fixture.machine.tree.remove()
    }

    @Test("The needed bytes are the footprint without caches")
    func needed() async throws {
        let (fixture, cache) = try made()
        try await fixture.run { fixture in
            fixture.machine.advance(by: .seconds(1))
            #expect(fixture.manager.status.footprintNeededBytes == 80 * mebibyte)
        }
        cache.end()
    }
}
