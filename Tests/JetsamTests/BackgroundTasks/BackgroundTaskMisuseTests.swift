import JetsamTesting
import MemoryPressure
import Testing

@testable import BackgroundTasks
@testable import Jetsam

/// What is not meant to be done is defined all the same.
struct BackgroundTaskMisuseTests {
    @Test("A second end does nothing, also where the slot has another task by then")
    func endTwice() throws {
        let manual = ManualRegistry()
        let first = manual.begin("first", .atTermination)
        manual.registry.endBackgroundTask(first)
        let second = manual.begin("second", .atTermination)
        manual.registry.endBackgroundTask(first)
        #expect(manual.registry.heldTasks().map(\.name) == ["second"])
        var handle = try manual.registry.begin("third")
        manual.registry.endBackgroundTask(second)
        handle.end()
        _ = manual.begin("fourth", .atTermination)
        handle.end()
        #expect(manual.registry.heldTasks().map(\.name) == ["fourth"])
        #expect(manual.registry.statistics.ended == 3)
    }

    @Test("A task that expired and one that is overdue can be ended, once", arguments: [1.0, 5.0])
    func endAfterExpiry(seconds: Double) throws {
        let manual = ManualRegistry()
        let identifier = manual.begin("late", .after(.seconds(1)))
        var handle = try manual.registry.begin("handle", expiry: .after(.seconds(1)))
        manual.advance(.seconds(1))
        manual.advance(.seconds(seconds))
        for _ in 0..<2 {
            manual.registry.endBackgroundTask(identifier)
            handle.end()
        }
        manual.advance(.seconds(10))
        let statistics = manual.registry.statistics
        #expect(statistics.ended == 2 && statistics.expired == 2 && statistics.overdueNow == 0 && statistics.held == 0)
        #expect(statistics.overdue == (seconds > 2 ? 2 : 0))
        #expect(manual.called == ["late"])
    }

    @Test("After the end of the process's life nothing begins in any form, and the reason says so")
    func beginAfterShutdown() throws {
        let manual = ManualRegistry()
        manual.registry.shut()
        let refusal = BackgroundTaskRefusal(reason: .terminating, priority: .high, minimumPriority: nil)
        #expect(throws: refusal) { _ = try manual.registry.begin("late", priority: .high).intoIdentifier() }
        #expect(manual.registry.beginBackgroundTask(withName: "late", priority: .high) == .invalid)
        #expect(manual.registry.whyNot(priority: .high) == refusal)
        #expect(!manual.registry.mayBegin(priority: ResourcePriority(rawValue: 255)))
        #expect(manual.registry.statistics.refused == 2)
        #expect(manual.registry.statistics.begun == 0)
    }

    @Test(
        "An expiry of zero or less expires at once, which is a tick later, and has its grace",
        arguments: [
            Duration.zero, .nanoseconds(-1), .seconds(-1_000_000_000), .seconds(Int64.min),
            Duration(secondsComponent: .min, attosecondsComponent: 0),
        ])
    func noExpiry(duration: Duration) {
        let manual = ManualRegistry()
        let task = manual.begin("at once", .after(duration))
        #expect(manual.registry.backgroundTimeRemaining(of: task) == .zero)
        manual.advance(.nanoseconds(1 << 20))
        #expect(manual.called == ["at once"])
        #expect(manual.registry.heldCount == 1)
        manual.advance(.seconds(2) + .nanoseconds(1 << 20))
        #expect(manual.registry.heldTasks().map(\.state.isOverdue) == [true])
    }

    @Test("A billion seconds are a deadline like any other")
    func billionSeconds() {
        let manual = ManualRegistry()
        let task = manual.begin("patient", .after(.seconds(1_000_000_000)))
        #expect(manual.registry.backgroundTimeRemaining(of: task) == .seconds(1_000_000_000))
        manual.advance(.seconds(1_000_000_000) - .milliseconds(501))
        #expect(manual.called.isEmpty)
        manual.advance(.milliseconds(3))
        #expect(manual.called == ["patient"])
    }

    @Test(
        "An expiry that the clock cannot hold is none, and the process's deadline still ends it",
        arguments: [
            Duration.seconds(Int64.max), .nanoseconds(Int64.max), .nanoseconds(Int64.max - 3_600_000_000_000),
            .seconds(10_000_000_000), Duration(secondsComponent: .max, attosecondsComponent: 999_999_999_999_999_999),
        ])
    func beyondTheClock(duration: Duration) {
        let manual = ManualRegistry()
        let task = manual.begin("for ever", .after(duration))
        manual.advance(.seconds(1))
        let left = manual.registry.backgroundTimeRemaining(of: task)
        // What just fits into the clock is one.
        #expect(left == nil || duration == .nanoseconds(Int64.max - 3_600_000_000_000))
        #expect((manual.registry.nextDue == nil) == (left == nil))
        manual.advance(.seconds(1_000_000_000))
        #expect(manual.called.isEmpty)
        manual.registry.beginDraining(deadline: manual.clock.now.advanced(by: .seconds(10)))
        #expect(manual.registry.backgroundTimeRemaining(of: task) == .seconds(10))
        manual.advance(.seconds(10))
        #expect(manual.called == ["for ever"])
        manual.advance(.seconds(2) + .milliseconds(2))
        #expect(manual.registry.heldCount == 0)
    }

    @Test("At the end of the clock's time deadlines, leads and graces still add up")
    func endOfTime() {
        let clock = ManualClock(start: MonotonicInstant(nanoseconds: .max - 10_000_000_000))
        let registry = BackgroundTaskRegistry(clock: clock, isAutomatic: false)
        let tasks = (1...20).map { registry.beginBackgroundTask(expiry: .after(.seconds($0))) }
        for _ in 0..<10 {
            clock.advance(by: .milliseconds(990))
            registry.runDue()
            for task in tasks { _ = registry.backgroundTimeRemaining(of: task) }
        }
        // The last two seconds are no deadline that a grace fits behind.
        #expect(registry.statistics.expired >= 9)
        registry.beginDraining(deadline: clock.now)
        registry.runDue()
        #expect(registry.statistics.expired == 20)
        for task in tasks { registry.endBackgroundTask(task) }
        #expect(registry.heldCount == 0)
    }

    @Test("Only a task that is held and has a deadline of its own can be extended, and only by more than nothing")
    func extensions() throws {
        let manual = ManualRegistry()
        var task = try manual.registry.begin("a", expiry: .after(.seconds(10)))
        for nothing in [Duration.zero, .nanoseconds(-1), .seconds(-5), .seconds(Int64.min)] {
            let has = task.extend(by: nothing)
            #expect(!has)
        }
        #expect(task.backgroundTimeRemaining == .seconds(10))
        let has1 = task.extend(by: .seconds(5))
        #expect(has1)
        #expect(task.backgroundTimeRemaining == .seconds(15))
        // More than the clock can hold is no deadline of its own any more.
        let has2 = task.extend(by: .seconds(Int64.max))
        #expect(has2)
        #expect(task.backgroundTimeRemaining == nil)
        let has3 = task.extend(by: .seconds(1))
        #expect(!has3)
        task.end()
        let has4 = task.extend(by: .seconds(1))
        #expect(!has4)
        #expect(task.backgroundTimeRemaining == .zero)
        let untimed = try manual.registry.begin("b")
        let has5 = untimed.extend(by: .seconds(1))
        #expect(!has5)
        let told = try manual.registry.begin("c", expiry: .after(.seconds(1)))
        manual.advance(.seconds(1))
        let has6 = told.extend(by: .seconds(1))
        #expect(!has6)
    }

    @Test("Neither an extension nor a late begin gets past the process's deadline")
    func processDeadline() throws {
        let manual = ManualRegistry()
        let early = try manual.registry.begin("early", expiry: .after(.seconds(5)))
        manual.registry.beginDraining(deadline: manual.clock.now.advanced(by: .seconds(20)))
        let has7 = early.extend(by: .seconds(1000))
        #expect(has7)
        #expect(early.backgroundTimeRemaining == .seconds(20))
        manual.advance(.seconds(19.5))
        #expect(manual.registry.statistics.expired == 1)
        let late = try manual.registry.begin("late", expiry: .after(.seconds(3600)))
        let has8 = late.extend(by: .seconds(3600))
        #expect(!has8)
        #expect(late.backgroundTimeRemaining == .milliseconds(500))
        manual.advance(.milliseconds(2))
        #expect(manual.registry.statistics.expired == 2)
        manual.advance(.seconds(2.5))
        #expect(manual.registry.statistics.overdueNow == 2)
        withExtendedLifetime(late) {}
    }
}
