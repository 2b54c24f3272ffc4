import JetsamTesting
import Logging
import MemoryPressure
import Testing

@testable import BackgroundTasks
@testable import Jetsam
@testable import JetsamPolicy

/// Whether something was called.
private final class Flag: Sendable {
    private let value = Lock(false)
    var isSet: Bool { value.withLock { $0 } }
    func set() { value.withLock { $0 = true } }
}

/// The bounded time in the background: 30 s here.
struct BackgroundTimeTests {
    private static let limit = Duration.seconds(30)

    private static func fixture(
        overdueTasksHold: Bool = false,
        _ configure: (inout ManagerConfiguration.Lifecycle) -> Void = { _ in }
    ) throws -> LifecycleFixture {
        try LifecycleFixture(overdueTasksHold: overdueTasksHold) {
            $0.launchesIntoBackground = true
            $0.backgroundTimeLimit = limit
            configure(&$0)
        }
    }

    @Test("A process is suspended when its time in the background is over, and not before", arguments: [false, true])
    func over(isAsked: Bool) async throws {
        let fixture = try Self.fixture { $0.launchesIntoBackground = !isAsked }
        try await fixture.run { fixture in
            let manager = fixture.manager
            if isAsked {
                fixture.machine.advance(by: .seconds(100))
                #expect(manager.processState == .active && manager.backgroundTimeRemaining == nil)
                try await manager.enterBackground()
            }
            #expect(manager.backgroundTimeRemaining == Self.limit)
            fixture.machine.advance(by: .milliseconds(29_900))
            await fixture.settle()
            #expect(manager.processState == .background)
            #expect(manager.backgroundTimeRemaining == .milliseconds(100))
            fixture.machine.advance(by: .milliseconds(100))
            try await fixture.until("it is suspended") { manager.processState == .suspended }
            #expect(manager.status.process.cause == .expiration)
            #expect(manager.backgroundTimeRemaining == nil)
            #expect(
                fixture.logs.lines.contains { $0.level == .notice && $0.text.hasPrefix("The time in the background") })
        }
    }

    @Test("Without a limit the background has none, and neither have its tasks")
    func off() async throws {
        let fixture = try Self.fixture { $0.backgroundTimeLimit = nil }
        try await fixture.run { fixture in
            let task = try fixture.tasks.begin("work").intoIdentifier()
            #expect(fixture.manager.backgroundTimeRemaining == nil)
            #expect(fixture.tasks.backgroundTimeRemaining(of: task) == nil)
            fixture.machine.advance(by: .seconds(3600))
            await fixture.settle()
            #expect(fixture.manager.processState == .background)
            fixture.tasks.endBackgroundTask(task)
        }
    }

    @Test(
        "A held task is told before the time is over; the process waits for it, or until it is overdue",
        arguments: [false, true])
    func held(endsInTime: Bool) async throws {
        let fixture = try Self.fixture()
        try await fixture.run { fixture in
            let told = Flag()
            let task = fixture.tasks.beginBackgroundTask(withName: "work") { told.set() }
            let later = fixture.tasks.beginBackgroundTask(withName: "ends", expiry: .after(.seconds(1000)))
            #expect(fixture.tasks.backgroundTimeRemaining(of: task) == Self.limit)
            #expect(fixture.tasks.backgroundTimeRemaining(of: later) == Self.limit)
            fixture.machine.advance(by: .milliseconds(29_400))
            #expect(!told.isSet)
            fixture.machine.advance(by: .milliseconds(200))
            #expect(told.isSet)
            fixture.tasks.endBackgroundTask(later)
            if endsInTime { fixture.tasks.endBackgroundTask(task) }
            fixture.machine.advance(by: .milliseconds(400))
            if endsInTime {
                try await fixture.until("it is suspended") { fixture.manager.processState == .suspended }
            } else {
                fixture.machine.advance(by: .milliseconds(1900))
                await fixture.settle()
                #expect(fixture.manager.processState == .background)
                #expect(fixture.manager.backgroundTimeRemaining == .zero)
                fixture.machine.advance(by: .seconds(3))
                try await fixture.until("it is suspended") { fixture.manager.processState == .suspended }
            }
            #expect(fixture.tasks.statistics.overdue == (endsInTime ? 0 : 1))
            // It stays where it is.
            fixture.machine.advance(by: .seconds(10))
            await fixture.settle()
            #expect(fixture.manager.processState == .suspended)
            fixture.tasks.endBackgroundTask(task)
        }
    }

    @Test("Where overdue tasks hold, the process is not suspended before they end")
    func overdueHolds() async throws {
        let fixture = try Self.fixture(overdueTasksHold: true)
        try await fixture.run { fixture in
            let task = try fixture.tasks.begin("work").intoIdentifier()
            fixture.machine.advance(by: .seconds(100))
            await fixture.settle()
            #expect(fixture.manager.processState == .background)
            fixture.tasks.endBackgroundTask(task)
            fixture.machine.advance(by: .seconds(3))
            try await fixture.until("it is suspended") { fixture.manager.processState == .suspended }
        }
    }

    @Test("Work that goes on beginning does not keep the process in the background; it wakes it, with new time")
    func busy() async throws {
        let fixture = try Self.fixture()
        try await fixture.run { fixture in
            fixture.machine.advance(by: .milliseconds(29_900))
            var task = fixture.tasks.beginBackgroundTask(withName: "first")
            // Always one that is held and not overdue.
            for _ in 0..<4 {
                fixture.machine.advance(by: .milliseconds(700))
                let next = fixture.tasks.beginBackgroundTask(withName: "next")
                fixture.tasks.endBackgroundTask(task)
                task = next
            }
            await fixture.settle()
            #expect(fixture.manager.processState == .background)
            fixture.machine.advance(by: .milliseconds(700))
            try await fixture.until("it is suspended") {
                fixture.manager.status.process.cause == .expiration || fixture.manager.status.process.cause == .resume
            }
            fixture.machine.advance(by: .seconds(2))
            try await fixture.until("it is awake") { fixture.manager.processState == .background }
            let left = try #require(fixture.manager.backgroundTimeRemaining)
            #expect(left > .seconds(25))
            fixture.tasks.endBackgroundTask(task)
        }
    }

    @Test(
        "A background mode stops the time, which begins anew when the last one ends; ending one twice changes nothing")
    func modes() async throws {
        let fixture = try Self.fixture()
        try await fixture.run { fixture in
            let manager = fixture.manager
            let task = try fixture.tasks.begin("work").intoIdentifier()
            fixture.machine.advance(by: .seconds(20))
            let first = manager.beginBackgroundMode("replication")
            let second = manager.beginBackgroundMode("backup")
            #expect(manager.backgroundTimeRemaining == nil)
            #expect(fixture.tasks.backgroundTimeRemaining(of: task) == nil)
            fixture.machine.advance(by: .seconds(100))
            first.end()
            await fixture.settle()
            #expect(manager.processState == .background && manager.backgroundTimeRemaining == nil)
            second.end()
            #expect(manager.backgroundTimeRemaining == Self.limit)
            fixture.machine.advance(by: .seconds(10))
            second.end()
            first.end()
            #expect(manager.backgroundTimeRemaining == .seconds(20))
            #expect(fixture.tasks.backgroundTimeRemaining(of: task) == .seconds(20))
            fixture.tasks.endBackgroundTask(task)
        }
    }

    @Test("A configured mode bars it for good")
    func configuredMode() async throws {
        let fixture = try Self.fixture { $0.backgroundModes = ["sync"] }
        try await fixture.run { fixture in
            #expect(fixture.manager.backgroundTimeRemaining == nil)
            fixture.machine.advance(by: .seconds(600))
            await fixture.settle()
            #expect(fixture.manager.processState == .background)
        }
    }

    @Test("The foreground ends the time, and the next stay in the background has all of it")
    func foreground() async throws {
        let fixture = try Self.fixture()
        try await fixture.run { fixture in
            let task = try fixture.tasks.begin("work").intoIdentifier()
            fixture.machine.advance(by: .seconds(20))
            try await fixture.manager.becomeActive()
            #expect(fixture.manager.backgroundTimeRemaining == nil)
            #expect(fixture.tasks.backgroundTimeRemaining(of: task) == nil)
            fixture.machine.advance(by: .seconds(100))
            await fixture.settle()
            #expect(fixture.manager.isReady)
            try await fixture.manager.enterBackground()
            #expect(fixture.tasks.backgroundTimeRemaining(of: task) == Self.limit)
            fixture.tasks.endBackgroundTask(task)
        }
    }

    @Test("Time in which the process did not run does not count")
    func pause() async throws {
        let fixture = try Self.fixture()
        try await fixture.run { fixture in
            let told = Flag()
            let task = fixture.tasks.beginBackgroundTask(withName: "work") { told.set() }
            fixture.machine.advance(by: .seconds(10))
            fixture.machine.clock.advance(by: .seconds(600))
            fixture.machine.advance(by: .zero)
            await fixture.settle()
            #expect(fixture.manager.processState == .background && !told.isSet)
            // All that passed since the sampler's last turn is taken for the pause.
            let left = try #require(fixture.manager.backgroundTimeRemaining)
            #expect(left >= .seconds(20) && left <= .seconds(22))
            #expect(fixture.tasks.backgroundTimeRemaining(of: task) == left)
            fixture.machine.advance(by: left - .milliseconds(600))
            #expect(!told.isSet)
            fixture.machine.advance(by: .milliseconds(200))
            #expect(told.isSet)
            fixture.tasks.endBackgroundTask(task)
            fixture.machine.advance(by: .seconds(3))
            try await fixture.until("it is suspended") { fixture.manager.processState == .suspended }
        }
    }

    @Test("The end of the process has its own clock: it takes the place of the time in the background, and stays")
    func draining() async throws {
        let fixture = try Self.fixture()
        try await fixture.run { fixture in
            let task = try fixture.tasks.begin("work").intoIdentifier()
            fixture.machine.advance(by: .seconds(29))
            fixture.lifecycle.beginShutdown()
            #expect(fixture.tasks.backgroundTimeRemaining(of: task) == .seconds(26))
            #expect(fixture.manager.backgroundTimeRemaining == .seconds(26))
            fixture.lifecycle.renewBackgroundTime()
            fixture.manager.beginBackgroundMode("late").end()
            #expect(fixture.tasks.backgroundTimeRemaining(of: task) == .seconds(26))
            fixture.machine.advance(by: .seconds(5))
            await fixture.settle()
            #expect(fixture.manager.processState == .background)
            fixture.tasks.endBackgroundTask(task)
        }
    }

    @Test("A process that ends instead of suspending ends when the time is over, and is told")
    func exits() async throws {
        let fixture = try Self.fixture { $0.exitsOnSuspend = true }
        try await fixture.run(servers: []) { fixture, _ in fixture.machine.advance(by: Self.limit) }
        #expect(fixture.manager.processState == .notRunning)
        #expect(fixture.manager.status.process.cause == .expiration)
        #expect(fixture.record.events == ["willFinishLaunching", "didFinishLaunching", "willTerminate"])
    }

    @Test("A deadline that moves with pauses is told from one that does not, and neither from none")
    func deadlines() {
        let fixed = ProcessDeadline(fixed: 1000)
        #expect(fixed.instant(after: 0) == 1000 && fixed.instant(after: 500) == 1000)
        let moving = ProcessDeadline(movingWithPauses: 1000, paused: 300)
        #expect(moving.instant(after: 300) == 1000 && moving.instant(after: 800) == 1500)
        #expect(ProcessDeadline.none.instant(after: 800) == .max)
        #expect(ProcessDeadline(movingWithPauses: .max, paused: 0).instant(after: 1) == .max)
        #expect(ProcessDeadline(fixed: 0) != ProcessDeadline(movingWithPauses: 0, paused: 0))
    }
}
