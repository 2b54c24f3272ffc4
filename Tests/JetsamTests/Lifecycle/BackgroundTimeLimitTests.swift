import JetsamTesting
import MemoryPressure
import Testing

@testable import BackgroundTasks
@testable import Jetsam

/// The time in the background by itself, at its edges.
struct BackgroundTimeLimitTests {
    private let machine: SimulatedMachine
    private let tasks: BackgroundTaskRegistry
    private let limit: BackgroundTimeLimit

    init() throws {
        machine = SimulatedMachine(tree: try .v2(limit: 512 << 20))
        tasks = machine.makeBackgroundTaskRegistry(configuration: BackgroundTaskConfiguration())
        limit = BackgroundTimeLimit(tasks: tasks)
    }

    private func at(_ duration: Duration) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: 1_000_000_000_000).advanced(by: duration)
    }

    @Test("It is over at its end, and not a nanosecond before")
    func end() {
        _ = limit.begin(.seconds(30), at: at(.zero))
        #expect(!limit.isOver(at: at(.seconds(30) - .nanoseconds(1))))
        #expect(limit.remaining(at: at(.seconds(30) - .nanoseconds(1))) == .nanoseconds(1))
        #expect(limit.isOver(at: at(.seconds(30))))
        limit.cancel()
        #expect(!limit.isOver(at: at(.seconds(60))) && limit.remaining(at: at(.seconds(60))) == nil)
    }

    @Test("Suspension is asked for once, and again after a second, should it be refused")
    func retry() {
        _ = limit.begin(.seconds(30), at: at(.zero))
        #expect(limit.look(at: at(.seconds(10))) == (false, 20_000_000_000))
        #expect(limit.look(at: at(.seconds(30))).isDue)
        #expect(!limit.look(at: at(.seconds(30))).isDue)
        #expect(!limit.look(at: at(.milliseconds(30_999))).isDue)
        #expect(limit.look(at: at(.seconds(31))).isDue)
        _ = limit.begin(.seconds(30), at: at(.seconds(31)))
        #expect(limit.look(at: at(.seconds(61))).isDue, "a new time is told anew")
    }

    @Test("What is held has its grace, and holds it up no longer")
    func held() {
        let task = tasks.beginBackgroundTask(withName: "task")
        _ = limit.begin(.seconds(30), at: at(.zero))
        let patience = tasks.overdueGrace + .seconds(1)
        #expect(!limit.isOver(at: at(.seconds(30) + patience - .nanoseconds(1))))
        #expect(limit.isOver(at: at(.seconds(30) + patience)))
        tasks.endBackgroundTask(task)
        #expect(limit.isOver(at: at(.seconds(30))))
    }
}
