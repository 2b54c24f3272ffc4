import JetsamTesting
import MemoryPressure
import Testing

@testable import BackgroundTasks
@testable import Jetsam
@testable import JetsamPolicy

struct SceneTimingTests {
    @Test("Deadlines fall due in their order, once each, and cancelled ones never")
    func deadlines() {
        let clock = ManualClock()
        let deadlines = Deadlines(clock: clock, isAutomatic: false)
        let fired = Lock<[Int]>([])
        func add(_ number: Int, _ seconds: Int) -> UInt64 {
            deadlines.add(clock.now.advanced(by: .seconds(seconds))) { fired.withLock { $0.append(number) } }
        }
        _ = add(3, 3)
        _ = add(1, 1)
        deadlines.cancel(add(9, 1))
        _ = add(2, 2)
        clock.advance(by: .milliseconds(999))
        deadlines.fireDue()
        #expect(fired.withLock { $0 } == [])
        clock.advance(by: .milliseconds(1001))
        deadlines.fireDue()
        #expect(fired.withLock { $0 } == [1, 2])
        #expect(deadlines.count == 1)
        _ = add(0, -5)
        #expect(fired.withLock { $0 } == [1, 2, 0], "one that has passed fires at once")
        clock.advance(by: .seconds(9))
        deadlines.fireDue()
        deadlines.fireDue()
        #expect(fired.withLock { $0 } == [1, 2, 0, 3])
    }

    @Test("In real time they fall due by themselves, and not early")
    func realTime() async {
        let clock = SystemMonotonicClock()
        let deadlines = Deadlines(clock: clock, isAutomatic: true)
        let due = clock.now.advanced(by: .milliseconds(20))
        let fired = await withCheckedContinuation { continuation in
            _ = deadlines.add(due.advanced(by: .seconds(3600))) {}
            _ = deadlines.add(due) { continuation.resume(returning: clock.now) }
        }
        #expect(fired >= due)
        #expect(deadlines.count == 1)
    }

    @Test("A turn is given in the order in which it was asked for, to one at a time")
    func turns() async {
        let turn = AsyncTurn()
        let order = Lock<[Int]>([])
        await turn.acquire()
        await withTaskGroup { group in
            for number in 0..<10 {
                let isWaiting = Gate()
                group.addTask {
                    isWaiting.arrive()
                    await turn.acquire()
                    order.withLock { $0.append(number) }
                    turn.release()
                }
                await isWaiting.waitForArrivals(1)
                while turn.waiting < number + 1 { await Task.yield() }
            }
            turn.release()
        }
        #expect(order.withLock { $0 } == Array(0..<10))
        #expect(turn.waiting == 0)
    }

    @Test("Callbacks run on the executor that was named")
    func executor() async throws {
        let executor = CountingExecutor()
        let fixture = SceneFixture()
        let record = SceneRecord { _, _ in
            #expect(CountingExecutor.isCurrent, "the callback runs elsewhere")
        }
        let scene = try await fixture.scenes.connect("a", on: executor, observer: record)
        try await scene.suspend()
        #expect(record.calls.count == 7)
    }

    @Test("A call that waits behind one that hangs is given up without being made")
    func behindHung() async throws {
        let fixture = SceneFixture()
        let spot = SlowSpot()
        let record = SceneRecord { name, _ in if name == "didBecomeActive" { await spot.stay() } }
        let connecting = Task { try await fixture.scenes.connect("a", observer: record) }
        await fixture.advance(by: .seconds(5), whenArrived: spot.gate)
        let scene = try await connecting.value
        #expect(scene.sceneState == .active)
        let down = Task { try await scene.suspend() }
        // Each change waits until its own deadline for the call that hangs, and then goes on.
        while scene.sceneState != .suspended {
            fixture.advance(by: .seconds(5))
            await Task.yield()
        }
        try await down.value
        #expect(record.calls == ["willConnect", "didBecomeActive"])
        #expect(scene.isUnsaved)
        spot.open()
        try await scene.activate()
        #expect(
            record.calls == ["willConnect", "didBecomeActive", "willEnterForeground", "didBecomeActive"],
            "what was given up is not made up for")
    }
}

/// Runs its jobs on a thread of its own.
private final class CountingExecutor: TaskExecutor {
    private let thread = WorkThread("executor-test")

    static var isCurrent: Bool {
        var result = false
        unsafe withUnsafeCurrentTask { task in
            unsafe result = task?.unownedTaskExecutor != nil
        }
        return result
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = unsafe asUnownedTaskExecutor()
        thread.add { unsafe job.runSynchronously(on: executor) }
    }
}

struct SceneConfigurationTests {
    private typealias Scenes = ManagerConfiguration.Scenes

    @Test(
        "The defaults are allowed, and what is out of range is named",
        arguments: [
            ("maximumCount", 0), ("maximumCount", 1_000_001), ("backgroundCachePercent", -1),
            ("backgroundCachePercent", 101),
            ("maximumStateBytes", 0), ("crashedStarts", 0), ("connectDeadline", 0), ("transitionDeadline", -1),
            ("lossDeadline", 3601), ("restorationDeadline", 0), ("handOffDeadline", 0),
        ])
    func ranges(setting: String, value: Int) throws {
        var configuration = ManagerConfiguration()
        try configuration.validate()
        switch setting {
        case "maximumCount": configuration.scenes.maximumCount = value
        case "backgroundCachePercent": configuration.scenes.backgroundCachePercent = value
        case "maximumStateBytes": configuration.scenes.maximumStateBytes = value
        case "crashedStarts": configuration.scenes.crashedStarts = value
        case "connectDeadline": configuration.scenes.connectDeadline = .seconds(value)
        case "transitionDeadline": configuration.scenes.transitionDeadline = .seconds(value)
        case "lossDeadline": configuration.scenes.lossDeadline = .seconds(value)
        case "restorationDeadline": configuration.scenes.restorationDeadline = .seconds(value)
        default: configuration.scenes.handOffDeadline = .seconds(value)
        }
        let error = #expect(throws: ConfigurationError.self) { try configuration.validate() }
        #expect(error?.setting == "scenes.\(setting)")
    }
}
