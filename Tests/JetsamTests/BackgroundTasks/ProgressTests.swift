import JetsamTesting
import MemoryPressure
import ServiceLifecycle
import Testing

@testable import BackgroundTasks
@testable import Jetsam

/// Tasks that tell progress: who expires first, and what reports say.
@Suite(.timeLimit(.minutes(5)))
struct ProgressTests {
    /// A little more than the unit in which progress is known.
    private static let unit = Duration.milliseconds(17)

    @Test("Of equal priority what stands still expires first; what never told progress stands still since it began")
    func order() throws {
        let manual = ManualRegistry()
        let registry = manual.registry
        let told = Lock<[String]>([])
        func begin(_ name: String, _ priority: ResourcePriority) throws -> StoredBackgroundTask {
            defer { manual.advance(.seconds(1)) }
            return try registry.begin(BackgroundTaskName(name), priority: priority) {
                told.withLock { $0.append(name) }
            }.stored()
        }
        let moving = try begin("moving", .normal)
        let stopped = try begin("stopped", .normal)
        let silent = try begin("silent", .normal)
        let low = try begin("low", .low)
        stopped.progress()
        manual.advance(.seconds(1))
        moving.progress()
        low.progress()
        for _ in 0..<4 {
            #expect(registry.expireEarly(atMost: 1).count == 1)
            manual.advance(.milliseconds(2))
        }
        // The first three began in another order.
        #expect(told.withLock { $0 } == ["low", "silent", "stopped", "moving"])
        withExtendedLifetime((moving, stopped, silent, low)) {}
    }

    /// A task as the order is to see it.
    private struct Ranked: Comparable {
        var name: String
        var priority: UInt8
        /// When it began or last told progress, in units of 2^24 ns.
        var moved: Int64

        static func < (lhs: Ranked, rhs: Ranked) -> Bool {
            (lhs.priority, lhs.moved) < (rhs.priority, rhs.moved)
        }
    }

    @Test("Whoever moves and ends, early expiry takes what a sorted list would", arguments: seedBatches)
    func sorted(seeds: ClosedRange<UInt64>) {
        for seed in seeds { sort(seed) }
    }

    private func sort(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let manual = ManualRegistry()
        let start = manual.clock.now
        var held: [(task: BackgroundTaskIdentifier, rank: Ranked)] = []
        func unit() -> Int64 { start.duration(to: manual.clock.now).nanoseconds >> 24 }
        for step in 0..<120 {
            manual.clock.advance(by: .milliseconds(Int.random(in: 0...300, using: &random)))
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<4:
                let priority = [ResourcePriority.low, .normal, .high].randomElement(using: &random)!
                let task = manual.begin("\(step)", .atTermination, priority: priority)
                held.append((task, Ranked(name: "\(step)", priority: priority.rawValue, moved: unit())))
            case 4..<8:
                guard let index = held.indices.randomElement(using: &random) else { continue }
                manual.registry.table.noteProgress(held[index].task.value)
                held[index].rank.moved = unit()
            case 8:
                guard let index = held.indices.randomElement(using: &random) else { continue }
                let gone = held.remove(at: index).task
                manual.registry.endBackgroundTask(gone)
                manual.registry.table.noteProgress(gone.value)
            default:
                let most = Int.random(in: 0...3, using: &random)
                let expected = held.map(\.rank).sorted().prefix(most).map { [Int64($0.priority), $0.moved] }
                let before = manual.called.count
                #expect(manual.registry.expireEarly(atMost: most).count == min(most, held.count), "seed \(seed)")
                manual.advance(.milliseconds(2))
                let taken = Set(manual.called.dropFirst(before))
                let found = held.map(\.rank).filter { taken.contains($0.name) }.sorted()
                #expect(found.map { [Int64($0.priority), $0.moved] } == expected, "seed \(seed)")
                held.removeAll { taken.contains($0.rank.name) }
            }
        }
    }

    @Test("The time since the last progress is known to 17 ms, and is none before the first")
    func since() throws {
        let manual = ManualRegistry()
        let task = try manual.registry.begin("work")
        manual.advance(.seconds(5))
        #expect(try #require(manual.registry.heldTasks().first).sinceProgress == nil)
        task.progress()
        manual.advance(.seconds(3))
        let report = try #require(manual.registry.heldTasks().first)
        let since = try #require(report.sinceProgress)
        #expect(since > .seconds(3) - Self.unit && since < .seconds(3) + Self.unit)
        #expect(report.age > .seconds(8) - Self.unit)
        #expect(task.backgroundTimeRemaining == nil)
    }

    @Test("Progress after the end, also of a chunk that is gone, does nothing, and the next task in the slot has none")
    func ended() throws {
        let manual = ManualRegistry()
        let registry = manual.registry
        var handle = try registry.begin("handle")
        handle.progress()
        handle.end()
        handle.progress()
        let stored = try registry.begin("stored", scene: "room").stored()
        let bereft = try registry.begin("bereft", scene: "room")
        registry.endAll(of: "room")
        stored.progress()
        bereft.progress()
        #expect(stored.expiryReason == nil)
        registry.table.noteProgress(0)
        registry.table.noteProgress(.max)
        let many = (0..<TaskSlab.chunkSize * 3).map { _ in manual.begin("many", .atTermination) }
        for task in many { registry.table.noteProgress(task.value) }
        for task in many { registry.endBackgroundTask(task) }
        for task in many { registry.table.noteProgress(task.value) }
        let again = (0..<TaskSlab.chunkSize * 3).map { _ in manual.begin("again", .atTermination) }
        #expect(registry.heldTasks(limit: 10_000).count == again.count)
        #expect(registry.heldTasks(limit: 10_000).allSatisfy { $0.sinceProgress == nil })
    }

    @Test("A body tells progress of its own task")
    func body() async throws {
        let manual = ManualRegistry()
        try await manual.registry.withBackgroundTask("work") {
            StoredBackgroundTask.current?.progress()
            manual.clock.advance(by: .seconds(1))
            let since = try #require(manual.registry.heldTasks().first?.sinceProgress)
            #expect(since > .seconds(1) - Self.unit && since < .seconds(1) + Self.unit)
        }
    }

    @Test("The line of a task says for how long it stands still and is overdue, where there is something to say")
    func description() {
        var task = HeldBackgroundTask(
            name: "flush", origin: "Server/Store.swift:88", priority: .low, age: .milliseconds(12_440), state: .held,
            scene: "room")
        let head = "'flush' (Server/Store.swift:88), low, held for 12.4 s"
        #expect(task.description == "\(head), scene 'room'")
        task.state = .overdue(for: .milliseconds(99))
        #expect(task.description == "\(head), scene 'room'")
        task.sinceProgress = .milliseconds(8160)
        task.scene = nil
        #expect(task.description == "\(head), no progress for 8.2 s")
        task.state = .overdue(for: .seconds(3))
        #expect(task.description == "\(head), no progress for 8.2 s, overdue for 3 s")
    }

    @Test("The log names an overdue task with the time since its last progress, and at the end how long it is overdue")
    func logged() async throws {
        let fixture = try LifecycleFixture { $0.terminationGracePeriod = .seconds(10) }
        try await fixture.run(servers: []) { fixture, group in
            await fixture.record.heard("didBecomeActive")
            let task = try fixture.tasks.begin("deaf", expiry: .after(.seconds(5))).stored()
            fixture.machine.advance(by: .seconds(1))
            task.progress()
            fixture.machine.advance(by: .seconds(4))
            fixture.machine.advance(by: fixture.tasks.overdueGrace + .seconds(1))
            try await fixture.until("it is overdue") { fixture.tasks.statistics.overdueNow == 1 }
            await group.triggerGracefulShutdown()
            try await fixture.until("the end is told") {
                fixture.logs.warnings.contains { $0.hasPrefix("1 background task has not ended") }
            }
            withExtendedLifetime(task) {}
        }
        let overdue = fixture.logs.warnings.first { $0.hasPrefix("Background task 'deaf'") }
        #expect(try #require(overdue).contains(", no progress for "))
        let left = fixture.logs.warnings.first { $0.hasPrefix("1 background task has not ended") }
        #expect(try #require(left).contains(/held for [\d.]+ s, no progress for [\d.]+ s, overdue for [\d.]+ s/))
    }

    @Test("Progress meets the end and the expiry of the same tasks on other threads", arguments: seedBatches)
    func concurrent(seeds: ClosedRange<UInt64>) async throws {
        for seed in seeds.prefix(20) { try await meet(seed) }
    }

    private func meet(_ seed: UInt64) async throws {
        let registry = BackgroundTaskRegistry()
        let told = Lock(0)
        var tasks: [StoredBackgroundTask] = []
        for number in 0..<64 {
            tasks.append(
                try registry.begin("work", expiry: .after(.microseconds(number * 20))) { reason, timeLeft in
                    #expect(reason == .deadline || reason == .memory)
                    #expect(timeLeft.map { $0 <= .seconds(3) } == true)
                    told.withLock { $0 += 1 }
                }.stored())
        }
        let done = Gate()
        for thread in 0..<4 {
            try ServiceThread.start("progress") { [tasks] in
                var random = SeededGenerator(seed: seed &* 10 &+ UInt64(thread))
                for _ in 0..<300 {
                    let task = tasks.randomElement(using: &random)!
                    switch thread {
                    case 0: task.end()
                    case 1 where Int.random(in: 0..<20, using: &random) == 0: _ = registry.expireEarly(atMost: 2)
                    case 2: _ = (task.expiryReason, registry.heldTasks(limit: 3).map(\.description))
                    default: task.progress()
                    }
                }
                done.arrive()
            }
        }
        await done.waitForArrivals(4)
        for task in tasks { task.end() }
        #expect(registry.heldCount == 0 && registry.table.takenSlots == 0, "seed \(seed)")
        // A handler that was taken out before its task's end may still be under way.
        while told.withLock({ $0 }) != registry.statistics.expired { await Task.yield() }
    }
}
