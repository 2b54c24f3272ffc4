import JetsamTesting
import MemoryPressure
import Testing

@testable import BackgroundTasks
@testable import Jetsam

/// A registry on manual time, and a count of its handlers.
final class ManualRegistry: Sendable {
    let clock = ManualClock()
    let registry: BackgroundTaskRegistry
    let calls = Lock<[String]>([])

    init(_ configuration: BackgroundTaskConfiguration = .init()) {
        registry = BackgroundTaskRegistry(configuration: configuration, clock: clock, isAutomatic: false)
    }

    deinit {
        registry.endEverything()
    }

    func advance(_ duration: Duration) {
        clock.advance(by: duration)
        registry.runDue()
    }

    func begin(
        _ name: String, _ expiry: BackgroundTaskExpiry, priority: ResourcePriority = .normal
    ) -> BackgroundTaskIdentifier {
        registry.beginBackgroundTask(withName: name, priority: priority, expiry: expiry) { [calls] in
            calls.withLock { $0.append(name) }
        }
    }

    var called: [String] { calls.withLock { $0 } }
}

struct BackgroundTaskTests {
    @Test("The handler is called once, a lead before the deadline; the grace after it makes the task overdue")
    func expiry() {
        let manual = ManualRegistry()
        let task = manual.begin("flush", .after(.seconds(30)))
        manual.advance(.seconds(29.5) - .nanoseconds(1))
        #expect(manual.called.isEmpty)
        manual.advance(.milliseconds(2))
        #expect(manual.called == ["flush"])
        #expect(manual.registry.backgroundTimeRemaining(of: task).map { $0 > .milliseconds(490) } ?? false)
        manual.advance(.seconds(2.49))
        #expect(manual.registry.statistics.overdue == 0)
        #expect(manual.registry.heldCount == 1)
        manual.advance(.milliseconds(12))
        #expect(manual.registry.statistics.overdue == 1)
        #expect(manual.registry.heldCount == 0)
        #expect(manual.registry.heldTasks().map(\.state.isOverdue) == [true])
        manual.registry.endBackgroundTask(task)
        #expect(manual.registry.heldTasks().isEmpty)
        #expect(manual.called == ["flush"])
    }

    @Test("A handle ends its task when it is dropped, and once only")
    func handle() throws {
        let manual = ManualRegistry()
        do {
            var task = try manual.registry.begin("one")
            #expect(manual.registry.heldCount == 1)
            task.end()
            task.end()
            #expect(manual.registry.statistics.ended == 1)
            #expect(task.backgroundTimeRemaining == .zero)
            _ = try manual.registry.begin("two")
        }
        #expect(manual.registry.statistics.ended == 2)
        let identifier = try manual.registry.begin("three").intoIdentifier()
        #expect(manual.registry.heldCount == 1)
        manual.registry.endBackgroundTask(identifier)
        manual.registry.endBackgroundTask(identifier)
        #expect(manual.registry.heldCount == 0)
        #expect(manual.registry.statistics.ended == 3)
    }

    @Test("A table of a million gives its chunks back, and identifiers of the past end nothing")
    func chunks() {
        let manual = ManualRegistry()
        var identifiers = (0..<20_000).map { _ in manual.begin("x", .after(.seconds(60))) }
        var random = SeededGenerator(seed: 7)
        identifiers.shuffle(using: &random)
        for identifier in identifiers { manual.registry.endBackgroundTask(identifier) }
        #expect(manual.registry.heldCount == 0)
        let again = (0..<20_000).map { _ in manual.begin("y", .after(.seconds(60))) }
        for identifier in identifiers { manual.registry.endBackgroundTask(identifier) }
        #expect(manual.registry.heldCount == 20_000)
        #expect(Set(again).isDisjoint(with: identifiers))
    }
}
