import JetsamTesting
import MemoryPressure
import TestSupport
import Testing

@testable import BackgroundTasks
@testable import Jetsam
@testable import JetsamPolicy

/// The ladder beyond the caches, with a real registry of background tasks and real scenes, over made-up kernel files.
struct LadderIntegrationTests {
    /// Lets time pass in small steps, and everything that follows from each be done.
    private func pass(_ seconds: Int, _ fixture: Fixture, until isDone: @Sendable () -> Bool = { false }) async {
        for _ in 0..<seconds * 10 where !isDone() {
            fixture.machine.advance(by: .milliseconds(100))
            await fixture.settle()
        }
    }

    @Test("At warning low priorities are refused, at critical all but the highest, and at normal none")
    func admission() async throws {
        let fixture = try Fixture()
        try await fixture.run { fixture in
            let tasks = fixture.backgroundTasks
            func admitted() -> [Bool] {
                [.low, .normal, .high].map { (priority: ResourcePriority) in tasks.mayBegin(priority: priority) }
            }
            #expect(admitted() == [true, true, true])
            fixture.manager.simulate(.warning)
            #expect(admitted() == [false, true, true])
            #expect(throws: BackgroundTaskRefusal.self) { _ = try tasks.begin("prefetch", priority: .low) }
            fixture.manager.simulate(.critical)
            #expect(admitted() == [false, false, true])
            fixture.manager.simulate(.normal)
            await pass(30, fixture) { fixture.manager.level == .normal }
            #expect(admitted() == [true, true, true])
        }
    }

    @Test("With nothing left in the caches, tasks expire early: the lowest first, of these the longest-running")
    func backgroundTasks() async throws {
        var configuration = ManagerConfiguration()
        configuration.ladder.backgroundTaskBatch = 1
        let fixture = try Fixture(configuration: configuration)
        try await fixture.run { fixture in
            let told = Lock<[String]>([])
            let held = Lock<[String: BackgroundTaskIdentifier]>([:])
            func begin(_ name: String, _ priority: ResourcePriority) throws {
                let task = try fixture.backgroundTasks.begin(.init(name), priority: priority) {
                    told.withLock { $0.append(name) }
                    // A batch is gone when its last has ended.
                    if let identifier = held.withLock({ $0[name] }) {
                        fixture.backgroundTasks.endBackgroundTask(identifier)
                    }
                }
                let identifier = task.intoIdentifier()
                held.withLock { $0[name] = identifier }
            }
            try begin("high", .high)
            try begin("normal", .normal)
            try begin("low, longest", .low)
            fixture.machine.advance(by: .milliseconds(100))
            try begin("low, shortest", .low)
            fixture.set(used: 500 * mebibyte)
            await pass(30, fixture) { told.withLock { $0.count } == 4 }
            let order = told.withLock { $0 }
            #expect(order.first == "low, longest")
            // The second batch has two, which may be told in either order.
            #expect(Set(order.dropFirst().prefix(2)) == ["low, shortest", "normal"])
            #expect(order.last == "high" && order.count == 4)
            #expect(fixture.backgroundTasks.heldCount == 0)
        }
    }

    @Test(
        "A leak makes the process leave before there is an emergency, after the cache was asked; the log says so first",
        arguments: [
            // 5 MiB a second evenly, and 2 in lumps, between which nothing grows.
            (used: 200, lump: mebibyte / 4, every: 1, room: 80...119),
            (used: 400, lump: mebibyte, every: 10, room: 56...79),
        ])
    func leavesEarly(used: Int, lump: Int, every: Int, room: ClosedRange<Int>) async throws {
        var configuration = ManagerConfiguration()
        configuration.lifecycle.drainDelay = .seconds(8)
        let log = LogRecord()
        let reasons = Lock<[LevelReason]>([])
        let fixture = try Fixture(used: used * mebibyte, configuration: configuration, logger: log.logger) { reason in
            reasons.withLock { $0.append(reason) }
        }
        try await fixture.run { fixture in
            let cache = FakeCache("pages", bytes: 60 * mebibyte, in: fixture)
            var seconds = 0
            while reasons.withLock({ $0.isEmpty }), seconds < 60 {
                seconds += 1
                for look in 0..<20 {
                    if look % every == 0 { fixture.change(used: lump) }
                    fixture.machine.advance(by: .milliseconds(50))
                    await fixture.settle()
                }
            }
            await fixture.toldEverything()
            let reason = try #require(reasons.withLock { $0 }.first)
            #expect(reason.rule == .timeToLimit)
            // Room and cache: growth for 1.25 x 10 s + 1 s, a second for which it has to hold, and critical's entry.
            #expect(room.contains(reason.observed / mebibyte), "\(reason)")
            #expect(!cache.state.withLock { $0.requests }.isEmpty)
            #expect(
                log.warnings.contains { $0.contains("a shutdown takes 10 s") && $0.contains("The process shuts down") })
            fixture.change(used: 5 * mebibyte)
            await pass(5, fixture)
            #expect(reasons.withLock { $0.count } == 1)
        }
    }

    @Test("Where another process of the group has the memory, nobody is told to go", arguments: [false, true])
    func notOurs(isSmall: Bool) async throws {
        let fixture = try Fixture()
        fixture.machine.tree.setProcesses(2)
        try await fixture.run { fixture in
            let told = Lock(0)
            let task = try fixture.backgroundTasks.begin("work") { told.withLock { $0 += 1 } }.intoIdentifier()
            fixture.set(used: 500 * mebibyte)
            if isSmall { fixture.machine.tree.setFootprint(bytes: 100 * mebibyte) }
            await pass(10, fixture) { told.withLock { $0 } > 0 }
            #expect(told.withLock { $0 } == (isSmall ? 0 : 1))
            fixture.backgroundTasks.endBackgroundTask(task)
        }
    }

    @Test("Nothing is expired while a cache has something left, nor by a simulation, nor where it is switched off")
    func gates() async throws {
        var configuration = ManagerConfiguration()
        configuration.ladder.expiresBackgroundTasks = false
        for (fixture, isShort) in [(try Fixture(), false), (try Fixture(configuration: configuration), true)] {
            try await fixture.run { fixture in
                let told = Lock(0)
                let task = try fixture.backgroundTasks.begin("work") { told.withLock { $0 += 1 } }.intoIdentifier()
                if isShort { fixture.set(used: 500 * mebibyte) } else { fixture.manager.simulate(.critical) }
                await pass(20, fixture)
                #expect(fixture.manager.level == .critical)
                #expect(told.withLock { $0 } == 0)
                fixture.backgroundTasks.endBackgroundTask(task)
            }
        }
    }

    @Test("Caches that gave all that they had at once are nothing that is left", arguments: [0, 4096])
    func emptied(refill: Int) async throws {
        let called = Lock(0)
        let fixture = try Fixture { _ in called.withLock { $0 += 1 } }
        try await fixture.run { fixture in
            let cache = FakeCache("cache", bytes: 20 * mebibyte, in: fixture)
            let told = Lock(0)
            let task = try fixture.backgroundTasks.begin("work") { told.withLock { $0 += 1 } }.intoIdentifier()
            // More than the cache can make good.
            fixture.set(used: 505 * mebibyte)
            for _ in 0..<900 where called.withLock({ $0 }) == 0 {
                fixture.machine.advance(by: .milliseconds(100))
                await fixture.settle()
                cache.grow(refill)
            }
            #expect(told.withLock { $0 } == 1)
            #expect(called.withLock { $0 } == 1)
            fixture.backgroundTasks.endBackgroundTask(task)
            cache.end()
        }
    }

    @Test("A task that does not end is waited for until it is overdue, and then the next is told")
    func hangs() async throws {
        var configuration = ManagerConfiguration()
        configuration.ladder.backgroundTaskBatch = 1
        let fixture = try Fixture(configuration: configuration)
        try await fixture.run { fixture in
            let told = Lock<[String]>([])
            let first = try fixture.backgroundTasks.begin("first", priority: .low) {
                told.withLock { $0.append("first") }
            }.intoIdentifier()
            let second = try fixture.backgroundTasks.begin("second") {
                told.withLock { $0.append("second") }
            }.intoIdentifier()
            fixture.set(used: 500 * mebibyte)
            await pass(30, fixture) { told.withLock { $0.count } == 1 }
            #expect(told.withLock { $0 } == ["first"])
            #expect(fixture.backgroundTasks.statistics.overdue == 0)
            await pass(30, fixture) { told.withLock { $0.count } == 2 }
            #expect(told.withLock { $0 } == ["first", "second"])
            #expect(fixture.backgroundTasks.statistics.overdue == 1)
            fixture.backgroundTasks.endBackgroundTask(first)
            fixture.backgroundTasks.endBackgroundTask(second)
        }
    }

    @Test("Of equal priority the ladder takes what stands still, and tells that memory is short")
    func standsStill() async throws {
        var configuration = ManagerConfiguration()
        configuration.ladder.backgroundTaskBatch = 1
        let fixture = try Fixture(configuration: configuration)
        try await fixture.run { fixture in
            let told = Lock<[String]>([])
            func begin(_ name: String) throws -> StoredBackgroundTask {
                try fixture.backgroundTasks.begin(BackgroundTaskName(name)) { reason, timeLeft in
                    let left = timeLeft.map { $0 > .seconds(1) && $0 <= .seconds(2) } == true
                    told.withLock { $0.append("\(name) \(reason) \(left)") }
                }.stored()
            }
            let moving = try begin("moving")
            fixture.machine.advance(by: .seconds(1))
            let standing = try begin("standing")
            fixture.machine.advance(by: .seconds(1))
            moving.progress()
            fixture.set(used: 500 * mebibyte)
            await pass(30, fixture) { !told.withLock { $0.isEmpty } }
            #expect(told.withLock { $0 } == ["standing memory true"])
            moving.end()
            standing.end()
        }
    }

    @Test("Scenes go one at a time where they may be taken, each step with its name, and none where they may not")
    func scenes() async throws {
        for takesScenes in [true, false] {
            var configuration = ManagerConfiguration()
            configuration.ladder.takesScenes = takesScenes
            let fixture = try Fixture(configuration: configuration)
            try await fixture.run { fixture in
                let background = try await fixture.manager.scenes.connect("background", observer: SceneRecord())
                try await background.enterBackground()
                let active = try await fixture.manager.scenes.connect("active", observer: SceneRecord())
                let losses = Lock<[ReclaimStep]>([])
                let gate = Gate()
                let steps = fixture.manager.reclaimSteps
                let isListening = Gate()
                let listener = Task {
                    var iterator = steps.makeAsyncIterator()
                    isListening.arrive()
                    while let step = await iterator.next() {
                        guard step.stage == .scenes else { continue }
                        losses.withLock { $0.append(step) }
                        gate.arrive()
                    }
                }
                await isListening.waitForArrivals(1)
                fixture.set(used: 500 * mebibyte)
                guard takesScenes else {
                    await pass(30, fixture)
                    listener.cancel()
                    #expect(losses.withLock { $0.isEmpty } && fixture.manager.scenes.candidateCount == 2)
                    return
                }
                @Sendable func isLeaving() -> Bool { fixture.manager.governor.channel.gauges.isLadderBusy }
                // A scene leaves in tasks of its own, for which time has to stand still.
                await pass(30, fixture) { isLeaving() || fixture.manager.scenes.candidateCount < 2 }
                await gate.waitForArrivals(1)
                let first = try #require(losses.withLock { $0.first })
                #expect(first.victims.count == 1 && first.victims[0].contains("'background'"))
                #expect(background.sceneState == .disconnected)
                await pass(30, fixture) { isLeaving() || fixture.manager.scenes.candidateCount < 1 }
                await gate.waitForArrivals(2)
                #expect(active.sceneState == .disconnected)
                listener.cancel()
            }
        }
    }

    @Test("An order that waited behind a slow victim takes nobody where there is room again by then")
    func letOff() async throws {
        var configuration = ManagerConfiguration()
        configuration.ladder.takesScenes = true
        configuration.ladder.victimTimeout = .seconds(1)
        let fixture = try Fixture(configuration: configuration)
        try await fixture.run { fixture in
            let scenes = fixture.manager.scenes
            let spot = SlowSpot()
            let slow = SceneRecord { name, _ in if name == "willTerminate" { await spot.stay() } }
            _ = try await scenes.connect("slow", by: .system, priority: .low, observer: slow)
            _ = try await scenes.connect("other", by: .system, observer: SceneRecord())
            fixture.set(used: 500 * mebibyte)
            await pass(30, fixture) { fixture.manager.governor.channel.gauges.isLadderBusy }
            await spot.gate.waitForArrivals(1)
            // The slow one has its time, and the next is ordered.
            await pass(30, fixture) { scenes.room.lossTurn.waiting == 1 }
            #expect(scenes.room.lossTurn.waiting == 1)
            fixture.set(used: 100 * mebibyte)
            spot.open()
            try await eventually("the turn is free") { scenes.room.lossTurn.waiting == 0 }
            await scenes.room.lossTurn.acquire()
            scenes.room.lossTurn.release()
            await pass(5, fixture)
            #expect(scenes["slow"] == nil)
            #expect(scenes["other"]?.sceneState == .background)
        }
    }

    @Test("The supervisor's word does not end a simulation")
    func supervisor() async throws {
        let fixture = try Fixture()
        try await fixture.run { fixture in
            fixture.manager.simulate(.critical)
            fixture.manager.governor.receive(KernelEvent(source: .systemdWatch, grade: .warning, path: ""))
            await pass(20, fixture)
            #expect(fixture.manager.level == .critical)
        }
    }

    @Test("The ladder ends as soon as there is room again")
    func stops() async throws {
        var configuration = ManagerConfiguration()
        configuration.ladder.backgroundTaskBatch = 1
        let fixture = try Fixture(configuration: configuration)
        try await fixture.run { fixture in
            let told = Lock(0)
            var held: [BackgroundTaskIdentifier] = []
            for _ in 0..<50 {
                held.append(
                    try fixture.backgroundTasks.begin("work") {
                        told.withLock { $0 += 1 }
                        fixture.change(used: -200 * mebibyte)
                    }.intoIdentifier())
            }
            fixture.set(used: 500 * mebibyte)
            await pass(30, fixture) { told.withLock { $0 } > 0 }
            for task in held { fixture.backgroundTasks.endBackgroundTask(task) }
            await pass(10, fixture)
            #expect(told.withLock { $0 } == 1)
        }
    }
}
