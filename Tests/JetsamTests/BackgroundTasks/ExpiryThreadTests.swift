import CLinuxShims
import Dispatch
import MemoryPressure
import SystemPackage
import TestSupport
import Testing

@testable import BackgroundTasks
@testable import Jetsam
@testable import PurgeableCaches

/// Expiry by its own threads, in real time. What is awaited here is that something happens, and not how soon.
@Suite(.timeLimit(.minutes(1)))
struct ExpiryThreadTests {
    private final class Hangs: BackgroundTaskObserver {
        let counts = Lock<[Int]>([])
        let gate = Gate()

        func taskIsOverdue(_ task: HeldBackgroundTask) {}

        func handlerHangs(_ count: Int) {
            counts.withLock { $0.append(count) }
            gate.arrive()
        }
    }

    @Test("A handler runs on a thread of the registry's and not on the caller's executor, and not early")
    func executor() async throws {
        let registry = BackgroundTaskRegistry()
        defer { registry.endEverything() }
        let executor = ThreadExecutor()
        let gate = Gate()
        let seen = Lock((thread: Int32(0), isOnExecutor: true, at: Int64(0)))
        let (caller, began) = try await Task(executorPreference: executor) {
            #expect(executor.isCurrent)
            let began = SystemMonotonicClock().now.nanoseconds
            let task = try registry.begin("a", expiry: .after(.milliseconds(20))) {
                seen.withLock {
                    $0 = (jetsam_thread_id(), executor.isCurrent, SystemMonotonicClock().now.nanoseconds)
                }
                gate.arrive()
            }
            _ = task.intoIdentifier()
            return (jetsam_thread_id(), began)
        }.value
        await gate.waitForArrivals(1)
        let (thread, isOnExecutor, at) = seen.withLock { $0 }
        #expect(thread != caller && thread != jetsam_thread_id())
        #expect(!isOnExecutor)
        #expect(at >= began + 18_000_000)
    }

    @Test("Handlers that never return hold nobody else up, each costs one thread", arguments: [1, 2, 5])
    func hanging(count: Int) async {
        let registry = BackgroundTaskRegistry()
        defer { registry.endEverything() }
        let hangs = Hangs()
        registry.setObserver(hangs)
        let never = Gate()
        let others = Gate()
        defer { never.open() }
        for number in 0..<30 {
            // In one batch with the others, among them and behind them.
            let hangs = number % 3 == 0 && number / 3 < count
            _ = registry.beginBackgroundTask(withName: "\(number)", expiry: .after(.milliseconds(30))) {
                if hangs { never.waitUntilOpen() } else { others.arrive() }
            }
        }
        await others.waitForArrivals(30 - count)
        await hangs.gate.waitForArrivals(count)
        // A machine that is busy enough may keep another from its thread for as long.
        let reported = hangs.counts.withLock { $0 }
        #expect(reported.count >= count && reported == Array(1...reported.count))
        #expect(registry.statistics.expired == 30)
        // What begins later is served too, while they hang and when they have come back.
        for isOpen in [false, true] {
            if isOpen { never.open() }
            let later = Gate()
            _ = registry.beginBackgroundTask(expiry: .after(.milliseconds(5))) { later.arrive() }
            await later.waitForArrivals(1)
        }
        #expect(registry.statistics.expired == 32)
        #expect(registry.statistics.hungHandlers >= count)
    }

    /// Its log blocks.
    private final class Blocks: BackgroundTaskObserver {
        let arrived = Gate()
        let gate = Gate()

        func taskIsOverdue(_ task: HeldBackgroundTask) {}

        func overdueWereTold() {
            arrived.arrive()
            gate.waitUntilOpen()
        }

        func handlerHangs(_ count: Int) {
            gate.waitUntilOpen()
        }
    }

    @Test("An observer that hangs when it is told of overdue tasks or of hung handlers holds up no handler")
    func hangingObserver() async {
        var configuration = BackgroundTaskConfiguration()
        configuration.lead = .zero
        configuration.grace = .milliseconds(1)
        let registry = BackgroundTaskRegistry(configuration: configuration)
        defer { registry.endEverything() }
        let blocks = Blocks()
        defer { blocks.gate.open() }
        registry.setObserver(blocks)
        _ = registry.beginBackgroundTask(expiry: .after(.milliseconds(1))) {}
        await blocks.arrived.waitForArrivals(1)
        // Whoever takes over has nobody to tell of it.
        for number in 1...3 {
            let later = Gate()
            _ = registry.beginBackgroundTask(expiry: .after(.milliseconds(1))) { later.arrive() }
            await later.waitForArrivals(1)
            #expect(registry.statistics.expired == 1 + number)
        }
        #expect(registry.statistics.hungHandlers >= 1)
    }

    @Test("With every thread lost expiry waits, and goes on when any one handler comes back")
    func allThreadsLost() async {
        let registry = BackgroundTaskRegistry()
        defer { registry.endEverything() }
        let hangs = Hangs()
        registry.setObserver(hangs)
        // The first leader's comes back; the last leader's does not, until the end.
        let first = Gate()
        let rest = Gate()
        let arrived = Gate()
        defer {
            first.open()
            rest.open()
        }
        for number in 0..<ExpiryEngine.mostThreads {
            let begun = arrived
            _ = registry.beginBackgroundTask(expiry: .after(.milliseconds(1))) {
                begun.arrive()
                (number == 0 ? first : rest).waitUntilOpen()
            }
            await arrived.waitForArrivals(number + 1)
        }
        let later = Gate()
        _ = registry.beginBackgroundTask(expiry: .after(.milliseconds(1))) { later.arrive() }
        #expect(registry.statistics.expired == ExpiryEngine.mostThreads)
        first.open()
        await later.waitForArrivals(1)
        #expect(registry.statistics.hungHandlers >= ExpiryEngine.mostThreads)
    }

    @Test("A sooner deadline that is begun later comes first, at any distance of the two")
    func sooner() async {
        let registry = BackgroundTaskRegistry()
        defer { registry.endEverything() }
        let order = Lock<[Int]>([])
        let gate = Gate()
        for milliseconds in [3_600_000, 120, 60, 30, 1] {
            _ = registry.beginBackgroundTask(expiry: .after(.milliseconds(milliseconds))) {
                order.withLock { $0.append(milliseconds) }
                gate.arrive()
            }
        }
        await gate.waitForArrivals(4)
        #expect(order.withLock { $0 } == [1, 30, 60, 120])
    }

    @Test("A registry that nobody has any more ends its threads, and lets go of its table")
    func threadsEnd() async {
        weak var table: TaskTable?
        do {
            let registry = BackgroundTaskRegistry()
            table = registry.table
            let gate = Gate()
            let task = registry.beginBackgroundTask(expiry: .after(.milliseconds(1))) { gate.arrive() }
            await gate.waitForArrivals(1)
            registry.endBackgroundTask(task)
        }
        while table != nil { await Task.yield() }
    }

    /// Has no threads until it is told so.
    private final class ScarceThreads: ThreadSource {
        let isPlenty = Lock(false)
        private let threads = SystemThreads()

        func start(_ name: String, stackBytes: Int, _ body: @escaping @Sendable () -> Void) throws(Errno) {
            guard isPlenty.withLock({ $0 }) else { throw .resourceTemporarilyUnavailable }
            try threads.start(name, stackBytes: stackBytes, body)
        }

        func makeSpot() -> any WaitingSpot { threads.makeSpot() }

        func makeDoorbell(queue: DispatchQueue, handler: @escaping @Sendable () -> Void) throws(Errno) -> any Ringing {
            try threads.makeDoorbell(queue: queue, handler: handler)
        }
    }

    private final class Want: BackgroundTaskObserver {
        let news = Lock<[String]>([])
        /// The thread that told last that expiry goes on.
        let toldBy = Lock<Int32>(0)

        func taskIsOverdue(_ task: HeldBackgroundTask) {}
        func handlerHangs(_ count: Int) {}
        func expiryHasNoThread(_ error: Errno) { news.withLock { $0.append("none: \(error.rawValue)") } }
        func expiryGoesOn() {
            news.withLock { $0.append("goes on") }
            toldBy.withLock { $0 = jetsam_thread_id() }
        }
    }

    @Test("Where no thread can be had that is said once, and tasks expire as soon as there is one")
    func noThread() async {
        let threads = ScarceThreads()
        let registry = BackgroundTaskRegistry(clock: SystemMonotonicClock(), isAutomatic: true, threads: threads)
        defer { registry.endEverything() }
        let want = Want()
        registry.setObserver(want)
        let expired = Gate()
        for _ in 0..<3 {
            _ = registry.beginBackgroundTask(withName: "a", expiry: .after(.milliseconds(1))) { expired.arrive() }
        }
        let none = "none: \(Errno.resourceTemporarilyUnavailable.rawValue)"
        #expect(want.news.withLock { $0 } == [none])
        registry.engine.retry()
        #expect(want.news.withLock { $0 } == [none])
        threads.isPlenty.withLock { $0 = true }
        // Nobody begins another task: the registry tries again by itself.
        await expired.waitForArrivals(3)
        try? await eventually("it is said that expiry goes on") { want.news.withLock { $0 } == [none, "goes on"] }
        #expect(want.news.withLock { $0 } == [none, "goes on"])
    }

    @Test("Where the sampler gets the thread, the observer hears of it on another one")
    func samplerTells() async throws {
        let threads = ScarceThreads()
        let clock = StartedClock()
        let registry = BackgroundTaskRegistry(clock: clock, isAutomatic: true, threads: threads)
        defer { registry.endEverything() }
        let want = Want()
        registry.setObserver(want)
        _ = registry.beginBackgroundTask(withName: "a", expiry: .after(.seconds(3600))) {}
        threads.isPlenty.withLock { $0 = true }
        // A second and more has passed, before whoever tries again by itself comes.
        clock.advance(by: .seconds(2))
        // A thread of its own: one of the pool's may be the next that tells.
        let sampler = Lock<pid_t?>(nil)
        try SystemThreads().start("sampler") {
            registry.engine.retry()
            sampler.withLock { $0 = jetsam_thread_id() }
        }
        try await eventually("the sampler has looked") { sampler.withLock { $0 } != nil }
        try await eventually("it is said that expiry goes on") { want.news.withLock { $0.last } == "goes on" }
        #expect(want.toldBy.withLock { $0 } != sampler.withLock { $0 })
    }

    /// Real time, and what is added to it.
    private final class StartedClock: MonotonicClock {
        private let shift = Lock(Duration.zero)

        var now: MonotonicInstant { SystemMonotonicClock().now.advanced(by: shift.withLock { $0 }) }

        func advance(by duration: Duration) { shift.withLock { $0 += duration } }
    }
}
