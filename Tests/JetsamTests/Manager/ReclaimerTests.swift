import JetsamTesting
import MemoryPressure
import TestSupport
import Testing

@testable import Jetsam
@testable import JetsamPolicy
@testable import PurgeableCaches

/// The reclaimer alone, worked by the test, with a host that is told what to do while it is asked.
struct ReclaimerTests {
    private final class Parts: Sendable {
        let host = RecordingHost(headroom: 400 * mebibyte, confirmsEmergency: false)
        let registry = CacheRegistry()
        let asked = Lock<[String]>([])
        let reclaimer: Reclaimer

        init() {
            reclaimer = Reclaimer(
                registry: registry, channel: ReclaimChannel(), host: host, configuration: .init(), clock: ManualClock(),
                allocator: SimulatedAllocator())
            reclaimer.start()
        }

        func cache(_ name: String, _ during: @escaping @Sendable () -> Void = {}) -> CacheRegistration {
            let registration = registry.register(name) { [asked] request in
                asked.withLock { $0.append(name) }
                during()
                return request.bytes
            }
            registration.update(bytes: 100)
            return registration
        }

        /// A call for everything, which waits for somebody to work.
        func call() async throws -> Task<ReclaimStep?, Never> {
            let call = Task { await reclaimer.release(bytes: nil) }
            try await eventually("it waits") { reclaimer.state.hasWaitingRequests }
            return call
        }
    }

    @Test("A run that is prepared while the manager ends is not begun, and its call is answered")
    func stopped() async throws {
        let parts = Parts()
        let cache = parts.cache("cache")
        let call = try await parts.call()
        parts.host.onMeasure.withLock { $0 = { [unowned reclaimer = parts.reclaimer] in reclaimer.stop() } }
        parts.reclaimer.work()
        #expect(await call.value == nil)
        #expect(parts.asked.withLock { $0 } == [])
        #expect(!parts.reclaimer.state.isRunning)
        cache.end()
    }

    @Test("A step that waited asks for no more than a later reading says, and what that spares is to its credit")
    func lowered() {
        // By a reading so many seconds after the decision, so many bytes more headroom are needed.
        for (seconds, needed, asked) in [(0.1, 20, 20), (0.1, 0, 0), (0.1, 90, 60), (0, 20, 60)] {
            let parts = Parts()
            let cache = parts.registry.register("cache") { request in
                #expect(request.bytes == asked)
                parts.asked.withLock { $0.append("cache") }
                return request.bytes
            }
            cache.update(bytes: 100)
            let reason = LevelReason(rule: .headroom, observed: 0, threshold: 0, unit: .bytes, cause: .sampler)
            var demand = ReclaimDemand(
                level: .critical, reason: reason, targetBytes: 60, missingBytes: 60, step: 2,
                limitBytes: 512 * mebibyte, isUrgent: false, decidedAt: .seconds(1))
            demand.basis = ReclaimDemand.Basis(headroomBytes: 400 * mebibyte, comingBytes: 0, share: 1)
            let channel = parts.reclaimer.channel
            channel.post(demand)
            channel.gauges.publish(
                OpenBytes(most: needed - 8), presentBytes: 400 * mebibyte + 8, at: .seconds(1 + seconds))
            parts.reclaimer.work()
            #expect(parts.asked.withLock { $0 }.count == (asked > 0 ? 1 : 0))
            #expect(parts.host.state.withLock { $0.credits } == [60])
            cache.end()
        }
    }

    @Test("A call whose task is cancelled while it waits asks nobody")
    func cancelledWhileWaiting() async throws {
        let parts = Parts()
        let cache = parts.cache("cache")
        let call = try await parts.call()
        call.cancel()
        #expect(await call.value == nil)
        parts.reclaimer.work()
        #expect(parts.asked.withLock { $0 } == [])
        cache.end()
    }

    @Test("A call whose task is cancelled while it is being taken up asks nobody")
    func cancelledWhilePreparing() async throws {
        let parts = Parts()
        let cache = parts.cache("cache")
        let call = try await parts.call()
        parts.host.onMeasure.withLock { $0 = { call.cancel() } }
        parts.reclaimer.work()
        #expect(await call.value == nil)
        #expect(parts.asked.withLock { $0 } == [])
        cache.end()
    }

    @Test("A call whose task is cancelled while a cache is at work asks no other, and says what it brought")
    func cancelledAtWork() async throws {
        let parts = Parts()
        let task = Lock<Task<ReclaimStep?, Never>?>(nil)
        let caches = ["first", "second"].map { name in
            parts.cache(name) { task.withLock { $0 }?.cancel() }
        }
        let call = try await parts.call()
        task.withLock { $0 = call }
        parts.reclaimer.work()
        let step = try #require(await call.value)
        #expect(parts.asked.withLock { $0 }.count == 1)
        #expect(step.promisedBytes == 100)
        for cache in caches { cache.end() }
    }

    @Test("A probe waits for a call that is served first, and is dropped for a step")
    func probeWaits() async throws {
        let parts = Parts()
        let registration = parts.registry.registerValues(
            "values", priority: .normal, rebuildCost: nil, traits: [], scene: nil, refetched: RefetchedBytes(),
            limit: { _ in }, release: { $0.bytes }, bytes: { 64 * mebibyte })
        registration.update(bytes: 64 * mebibyte)
        func probes() -> [Bool] { parts.host.steps.map(\.isProbe) }

        parts.reclaimer.channel.postProbe()
        parts.reclaimer.channel.post(
            ReclaimDemand(
                level: .warning,
                reason: LevelReason(rule: .headroom, observed: 0, threshold: 0, unit: .bytes, cause: .sampler),
                targetBytes: 2 * mebibyte, missingBytes: 2 * mebibyte, step: 1, limitBytes: 512 * mebibyte,
                isUrgent: false, decidedAt: .seconds(0)))
        parts.reclaimer.work()
        #expect(probes() == [false])

        let call = try await parts.call()
        parts.reclaimer.channel.postProbe()
        parts.reclaimer.work()
        #expect(await call.value != nil)
        #expect(probes() == [false, false, true])
        registration.end()
    }

    @Test(
        "A probe takes no more than a mebibyte: values that are larger stay, and that says nothing against the cache",
        arguments: [(8, 8 * mebibyte, 0), (100, 700 << 10, 1), (1000, 30_000, 31)])
    func probedBytes(values: Int, cost: Int, given: Int) {
        let parts = Parts()
        let cache = PurgeableCache<Int, Int>(name: "values", registry: parts.registry)
        for key in 0..<values { cache.insert(key, for: key, cost: cost) }
        parts.reclaimer.channel.postProbe()
        parts.reclaimer.work()
        #expect(parts.host.steps.map(\.isProbe) == [true])
        #expect(cache.count == values - given)
        let entry = parts.reclaimer.ledger.values.first
        #expect(entry?.asks == (given > 0 ? 1 : 0))
        #expect(cache.release(bytes: 1) > cost && cache.count == values - given - 1)
    }

    @Test("An answer that comes when its step is over is in the ledger all the same")
    func lateAnswer() async throws {
        let parts = Parts()
        let clock = try #require(parts.reclaimer.clock as? ManualClock)
        let registration = Lock<CacheRegistration?>(nil)
        // Another thread goes on while this handler is late.
        registration.withLock { registration in
            registration = parts.registry.register("slow", traits: .unmapping) {
                [unowned reclaimer = parts.reclaimer] in
                clock.advance(by: .milliseconds(101))
                reclaimer.work()
                return $0.bytes
            }
        }
        registration.withLock { $0 }?.update(bytes: 8 * mebibyte)
        let call = try await parts.call()
        parts.reclaimer.work()
        let step = try #require(await call.value)
        #expect(step.promisedBytes == 0)
        #expect(step.parts.map(\.missedDeadline) == [true])
        let entry = try #require(parts.reclaimer.ledger.values.first)
        #expect(entry.asks == 1)
        #expect(entry.promisedBytes == 8 * mebibyte)
        #expect(entry.lateBytes == 8 * mebibyte)
        #expect(entry.returnedBytes == 8 * mebibyte)
        registration.withLock { $0 }?.end()
    }

    @Test("A big release is one part of its step, with the sum of its portions")
    func portionsAreOnePart() async throws {
        let parts = Parts()
        let clock = try #require(parts.reclaimer.clock as? ManualClock)
        let asks = Lock<[Int]>([])
        let cache = parts.registry.register("big") { request in
            asks.withLock { $0.append(request.bytes) }
            clock.advance(by: .milliseconds(20))
            return request.bytes
        }
        cache.update(bytes: 900 * mebibyte)
        let call = try await parts.call()
        parts.reclaimer.work()
        let step = try #require(await call.value)
        #expect(asks.withLock { $0.count } > 1)
        #expect(step.parts.count == 1)
        #expect(step.parts[0].askedBytes == 900 * mebibyte)
        #expect(step.parts[0].promisedBytes == 900 * mebibyte)
        #expect(step.parts[0].handlerTime == .milliseconds(20) * asks.withLock { $0.count })
        #expect(!step.parts[0].missedDeadline)
        cache.end()
    }
}
