import MemoryPressure
import Testing

@testable import BackgroundTasks
@testable import Jetsam

/// Lead, deadline, grace and what comes after, on manual time.
@Suite(.timeLimit(.minutes(1)))
struct BackgroundTaskExpiryTests {
    private static let tick = Duration.nanoseconds(1 << 20)

    struct Times: CustomTestStringConvertible {
        var lead: Duration
        var expiry: Duration
        var told: Duration

        var testDescription: String { "lead \(lead), expiry \(expiry)" }
    }

    @Test(
        "A task is told the lead before its deadline, which is never more than a tenth of its expiry",
        arguments: [
            Times(lead: .milliseconds(500), expiry: .seconds(30), told: .seconds(29.5)),
            Times(lead: .milliseconds(500), expiry: .seconds(5), told: .seconds(4.5)),
            Times(lead: .milliseconds(500), expiry: .seconds(1), told: .milliseconds(900)),
            Times(lead: .milliseconds(500), expiry: .milliseconds(10), told: .milliseconds(9)),
            Times(lead: .zero, expiry: .seconds(30), told: .seconds(30)),
            Times(lead: .seconds(60), expiry: .seconds(100), told: .seconds(90)),
            Times(lead: .seconds(60), expiry: .seconds(6000), told: .seconds(5940)),
            Times(lead: .seconds(1000), expiry: .seconds(6000), told: .seconds(5940)),
        ])
    func lead(times: Times) {
        var configuration = BackgroundTaskConfiguration()
        configuration.lead = times.lead
        let manual = ManualRegistry(configuration)
        let task = manual.begin("a", .after(times.expiry))
        manual.advance(times.told - .nanoseconds(1))
        #expect(manual.called.isEmpty)
        manual.advance(Self.tick + .nanoseconds(1))
        #expect(manual.called == ["a"])
        let left = times.expiry - times.told - Self.tick
        #expect(manual.registry.backgroundTimeRemaining(of: task) == max(left, .zero))
    }

    @Test("A task is overdue a grace after its deadline, and not before", arguments: [0, 0.001, 2, 3600])
    func grace(seconds: Double) {
        var configuration = BackgroundTaskConfiguration()
        configuration.grace = .seconds(seconds)
        let manual = ManualRegistry(configuration)
        _ = manual.begin("a", .after(.seconds(20)))
        manual.advance(.seconds(19.6))
        manual.advance(.milliseconds(400) + .seconds(seconds) - .nanoseconds(1))
        #expect(manual.registry.heldTasks().map(\.state) == [.expiring])
        manual.advance(Self.tick + .nanoseconds(1))
        #expect(manual.registry.heldTasks().map(\.state) == [.overdue(for: Self.tick)])
        #expect(manual.called == ["a"])
    }

    @Test("One that is told late has its whole grace all the same")
    func late() {
        let manual = ManualRegistry()
        _ = manual.begin("a", .after(.seconds(20)))
        manual.advance(.seconds(500))
        #expect(manual.called == ["a"])
        manual.advance(.seconds(2) - .nanoseconds(1))
        #expect(manual.registry.heldTasks().map(\.state) == [.expiring])
        manual.advance(Self.tick)
        #expect(manual.registry.heldTasks().map(\.state.isOverdue) == [true])
    }

    private final class Reports: BackgroundTaskObserver {
        let overdue = Lock<[HeldBackgroundTask]>([])

        func taskIsOverdue(_ task: HeldBackgroundTask) { overdue.withLock { $0.append(task) } }
        func handlerHangs(_ count: Int) {}
    }

    @Test("An overdue task is reported once, with name, age, origin, priority and scene")
    func report() throws {
        let manual = ManualRegistry()
        let reports = Reports()
        manual.registry.setObserver(reports)
        let line: UInt = #line + 1
        let task = try manual.registry.begin("upload", priority: .low, expiry: .after(.seconds(10)), scene: "room")
        for _ in 0..<40 { manual.advance(.seconds(0.5)) }
        let all = reports.overdue.withLock { $0 }
        #expect(all.count == 1)
        let report = try #require(all.first)
        #expect(report.name == "upload")
        #expect(report.origin == "\(#fileID):\(line)")
        #expect(report.priority == .low)
        #expect(report.scene == "room")
        #expect(report.state.isOverdue && report.sinceProgress == nil)
        #expect(report.remaining == .zero)
        // The grace of two seconds ends after twelve, and the next look is half a second later.
        #expect(report.age > .seconds(12) - .milliseconds(17) && report.age <= .seconds(12.5))
        #expect(report.description.hasPrefix("'upload' (\(report.origin)), low, held for 12."))
        withExtendedLifetime(task) {}
    }

    @Test("An overdue task holds up the end or does not, as the policy says", arguments: [false, true])
    func policy(holds: Bool) async {
        var configuration = BackgroundTaskConfiguration()
        configuration.overdueTasksHold = holds
        let manual = ManualRegistry(configuration)
        let registry = manual.registry
        let task = manual.begin("a", .after(.seconds(1)))
        let other = manual.begin("b", .atTermination)
        let hasReturned = Lock(false)
        let waiter = Task {
            await registry.waitUntilReleased()
            hasReturned.withLock { $0 = true }
        }
        while !registry.table.isAwaited { await Task.yield() }
        for _ in 0..<3 { manual.advance(.seconds(2)) }
        #expect(registry.statistics.overdueNow == 1)
        #expect(registry.heldCount == (holds ? 2 : 1))
        #expect(!hasReturned.withLock { $0 })
        registry.endBackgroundTask(other)
        if holds {
            #expect(registry.heldCount == 1)
            #expect(!hasReturned.withLock { $0 })
            registry.endBackgroundTask(task)
        }
        await waiter.value
        #expect(registry.heldCount == 0)
        registry.endBackgroundTask(task)
        #expect(registry.statistics.overdueNow == 0)
    }

    @Test("The last that becomes overdue lets those go that wait")
    func lastOverdue() async {
        let manual = ManualRegistry()
        let registry = manual.registry
        _ = (0..<50).map { manual.begin("\($0)", .after(.seconds(1))) }
        let waiters = (0..<5).map { _ in Task { await registry.waitUntilReleased() } }
        while !registry.table.isAwaited { await Task.yield() }
        manual.advance(.seconds(1))
        #expect(registry.heldCount == 50)
        manual.advance(.seconds(3))
        for waiter in waiters { await waiter.value }
        #expect(registry.statistics.overdueNow == 50)
    }

    @Test("Early expiry takes the lowest priority first, and of these the longest-running; none is taken twice")
    func early() {
        let manual = ManualRegistry()
        let order: [(String, ResourcePriority)] = [
            ("n1", .normal), ("l1", .low), ("h1", .high), ("l2", .low), ("own", .init(rawValue: 100)), ("n2", .normal),
        ]
        for (name, priority) in order {
            _ = manual.begin(name, name == "l2" ? .after(.seconds(3600)) : .atTermination, priority: priority)
            manual.advance(.milliseconds(20))
        }
        #expect(manual.registry.expireEarly(atMost: 0).count == 0)
        #expect(manual.registry.expireEarly(atMost: -1).count == 0)
        var seen: [[String]] = []
        for _ in 0..<4 {
            let before = manual.called.count
            let expiry = manual.registry.expireEarly(atMost: 2)
            #expect(!expiry.areGone || expiry.count == 0)
            #expect(expiry.descriptions.count == expiry.count)
            manual.advance(Self.tick)
            seen.append(manual.called.dropFirst(before).sorted())
        }
        #expect(seen == [["l1", "l2"], ["n1", "own"], ["h1", "n2"], []])
        #expect(manual.registry.statistics.expired == 6)
    }

    @Test("One call expires 1024 at most, and describes 16; they are gone once they have ended or are overdue")
    func earlyBound() {
        let manual = ManualRegistry()
        let tasks = (0..<1100).map { _ in manual.begin("a", .atTermination) }
        let expiry = manual.registry.expireEarly(atMost: .max)
        #expect(expiry.count == 1024 && expiry.descriptions.count == 16)
        manual.advance(Self.tick)
        #expect(manual.called.count == 1024)
        #expect(!expiry.areGone)
        for task in tasks[..<500] { manual.registry.endBackgroundTask(task) }
        #expect(!expiry.areGone)
        manual.advance(.seconds(2) + Self.tick)
        #expect(expiry.areGone)
        #expect(manual.called.count == 1024)
    }

    @Test("A handler may begin and end tasks, and end its own")
    func insideHandler() {
        let manual = ManualRegistry()
        let registry = manual.registry
        let own = Lock(BackgroundTaskIdentifier.invalid)
        let second = manual.begin("second", .after(.seconds(100)))
        let task = registry.beginBackgroundTask(withName: "first", expiry: .after(.seconds(1))) {
            _ = manual.begin("third", .after(.seconds(1)))
            registry.endBackgroundTask(second)
            registry.endBackgroundTask(own.withLock { $0 })
            _ = registry.heldTasks()
        }
        own.withLock { $0 = task }
        manual.advance(.seconds(1))
        #expect(registry.heldTasks().map(\.name) == ["third"])
        manual.advance(.seconds(1))
        #expect(manual.called == ["third"])
        #expect(registry.statistics.ended == 2)
    }
}
