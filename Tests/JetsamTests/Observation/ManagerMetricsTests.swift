import CoreMetrics
import JetsamTesting
import MemoryPressure
import MetricsTestKit
import TestSupport
import Testing

@testable import BackgroundTasks
@testable import Jetsam
@testable import JetsamPolicy
@testable import PurgeableCaches

struct ManagerMetricsTests {
    private let metrics = TestMetrics()

    /// Nil where it was never told.
    private func gauge(_ metric: ResourceManager.Metric, _ dimensions: [(String, String)] = []) -> Double? {
        (try? metrics.expectGauge(metric.label, dimensions))?.lastValue
    }

    /// Nil where it was never made.
    private func counter(_ metric: ResourceManager.Metric) -> Int64? {
        (try? metrics.expectCounter(metric.label))?.totalValue
    }

    @Test("Every label is one of its own, begins with the project's name, and ends with its unit")
    func labels() {
        let all = ResourceManager.Metric.all
        #expect(Set(all.map(\.label)).count == all.count)
        for metric in all {
            #expect(metric.label.hasPrefix("jetsam_"))
            #expect(metric.label.utf8.allSatisfy { $0 == UInt8(ascii: "_") || (0x61...0x7A).contains($0) })
            #expect(metric.label.hasSuffix("_total") == (metric.kind == .counter), "\(metric.label)")
            let name = metric.kind == .counter ? metric.label.dropLast("_total".count) : metric.label[...]
            #expect(metric.unit == .none || name.hasSuffix("_\(metric.unit.rawValue)"), "\(metric.label)")
            #expect(metric.help.hasSuffix(".") && metric.help.count < 100)
        }
    }

    @Test("Changes, steps and the figures of each second are told as they are")
    func values() async throws {
        let fixture = try Fixture(metricsFactory: metrics)
        let cache = FakeCache("values", bytes: 64 * mebibyte, in: fixture)
        try await fixture.run { fixture in
            _ = try? fixture.backgroundTasks.begin("held").intoIdentifier()
            fixture.machine.advance(by: .seconds(1))
            fixture.set(used: 480 * mebibyte)
            // A step is asked of the cache on a thread of its own, which comes when it comes.
            for _ in 0..<50 where fixture.manager.status.totals.promisedBytes < 64 * mebibyte {
                fixture.machine.advance(by: .milliseconds(20))
                await fixture.toldEverything()
            }
            let before = fixture.manager.status
            fixture.manager.tellFigures()
            let status = fixture.manager.status
            typealias Metrics = ResourceManager.Metrics
            /// The counter was told between the two looks: meanwhile the sampler may have gone on.
            func isTold(_ metric: ResourceManager.Metric, _ figure: (ResourceManager.Status) -> some BinaryInteger)
                -> Bool
            {
                (Int64(figure(before))...Int64(figure(status))).contains(counter(metric) ?? -1)
            }
            #expect(gauge(Metrics.level) == 2)
            #expect(gauge(Metrics.limit) == Double(512 * mebibyte))
            #expect(gauge(Metrics.headroom) == Double(status.reading.headroomBytes))
            #expect(gauge(Metrics.footprint) == Double(status.reading.footprintBytes))
            #expect(gauge(Metrics.stall) == 0)
            #expect(gauge(Metrics.tasksHeld) == 1)
            #expect(counter(Metrics.tasksBegun) == 1)
            #expect(isTold(Metrics.readings, \.reading.sequence))
            #expect(isTold(Metrics.levelChanges, \.totals.levelChanges))
            #expect(isTold(Metrics.steps, \.totals.steps))
            #expect(isTold(Metrics.promised, \.totals.promisedBytes))
            #expect(isTold(Metrics.returned, \.totals.returnedBytes))
            #expect(counter(Metrics.promised) ?? 0 >= 64 * mebibyte)
            #expect((try? metrics.expectTimer(Metrics.handlerTime.label))?.values.isEmpty == false)
            // Nothing is counted twice.
            fixture.manager.tellFigures()
            #expect(counter(Metrics.tasksBegun) == 1)
            #expect(counter(Metrics.readings) ?? .max <= Int64(fixture.manager.status.reading.sequence))
        }
        cache.end()
    }

    @Test("What releases brought, needed and wasted is told once its episode is over, and known before")
    func waste() async throws {
        typealias Metrics = ResourceManager.Metrics
        let fixture = try Fixture(used: 200 * mebibyte, metricsFactory: metrics)
        let cache = PurgeableCache<Int, Int>(name: "values", registry: fixture.registry, clock: fixture.machine.clock)
        try await fixture.run { fixture in
            for key in 0..<100 { cache.insert(key, for: key, cost: mebibyte) }
            fixture.machine.advance(by: .seconds(2))
            // A call that nothing called for, and everything is fetched again.
            let task = Task { await fixture.manager.releaseCaches(bytes: 50 * mebibyte) }
            let step = try #require(await task.value)
            #expect(step.promisedBytes >= 50 * mebibyte && step.returnedBytes == 0)
            fixture.machine.advance(by: .seconds(1))
            #expect(fixture.manager.status.totals.releasedBytes == 0)

            let before = fixture.machine.clock.now
            let given = Lock(0)
            let hook = fixture.registry.register("footprint", priority: .low) { [weak fixture] request in
                fixture?.change(used: -request.bytes)
                given.withLock { $0 += request.bytes }
                return request.bytes
            }
            hook.update(bytes: 40 * mebibyte)
            _ = await fixture.manager.releaseCaches(bytes: 40 * mebibyte)
            fixture.machine.advance(by: .milliseconds(200))
            for key in 0..<100 { cache.insert(key, for: key, cost: mebibyte) }
            fixture.machine.advance(by: .seconds(2))
            let totals = fixture.manager.status.totals
            #expect(totals.releasedBytes == 40 * mebibyte)
            #expect(totals.neededBytes == 0)
            #expect(totals.refetchedBytes > 50 * mebibyte)
            let caches = fixture.manager.status.caches
            #expect(caches.first { $0.name == "values" }?.refetchedBytes == totals.refetchedBytes)
            #expect(caches.first { $0.name == "footprint" }.map { $0.refetchedBytes == nil } == true)
            #expect(totals.wastedBytes == 40 * mebibyte)
            fixture.manager.tellFigures()
            #expect(counter(Metrics.refetched) == Int64(totals.refetchedBytes))
            #expect(counter(Metrics.wasted) ?? 0 == 0)
            // A probe of the heap cache, whose thread comes when it comes, may make the episode longer.
            for _ in 0..<5 where counter(Metrics.released) ?? 0 == 0 {
                fixture.machine.advance(by: .seconds(12))
                fixture.manager.tellFigures()
            }
            #expect(before.duration(to: fixture.machine.clock.now) > ReleaseAccount.window)
            #expect(counter(Metrics.released) == Int64(40 * mebibyte))
            #expect(counter(Metrics.needed) ?? 0 == 0)
            #expect(counter(Metrics.wasted) == Int64(40 * mebibyte))
            fixture.manager.tellFigures()
            #expect(counter(Metrics.wasted) == Int64(40 * mebibyte))
            hook.end()
        }
    }

    @Test("Tasks that are refused, expire and become overdue are counted")
    func tasks() async throws {
        let fixture = try Fixture(metricsFactory: metrics)
        try await fixture.run { fixture in
            let task = try fixture.backgroundTasks.begin("long", expiry: .after(.seconds(2))).intoIdentifier()
            fixture.machine.advance(by: .seconds(60))
            fixture.manager.simulate(.critical)
            #expect(throws: BackgroundTaskRefusal.self) {
                try fixture.backgroundTasks.begin("late").intoIdentifier()
            }
            fixture.manager.tellFigures()
            #expect(counter(ResourceManager.Metrics.tasksExpired) == 1)
            #expect(counter(ResourceManager.Metrics.tasksOverdue) == 1)
            #expect(counter(ResourceManager.Metrics.tasksRefused) == 1)
            #expect(counter(ResourceManager.Metrics.tasksLongHeld) ?? 0 == 0)
            let held = try fixture.backgroundTasks.begin("held", priority: .high).intoIdentifier()
            fixture.machine.advance(by: .seconds(1000))
            try await eventually("it is reported") { fixture.backgroundTasks.statistics.longHeld == 1 }
            fixture.manager.tellFigures()
            #expect(counter(ResourceManager.Metrics.tasksLongHeld) == 1)
            fixture.backgroundTasks.endBackgroundTask(held)
            fixture.backgroundTasks.endBackgroundTask(task)
        }
    }

    @Test("Scenes are told by state once there was one, and not before")
    func scenes() async throws {
        let fixture = try Fixture(metricsFactory: metrics)
        try await fixture.run { fixture in
            fixture.manager.tellFigures()
            #expect(gauge(ResourceManager.Metrics.scenes, [("state", "active")]) == nil)
            _ = try await fixture.manager.scenes.connect("room", observer: SceneRecord())
            fixture.manager.tellFigures()
            #expect(gauge(ResourceManager.Metrics.scenes, [("state", "active")]) == 1)
            #expect(gauge(ResourceManager.Metrics.scenes, [("state", "background")]) == 0)
        }
    }

    @Test("The sampler tells nothing: between two seconds no figure changes by its readings")
    func sampler() async throws {
        let fixture = try Fixture(metricsFactory: metrics)
        try await fixture.run { fixture in
            fixture.manager.tellFigures()
            let before = counter(ResourceManager.Metrics.readings) ?? 0
            let runs = fixture.machine.samplerRuns
            fixture.machine.advance(by: .seconds(30))
            #expect(fixture.machine.samplerRuns > runs)
            // The timer of real time may have told meanwhile; with what there was then.
            let told = counter(ResourceManager.Metrics.readings) ?? 0
            #expect(told >= before)
            let least = Int64(fixture.manager.status.reading.sequence)
            fixture.manager.tellFigures()
            let most = Int64(fixture.manager.status.reading.sequence)
            #expect((least...most).contains(counter(ResourceManager.Metrics.readings) ?? -1))
        }
    }

    @Test("Where nobody collects, no timer runs")
    func notCollected() throws {
        #expect(!ManagerMetrics(factory: NOOPMetricsHandler.instance).isCollected)
        #expect(ManagerMetrics(factory: metrics).isCollected)
    }
}
