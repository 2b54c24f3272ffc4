import JetsamTesting
import MemoryPressure
import TestSupport
import Testing

@testable import BackgroundTasks
@testable import Jetsam
@testable import JetsamPolicy

struct DryRunTests {
    private static func fixture(
        allocator: SimulatedAllocator = SimulatedAllocator(), lastResort: (@Sendable (LevelReason) -> Void)? = nil
    ) throws -> Fixture {
        var configuration = ManagerConfiguration()
        configuration.isDryRun = true
        return try Fixture(configuration: configuration, allocator: allocator, lastResort: lastResort)
    }

    @Test("A dry run decides its steps and says what they would have asked of whom, and asks nobody")
    func asksNobody() async throws {
        let allocator = SimulatedAllocator()
        try await Self.fixture(allocator: allocator).run { fixture in
            let cache = FakeCache("cache", bytes: 200 * mebibyte, in: fixture)
            var steps = fixture.manager.reclaimSteps.makeAsyncIterator()
            fixture.set(used: 470 * mebibyte)
            fixture.machine.advance(by: .milliseconds(300))
            let step = try #require(await steps.next())
            #expect(step.isDryRun)
            #expect(step.parts.map(\.name) == ["cache"])
            #expect(step.promisedBytes > 0 && step.returnedBytes == 0)
            #expect(step.description.hasPrefix("dry run: step 1 at "))
            #expect(cache.state.withLock { $0.requests.isEmpty && $0.limits.isEmpty })
            #expect(allocator.trims == 0)
        }
    }

    @Test("What its steps would have brought is credited, so that no stage follows another for what was not done")
    func credits() async throws {
        let called = Lock(false)
        try await Self.fixture(lastResort: { _ in called.withLock { $0 = true } }).run { fixture in
            let cache = FakeCache("cache", bytes: 300 * mebibyte, in: fixture)
            fixture.set(used: 500 * mebibyte)
            for _ in 0..<100 {
                fixture.machine.advance(by: .seconds(1))
                await fixture.settle()
            }
            #expect(fixture.manager.level == .normal)
            #expect(!called.withLock { $0 })
            #expect(cache.state.withLock { $0.requests.allSatisfy { $0.bytes == 0 } })
        }
    }

    @Test("Background tasks are not refused in a dry run")
    func refusesNobody() async throws {
        try await Self.fixture().run { fixture in
            fixture.set(used: 505 * mebibyte)
            fixture.machine.advance(by: .milliseconds(300))
            #expect(fixture.manager.level == .critical)
            #expect(fixture.backgroundTasks.mayBegin(priority: .low))
        }
    }

    @Test(
        "Switched on nobody is asked or refused any more, and limits are lifted at normal; switched off it acts again")
    func switched() async throws {
        let fixture = try Fixture()
        let cache = FakeCache("cache", bytes: 200 * mebibyte, in: fixture)
        try await fixture.run { fixture in
            @Sendable func pass(_ seconds: Int) async {
                for _ in 0..<seconds * 2 {
                    fixture.machine.advance(by: .milliseconds(500))
                    await fixture.settle()
                }
            }
            fixture.set(used: 430 * mebibyte)
            await pass(2)
            let asked = cache.requests.count
            #expect(asked > 0 && cache.limits.last != .some(nil))
            fixture.manager.setDryRun(true)
            fixture.set(used: 505 * mebibyte)
            await pass(2)
            #expect(fixture.backgroundTasks.mayBegin(priority: .low))
            #expect(cache.requests.count == asked)
            try await eventually("its step has been told") {
                fixture.manager.status.recentSteps.contains { $0.step.isDryRun }
            }
            fixture.set(used: 220 * mebibyte)
            await pass(20)
            #expect(fixture.manager.level == .normal)
            try await eventually("the limit has been lifted") { cache.limits.last == .some(nil) }
            #expect(cache.requests.count == asked)
            fixture.manager.setDryRun(false)
            fixture.set(used: 500 * mebibyte)
            await pass(2)
            #expect(cache.requests.count > asked)
            #expect(!fixture.backgroundTasks.mayBegin(priority: .low))
        }
        cache.end()
    }

    @Test("The credit goes as memory really falls, and never exceeds what caches hold")
    func decays() {
        var credit = DryRunCredit()
        var observation = Decider.Observation()
        observation.reading.limitBytes = 1000
        observation.reading.unreclaimableBytes = 900
        observation.reading.headroomBytes = 100
        observation.reportedBytes = 300
        credit.add(500)
        let first = credit.credited(observation)
        #expect(first.creditBytes == 300)
        #expect(
            first.reading.headroomBytes == 400 && first.reading.unreclaimableBytes == 600 && first.reportedBytes == 0)
        observation.reading.unreclaimableBytes = 700
        observation.reading.headroomBytes = 300
        let second = credit.credited(observation)
        #expect(second.creditBytes == 100 && second.reading.headroomBytes == 400)
        observation.reading.unreclaimableBytes = 800
        #expect(credit.credited(observation).creditBytes == 100)
    }
}
