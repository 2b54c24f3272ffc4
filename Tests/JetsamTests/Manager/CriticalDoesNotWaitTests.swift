import JetsamTesting
import MemoryPressure
import TestSupport
import Testing

@testable import Jetsam
@testable import JetsamPolicy
@testable import PurgeableCaches

/// Handlers at work while the level becomes critical. On the test's own thread: whoever would go on is called from inside them.
struct CriticalDoesNotWaitTests {
    private final class Stage: Sendable {
        let clock = ManualClock()
        let host = RecordingHost(headroom: 40 * mebibyte)
        let registry = CacheRegistry()
        let reclaimer: Reclaimer
        let called = Lock<[String]>([])
        private let registrations = Lock<[CacheRegistration]>([])

        init() {
            reclaimer = Reclaimer(
                registry: registry, channel: ReclaimChannel(), host: host, configuration: .init(), clock: clock,
                allocator: SimulatedAllocator())
            reclaimer.start()
        }

        func addCache(
            _ name: String, _ priority: ResourcePriority = .low, bytes: Int = mebibyte,
            body: @escaping @Sendable () -> Int
        ) {
            let registration = registry.register(name, priority: priority) { [called] _ in
                called.withLock { $0.append(name) }
                return body()
            }
            registration.update(bytes: bytes)
            registrations.withLock { $0.append(registration) }
        }

        /// One of 8 MiB.
        func addBytes() -> PurgeableByteCache {
            let bytes = PurgeableByteCache(name: "bytes", priority: .high, segmentBytes: 64 << 10, registry: registry)
            for number in 0..<512 { bytes.insert([UInt8](repeating: 1, count: 16 << 10), for: "key \(number)") }
            return bytes
        }

        func post(_ level: PressureLevel, step: Int, bytes: Int) {
            let reason = LevelReason(rule: .headroom, observed: 0, threshold: 0, unit: .bytes, cause: .sampler)
            reclaimer.channel.post(
                ReclaimDemand(
                    level: level, reason: reason, targetBytes: bytes, missingBytes: bytes, step: step,
                    limitBytes: 512 * mebibyte, isUrgent: false, decidedAt: clock.now))
        }
    }

    @Test("A handler that is at work at warning holds up nobody at critical, not for a moment")
    func joinsStep() {
        let stage = Stage()
        let bytes = stage.addBytes()
        let before = bytes.bytes
        // At warning it keeps a quarter.
        stage.addCache("slow", bytes: 2 * mebibyte) { [unowned stage] in
            #expect(bytes.bytes == before)
            stage.post(.critical, step: 2, bytes: 4 * mebibyte)
            stage.reclaimer.work()
            #expect(bytes.bytes <= before - 4 * mebibyte)
            stage.clock.advance(by: .milliseconds(800))
            return mebibyte
        }
        stage.post(.warning, step: 1, bytes: mebibyte)
        stage.reclaimer.work()
        let steps = stage.host.steps
        #expect(steps.map(\.level) == [.warning, .critical])
        #expect(steps.map { $0.parts.map(\.name) } == [[], ["bytes"]])
        // It was allowed its time, and missed nothing; what it gave is in the ledger.
        let entry = stage.reclaimer.ledger.values.first { $0.lateBytes > 0 }
        #expect(entry?.promisedBytes == mebibyte)
        #expect(entry?.missedDeadlines == 0)
    }

    @Test("Caches of bytes give beside handlers, before any of these has answered")
    func besideHandlers() {
        let stage = Stage()
        let bytes = stage.addBytes()
        let before = bytes.bytes
        let seen = Lock(0)
        stage.addCache("slow") {
            seen.withLock { $0 = bytes.bytes }
            return mebibyte
        }
        stage.post(.critical, step: 1, bytes: 4 * mebibyte)
        stage.reclaimer.work()
        // The lower band gives all that it has, the bytes give the rest, and they have given it already.
        #expect(seen.withLock { $0 } <= before - 3 * mebibyte)
        #expect(bytes.bytes > before - 4 * mebibyte)
        #expect((stage.host.steps.first?.promisedBytes ?? 0) >= 4 * mebibyte)
    }

    @Test("At critical a handler that takes longer than was expected lets the next go on, and bytes give in its place")
    func late() {
        let stage = Stage()
        let bytes = stage.addBytes()
        let before = bytes.bytes
        stage.addCache("a") { [unowned stage] in
            stage.clock.advance(by: .milliseconds(30))
            stage.reclaimer.giveSegments()
            stage.reclaimer.work()
            #expect(bytes.bytes == before)
            #expect(stage.called.withLock { $0 } == ["a"])
            stage.clock.advance(by: .milliseconds(2))
            stage.reclaimer.work()
            #expect(stage.called.withLock { $0 } == ["a", "b"], "the next is asked while the first is at work")
            return mebibyte
        }
        stage.addCache("b") { [unowned stage] in
            stage.clock.advance(by: .milliseconds(32))
            stage.reclaimer.giveSegments()
            #expect(bytes.bytes <= before - mebibyte, "both are late: bytes give what they have not")
            return mebibyte
        }
        stage.post(.critical, step: 1, bytes: 2 * mebibyte)
        stage.reclaimer.work()
        let step = stage.host.steps.first
        #expect(Set(step?.parts.map(\.name) ?? []) == ["a", "b", "bytes"])
        #expect(step?.parts.contains(where: \.missedDeadline) == false)
        #expect(stage.registry.unbookedBytes == 0)
    }

    @Test("With a warning's handlers on every thread bytes give at once when the level becomes critical")
    func realThreads() async throws {
        let fixture = try Fixture()
        let gate = Gate()
        defer { gate.open() }
        let hung = (1...2).map { number in
            FakeCache.hanging("hung \(number)", bytes: 60 * mebibyte, at: gate, in: fixture)
        }
        let bytes = PurgeableByteCache(
            name: "bytes", priority: .high, segmentBytes: 64 << 10, registry: fixture.registry)
        for number in 0..<512 { bytes.insert([UInt8](repeating: 1, count: 16 << 10), for: "key \(number)") }
        let before = bytes.bytes
        try await fixture.run { fixture in
            fixture.set(used: 420 * mebibyte)
            fixture.machine.advance(by: .milliseconds(110))
            await gate.waitForArrivals(1)
            #expect(fixture.manager.level == .warning)
            fixture.set(used: 480 * mebibyte)
            fixture.machine.advance(by: .milliseconds(110))
            #expect(fixture.manager.level == .critical)
            try await eventually("bytes have been given while the handler is at work") { bytes.bytes < before / 2 }
            #expect(hung.contains { $0.isBusy })
            gate.open()
        }
    }
}
