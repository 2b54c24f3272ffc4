import JetsamTesting
import MemoryPressure
import Testing

@testable import BackgroundTasks
@testable import Jetsam
@testable import JetsamPolicy
@testable import PurgeableCaches

/// Handlers that do not come back. On the test's own thread: while one hangs, whoever would go on is called from inside it.
struct HungHandlerTests {
    /// A reclaimer whose threads the test plays.
    private final class Stage: Sendable {
        let clock = ManualClock()
        let host = RecordingHost(headroom: 10 * mebibyte)
        let registry = CacheRegistry()
        let reclaimer: Reclaimer
        let ladder: Ladder
        let called = Lock<[String]>([])
        let lastResort: Gate
        private let registrations = Lock<[CacheRegistration]>([])

        init(lastResort: Gate = Gate()) {
            self.lastResort = lastResort
            reclaimer = Reclaimer(
                registry: registry, channel: ReclaimChannel(), host: host, configuration: .init(), clock: clock,
                allocator: SimulatedAllocator())
            ladder = Ladder(reclaimer, victims: NoVictims()) { _ in
                lastResort.arrive()
                lastResort.waitUntilOpen()
            }
            reclaimer.start()
        }

        func addCache(_ name: String, _ priority: ResourcePriority = .normal, body: @escaping @Sendable () -> Int) {
            let registration = registry.register(name, priority: priority) { [called] _ in
                called.withLock { $0.append(name) }
                return body()
            }
            registration.update(bytes: mebibyte)
            registrations.withLock { $0.append(registration) }
        }

        func post(step: Int) {
            reclaimer.channel.post(
                ReclaimDemand(
                    level: .critical, reason: reason, targetBytes: 64 * mebibyte, missingBytes: 64 * mebibyte,
                    step: step, limitBytes: 512 * mebibyte, isUrgent: false, decidedAt: clock.now))
        }

        func post(_ action: LadderMachine.Action) {
            reclaimer.channel.post(
                LadderOrder(action: action, level: .critical, reason: reason, decidedAt: clock.now))
        }

        private var reason: LevelReason {
            LevelReason(rule: .headroom, observed: 0, threshold: 0, unit: .bytes, cause: .sampler)
        }
    }

    @Test("Where every thread hangs the step ends at its deadline, and so does what waits behind it")
    func heldUp() {
        let stage = Stage()
        let hangs = Lock(true)
        for number in 1...3 {
            stage.addCache("hung \(number)", .low) { [unowned stage] in
                guard hangs.withLock({ $0 }) else { return 7 }
                #expect(!stage.reclaimer.isHeldUp, "there is time until the deadline")
                stage.reclaimer.work(callsHandlers: false, with: stage.ladder)
                #expect(stage.host.steps.isEmpty)
                stage.clock.advance(by: .milliseconds(101))
                #expect(stage.reclaimer.isHeldUp)
                // While there are threads, another takes over, and hangs in the next.
                guard number == 3 else {
                    stage.reclaimer.work(with: stage.ladder)
                    return 5
                }
                stage.post(.expireBackgroundTasks(atMost: 8))
                stage.reclaimer.work(callsHandlers: false, with: stage.ladder)
                stage.post(step: 2)
                stage.reclaimer.work(callsHandlers: false, with: stage.ladder)
                return 5
            }
        }
        stage.addCache("healthy", .high) { 9 }
        stage.post(step: 1)
        stage.reclaimer.work(with: stage.ladder)
        #expect(stage.called.withLock { $0 } == ["hung 1", "hung 2", "hung 3"])
        #expect(stage.host.steps.map(\.step) == [1, 2])
        #expect(stage.host.steps.map(\.parts.count) == [3, 0])
        #expect(stage.host.steps[0].parts.allSatisfy { $0.missedDeadline && $0.promisedBytes == 0 })
        #expect(stage.host.state.withLock { $0.problems.count } == 3)
        #expect(stage.host.state.withLock { $0.ladder } == [.nobody])

        // Those that came back can be used again, and are called once more.
        hangs.withLock { $0 = false }
        stage.clock.advance(by: .seconds(3600))
        stage.post(step: 3)
        stage.reclaimer.work(with: stage.ladder)
        #expect(stage.called.withLock { Set($0.dropFirst(3)) } == ["hung 1", "hung 2", "hung 3", "healthy"])
        #expect(stage.called.withLock { $0.count } == 7)
        #expect(stage.host.steps.last?.promisedBytes == 30)
    }

    @Test("A last resort that does not come back either costs the last thread nothing")
    func lastResort() async {
        let stage = Stage(lastResort: Gate())
        stage.addCache("hung") { [unowned stage] in
            stage.clock.advance(by: .milliseconds(101))
            stage.post(.lastResort)
            stage.reclaimer.work(callsHandlers: false, with: stage.ladder)
            stage.post(step: 2)
            stage.reclaimer.work(callsHandlers: false, with: stage.ladder)
            return 0
        }
        // Somebody is to be asked, or there is no second step.
        stage.addCache("healthy", .high) { 0 }
        stage.post(step: 1)
        stage.reclaimer.work(with: stage.ladder)
        #expect(stage.host.steps.map(\.stage) == [.caches, .lastResort, .caches])
        await stage.lastResort.waitForArrivals(1)
        stage.lastResort.open()
    }

    @Test("With more threads than there may be in handlers, background tasks, the last resort and calls go on")
    func realThreads() async throws {
        let resorts = Gate()
        let fixture = try Fixture { _ in resorts.arrive() }
        let gate = Gate()
        defer { gate.open() }
        let hung = (1...ReclaimThreads.most).map { number in
            FakeCache.hanging("hung \(number)", bytes: 10 * mebibyte, at: gate, in: fixture)
        }
        let healthy = FakeCache("healthy", bytes: 10 * mebibyte, priority: .high, in: fixture)
        try await fixture.run { fixture in
            let told = Gate()
            let task = try fixture.backgroundTasks.begin("work") { told.arrive() }.intoIdentifier()
            fixture.set(used: 505 * mebibyte)
            try await fixture.advance(past: gate, until: "every thread hangs") { gate.arrivals == ReclaimThreads.most }
            fixture.machine.advance(by: .milliseconds(110))
            // A call is answered all the same: nobody is asked.
            let step = try #require(await fixture.manager.releaseCaches())
            #expect(step.promisedBytes == 0)
            for _ in 0..<900 where resorts.arrivals == 0 {
                fixture.machine.advance(by: .milliseconds(100))
                await fixture.settle()
            }
            #expect(told.arrivals == 1)
            #expect(resorts.arrivals == 1)
            #expect(hung.allSatisfy { $0.requests.count == 1 })
            fixture.backgroundTasks.endBackgroundTask(task)

            gate.open()
            fixture.set(used: 200 * mebibyte)
            while hung.contains(where: \.isBusy) { await Task.yield() }
            _ = try #require(await fixture.manager.releaseCaches())
            // Now, or before the last thread hung.
            #expect(healthy.requests.map(\.bytes).reduce(0, +) == 10 * mebibyte)
            #expect(hung.allSatisfy { $0.requests.count == 2 })
        }
    }

    @Test("With every thread in a hung handler a cache of bytes gives at critical all the same, and the ledger has it")
    func bytesGiveWithoutThreads() async throws {
        let fixture = try Fixture()
        let gate = Gate()
        defer { gate.open() }
        let hung = (1...ReclaimThreads.most).map { number in
            FakeCache.hanging("hung \(number)", bytes: 10 * mebibyte, at: gate, in: fixture)
        }
        let bytes = PurgeableByteCache(
            name: "bytes", priority: .high, segmentBytes: 64 << 10, registry: fixture.registry)
        for number in 0..<512 { bytes.insert([UInt8](repeating: 1, count: 16 << 10), for: "key \(number)") }
        let before = bytes.bytes
        #expect(before >= 8 * mebibyte)
        try await fixture.run { fixture in
            var steps = fixture.manager.reclaimSteps.makeAsyncIterator()
            fixture.set(used: 505 * mebibyte)
            try await fixture.advance(past: gate, until: "every thread hangs") { gate.arrivals == ReclaimThreads.most }
            fixture.machine.advance(by: .milliseconds(110))
            var late: Set<String> = []
            var promised = 0
            var count = 0
            while late.count < ReclaimThreads.most {
                try await fixture.advance(past: gate, until: "another step has ended") { [count] in
                    fixture.manager.status.totals.steps > count
                }
                let step = try #require(await steps.next())
                count += 1
                late.formUnion(step.parts.filter { $0.missedDeadline && $0.name != "bytes" }.map(\.name))
                guard let part = step.parts.first(where: { $0.name == "bytes" }) else { continue }
                #expect(part.freedBytes == part.promisedBytes)
                promised += part.promisedBytes
            }
            #expect(promised > 0)
            #expect(bytes.bytes == before - promised)
            #expect(fixture.registry.unbookedBytes == 0)
            #expect(hung.allSatisfy { $0.isBusy })
        }
    }

    @Test("While one thread has segments given back another does not, and afterwards counts what they brought")
    func oneThreadAtATime() {
        let registry = CacheRegistry()
        let second = Lock<Int?>(nil)
        let registration = registry.registerSegments(
            "bytes", priority: .normal, rebuildCost: nil, traits: [], scene: nil, limit: { _ in }, release: { _ in 0 },
            lastResort: { [unowned registry] bytes, _ in
                if second.withLock({ $0 == nil }) {
                    second.withLock { $0 = -1 }
                    let given = registry.releaseSegmentsWithoutHandlers(bytes: 300 - registry.unbookedBytes)
                    second.withLock { $0 = given }
                }
                return bytes
            })
        defer { registration.end() }
        #expect(registry.releaseSegmentsWithoutHandlers(bytes: 300 - registry.unbookedBytes) == 300)
        #expect(second.withLock { $0 } == 0)
        #expect(
            registry.releaseSegmentsWithoutHandlers(bytes: 300 - registry.unbookedBytes, waits: true) == 0)
        #expect(registry.unbookedBytes == 300)
    }

    @Test("Where nobody takes over from hung threads the sampler releases bytes itself, once, and only at critical")
    func samplerGivesBytes() throws {
        let clock = ManualClock()
        let tree = try KernelTree.v2(limit: 512 * mebibyte)
        defer { tree.remove() }
        let registry = CacheRegistry()
        let channel = ReclaimChannel()
        let governor = Governor(
            reader: try KernelReader(root: tree.root), clock: clock, wallClock: { 0 },
            backgroundTasks: BackgroundTaskRegistry(), registry: registry, channel: channel, ticker: SamplerThread(),
            bell: Bell(), stock: NoVictims(), setup: Decider.Setup())
        let bytes = PurgeableByteCache(name: "bytes", segmentBytes: 64 << 10, registry: registry)
        for number in 0..<512 { bytes.insert([UInt8](repeating: 1, count: 16 << 10), for: "key \(number)") }
        let before = bytes.bytes

        // What the sampler had in hand is let go of by a thread that may run code of the application's. There is none here.
        defer { registry.letGoOfDropped() }

        // Two threads in handlers, and a step that has 2 MiB to bring yet.
        for _ in 0..<2 {
            channel.handlers.enter()
            channel.handlers.willCall()
        }
        func publish(_ level: PressureLevel) {
            let reason = LevelReason(rule: .headroom, observed: 0, threshold: 0, unit: .bytes, cause: .sampler)
            var run = ReclaimRun(
                number: 1, kind: .step,
                demand: ReclaimDemand(
                    level: level, reason: reason, targetBytes: 2 * mebibyte, missingBytes: 2 * mebibyte, step: 1,
                    limitBytes: 512 * mebibyte, isUrgent: false, decidedAt: clock.now),
                plan: [
                    PlannedRelease(
                        id: 99, askBytes: mebibyte, limit: .keep, isAsynchronous: false, canBeAsked: true)
                ], sizes: [99: mebibyte], callDeadline: .milliseconds(100), trimsFirst: false)
            _ = run.next(shouldTrimLast: false, at: clock.now)
            channel.gauges.publish(run)
        }
        func look() {
            _ = governor.watch(channel, governor.judge(.sampler))
        }

        publish(.warning)
        tree.setUnreclaimable(bytes: 420 * mebibyte)
        for _ in 0..<5 {
            clock.advance(by: .milliseconds(60))
            look()
        }
        #expect(governor.currentLevel == .warning)
        #expect(bytes.bytes == before)

        tree.setUnreclaimable(bytes: 500 * mebibyte)
        publish(.critical)
        clock.advance(by: .milliseconds(60))
        look()
        #expect(governor.currentLevel == .critical)
        #expect(bytes.bytes == before, "there is time until the deadline")
        clock.advance(by: .milliseconds(60))
        look()
        #expect(bytes.bytes == before, "whoever goes on in their place has been told, and has its turn first")
        for _ in 0..<5 {
            clock.advance(by: .milliseconds(5))
            look()
        }
        let given = before - bytes.bytes
        #expect(given >= 2 * mebibyte && given < 3 * mebibyte)
        #expect(registry.unbookedBytes == given)
    }
}
