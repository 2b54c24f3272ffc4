import JetsamTesting
import MemoryPressure
import Testing

@testable import BackgroundTasks
@testable import Jetsam

/// What a handler and a body learn of why their task expires.
@Suite(.timeLimit(.minutes(1)))
struct ExpiryReasonTests {
    private typealias Reason = BackgroundTaskExpiry.Reason

    private struct Told: Equatable {
        var reason: Reason
        var timeLeft: Duration?
    }

    /// A registry, a task in it, and what that was told.
    private final class Watched: Sendable {
        let manual: ManualRegistry
        let told = Lock<[Told]>([])
        /// Since it was made.
        let start: MonotonicInstant

        init(_ configuration: BackgroundTaskConfiguration = BackgroundTaskConfiguration()) {
            manual = ManualRegistry(configuration)
            start = manual.clock.now
        }

        func begin(
            _ expiry: BackgroundTaskExpiry = .atTermination, scene: SceneIdentifier? = nil
        ) throws -> BackgroundTask {
            try manual.registry.begin("work", expiry: expiry, scene: scene) { [told] reason, timeLeft in
                told.withLock { $0.append(Told(reason: reason, timeLeft: timeLeft)) }
            }
        }

        /// The one call that there was.
        func only() throws -> Told {
            let told = told.withLock { $0 }
            #expect(told.count == 1)
            return try #require(told.first)
        }

        /// From now until so long after the start.
        func until(_ seconds: Double) -> Duration {
            manual.clock.now.duration(to: start.advanced(by: .seconds(seconds)))
        }
    }

    @Test("Its own deadline: the lead and the grace are left")
    func deadline() throws {
        let watched = Watched()
        let task = try watched.begin(.after(.seconds(30)))
        watched.manual.advance(.seconds(29.5) - .nanoseconds(1))
        #expect(watched.told.withLock { $0.isEmpty })
        watched.manual.advance(.milliseconds(2))
        #expect(try watched.only() == Told(reason: .deadline, timeLeft: watched.until(32)))
        withExtendedLifetime(task) {}
    }

    @Test("The process drains: no more is left than the process waits", arguments: [nil, 11.0])
    func draining(waitEnd: Double?) throws {
        let watched = Watched()
        let task = try watched.begin()
        watched.manual.registry.beginDraining(
            deadline: watched.start.advanced(by: .seconds(10)),
            waitEnd: waitEnd.map { watched.start.advanced(by: .seconds($0)) })
        watched.manual.advance(.seconds(9.5))
        #expect(try watched.only() == Told(reason: .draining, timeLeft: watched.until(waitEnd ?? 12)))
        // One that begins after that is told at once.
        let late = try watched.begin(.after(.seconds(60)))
        watched.manual.advance(.milliseconds(2))
        let told = watched.told.withLock { $0 }
        #expect(told.map(\.reason) == [.draining, .draining])
        withExtendedLifetime((task.backgroundTimeRemaining, late.backgroundTimeRemaining)) {}
    }

    @Test("The time in the background is over, and the foreground takes that back")
    func backgroundTime() throws {
        let watched = Watched()
        let task = try watched.begin()
        let registry = watched.manual.registry
        _ = registry.setBackgroundDeadline(watched.start.advanced(by: .seconds(30)))
        _ = registry.setBackgroundDeadline(nil)
        watched.manual.advance(.seconds(40))
        #expect(watched.told.withLock { $0.isEmpty })
        _ = registry.setBackgroundDeadline(watched.start.advanced(by: .seconds(60)))
        watched.manual.advance(.seconds(19.5))
        #expect(try watched.only() == Told(reason: .backgroundTime, timeLeft: watched.until(62)))
        withExtendedLifetime(task) {}
    }

    @Test("Memory is short, or its scene is suspended: the grace is left", arguments: [true, false])
    func early(isMemory: Bool) throws {
        let watched = Watched()
        let task = try watched.begin(.after(.seconds(60)), scene: "room")
        if isMemory {
            #expect(watched.manual.registry.expireEarly(atMost: 1).count == 1)
        } else {
            watched.manual.registry.expireAll(of: "room")
        }
        watched.manual.advance(.milliseconds(2))
        #expect(try watched.only() == Told(reason: isMemory ? .memory : .scene, timeLeft: .seconds(2)))
        withExtendedLifetime(task) {}
    }

    @Test("Where overdue tasks hold, nothing bounds the time before the process drains")
    func holding() throws {
        var configuration = BackgroundTaskConfiguration()
        configuration.overdueTasksHold = true
        let watched = Watched(configuration)
        let first = try watched.begin(.after(.seconds(10))).stored()
        watched.manual.advance(.seconds(10))
        #expect(try watched.only() == Told(reason: .deadline, timeLeft: nil))
        let second = try watched.begin().stored()
        watched.manual.registry.beginDraining(
            deadline: watched.start.advanced(by: .seconds(20)), waitEnd: watched.start.advanced(by: .seconds(21)))
        watched.manual.advance(.seconds(10))
        #expect(watched.told.withLock { $0.last } == Told(reason: .draining, timeLeft: watched.until(21)))
        withExtendedLifetime((first, second)) {}
    }

    @Test("A handler that is called long after the end of the grace has no time left")
    func late() throws {
        let watched = Watched()
        let task = try watched.begin(.after(.seconds(1)))
        let registry = watched.manual.registry
        #expect(registry.expireEarly(atMost: 1).count == 1)
        registry.beginDraining(deadline: watched.start, waitEnd: watched.start)
        watched.manual.advance(.seconds(100))
        #expect(try watched.only() == Told(reason: .memory, timeLeft: .zero))
        withExtendedLifetime(task) {}
    }

    private final class Canary: Sendable {
        private let deaths: Lock<Int>

        init(_ deaths: Lock<Int>) {
            self.deaths = deaths
        }

        deinit { deaths.withLock { $0 += 1 } }

        func sing() {}
    }

    @Test("What a handler has captured is let go of once it was called, and where its task ends before")
    func captures() throws {
        let manual = ManualRegistry()
        let deaths = Lock(0)
        func begin() throws -> BackgroundTask {
            let canary = Canary(deaths)
            return try manual.registry.begin("work", expiry: .after(.seconds(1))) { _, _ in canary.sing() }
        }
        var ended = try begin()
        ended.end()
        #expect(deaths.withLock { $0 } == 1)
        let expired = try begin()
        manual.advance(.seconds(1))
        #expect(deaths.withLock { $0 } == 2)
        withExtendedLifetime(expired) {}
    }

    @Test("A cancelled body finds the reason, and none before it was told", arguments: [true, false])
    func scope(isMemory: Bool) async throws {
        let manual = ManualRegistry()
        let gate = Gate()
        #expect(StoredBackgroundTask.current == nil)
        let caller = Task {
            try await manual.registry.withBackgroundTask("work", expiry: .after(.seconds(10))) {
                let task = try #require(StoredBackgroundTask.current)
                #expect(task.expiryReason == nil && task.backgroundTimeRemaining == .seconds(10))
                gate.arrive()
                await waitForCancellation()
                return task.expiryReason
            }
        }
        await gate.waitForArrivals(1)
        if isMemory { _ = manual.registry.expireEarly(atMost: 1) }
        manual.advance(isMemory ? .milliseconds(2) : .seconds(9.6))
        #expect(try await caller.value == (isMemory ? .memory : .deadline))
    }

    @Test(
        "Work that was started finds the reason, and none where somebody else has cancelled it",
        arguments: [true, false])
    func started(expires: Bool) async throws {
        let manual = ManualRegistry()
        let gate = Gate()
        let found = Lock<[Reason?]>([])
        let work = try manual.registry.start("work") {
            gate.arrive()
            await waitForCancellation()
            found.withLock { $0.append(StoredBackgroundTask.current?.expiryReason) }
        }
        await gate.waitForArrivals(1)
        if expires {
            manual.registry.beginDraining(deadline: manual.clock.now)
            manual.registry.runDue()
        } else {
            work.cancel()
        }
        try await work.value
        #expect(found.withLock { $0 } == [expires ? .draining : nil])
    }

    @Test("Of nested bodies each finds its own task, and what they start finds it too")
    func nested() async throws {
        let registry = ManualRegistry().registry
        try await registry.withBackgroundTask("outer") {
            let outer = try #require(StoredBackgroundTask.current)
            try await registry.withBackgroundTask("inner") {
                #expect(StoredBackgroundTask.current !== outer)
                async let child = StoredBackgroundTask.current?.identifier
                let found = await child
                #expect(found == StoredBackgroundTask.current?.identifier)
            }
            #expect(StoredBackgroundTask.current === outer)
        }
        #expect(StoredBackgroundTask.current == nil)
        #expect(registry.statistics.ended == 2 && registry.table.takenSlots == 0)
    }
}
