import JetsamTesting
import Logging
import MemoryPressure

@testable import BackgroundTasks
@testable import Jetsam
@testable import JetsamPolicy
@testable import PurgeableCaches

/// Scenes on manual time.
final class SceneFixture: Sendable {
    let clock = ManualClock()
    let registry = CacheRegistry()
    let tasks = SceneTasksRecord()
    let store: MemoryStore
    let scenes: SceneManager
    let room: Lock<Int?>
    let availability = Lock<[Bool]>([])
    let logs = LogRecord()

    /// - Parameter room: How much room there is; nil for a manager that nobody tells.
    init(
        store: MemoryStore = MemoryStore(), withStore: Bool = true, room: Int? = nil,
        otherStore: (any SceneStateStore)? = nil,
        _ change: (inout ManagerConfiguration.Scenes) -> Void = { _ in }
    ) {
        var configuration = ManagerConfiguration.Scenes()
        change(&configuration)
        self.store = store
        let available = Lock(room)
        self.room = available
        let sequence = Lock<UInt64>(0)
        let told = availability
        let makeRoom: @Sendable (Int) async -> Int = { _ in available.withLock { $0 ?? 0 } }
        scenes = SceneManager(
            configuration: configuration,
            dependencies: SceneDependencies(
                clock: clock, logger: logs.logger, registry: registry,
                tasks: tasks, store: otherStore ?? (withStore ? store : nil),
                makeRoom: room == nil ? nil : makeRoom,
                nextSequence: {
                    sequence.withLock { sequence in
                        sequence += 1
                        return sequence
                    }
                },
                storeAvailability: { available in told.withLock { $0.append(available) } }, isAutomatic: false))
    }

    func advance(by duration: Duration) {
        clock.advance(by: duration)
        scenes.deadlines.fireDue()
    }

    /// Moves the time on as soon as `gate` has been reached so many times.
    func advance(by duration: Duration, whenArrived gate: Gate, _ count: Int = 1) async {
        await gate.waitForArrivals(count)
        advance(by: duration)
    }
}

/// Writes down what becomes of the background tasks of scenes.
final class SceneTasksRecord: SceneTasks {
    let calls = Lock<[String]>([])

    func expireAll(of scene: SceneIdentifier) {
        calls.withLock { $0.append("expire \(scene)") }
    }
    func endAll(of scene: SceneIdentifier) {
        calls.withLock { $0.append("end \(scene)") }
    }
}

/// Where callbacks stay until they are let go, without keeping a thread.
final class SlowSpot: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    let gate = Gate()
    private let state = Lock(State())

    func stay() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
            gate.arrive()
        }
    }

    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
