import JetsamTesting
import Logging
import MemoryPressure
import TestSupport
import Testing

@testable import BackgroundTasks
@testable import Jetsam
@testable import PurgeableCaches

/// Tasks that are held for so long that somebody may have forgotten them.
struct LongHeldTests {
    private let logs = LogRecord()

    private var notices: [LogRecord.Line] {
        logs.lines.filter { $0.level == .notice && $0.text.contains("held for more than") }
    }

    @Test("A task that is held for 15 minutes is reported once, by name, and is not expired by that")
    func once() async throws {
        let fixture = try Fixture(logger: logs.logger)
        try await fixture.run { fixture in
            let told = Lock(false)
            let task = fixture.backgroundTasks.beginBackgroundTask(withName: "forgotten") {
                told.withLock { $0 = true }
            }
            fixture.machine.advance(by: .seconds(899))
            await fixture.toldEverything()
            #expect(notices.isEmpty && fixture.backgroundTasks.statistics.longHeld == 0)
            fixture.machine.advance(by: .seconds(4))
            try await eventually("it is reported") { notices.count == 1 }
            fixture.machine.advance(by: .seconds(2000))
            await fixture.toldEverything()
            #expect(notices.count == 1 && fixture.backgroundTasks.statistics.longHeld == 1)
            #expect(!told.withLock { $0 } && fixture.backgroundTasks.heldCount == 1)
            #expect(fixture.backgroundTasks.backgroundTimeRemaining(of: task) == nil)
            let line = try #require(notices.first)
            #expect(line.text.hasPrefix("Background task 'forgotten' (") && line.text.contains("LongHeldTests.swift"))
            #expect(line.metadata == ["count": "1", "seconds": "900"])
            fixture.backgroundTasks.endBackgroundTask(task)
        }
    }

    @Test(
        "Tasks that come and go are not reported, those that became overdue were, and those that began together are one line"
    )
    func many() async throws {
        let fixture = try Fixture(logger: logs.logger)
        try await fixture.run { fixture in
            var tasks = (0..<25).map { _ in fixture.backgroundTasks.beginBackgroundTask(withName: "held") }
            _ = fixture.backgroundTasks.beginBackgroundTask(withName: "overdue", expiry: .after(.seconds(60)))
            for _ in 0..<10 {
                let short = fixture.backgroundTasks.beginBackgroundTask(withName: "short")
                fixture.machine.advance(by: .seconds(80))
                fixture.backgroundTasks.endBackgroundTask(short)
            }
            tasks.append(fixture.backgroundTasks.beginBackgroundTask(withName: "later"))
            fixture.machine.advance(by: .seconds(110))
            try await eventually("they are reported") { notices.count == 1 }
            #expect(notices[0].text.hasPrefix("25 background tasks have been held for more than 900.0 seconds"))
            #expect(notices[0].text.hasSuffix("; and 15 more") && !notices[0].text.contains("overdue"))
            fixture.machine.advance(by: .seconds(800))
            try await eventually("the later one is reported") { notices.count == 2 }
            #expect(notices[1].text.hasPrefix("Background task 'later' "))
            #expect(fixture.backgroundTasks.statistics.longHeld == 26)
            for task in tasks { fixture.backgroundTasks.endBackgroundTask(task) }
        }
    }

    @Test("Nil asks for no report; the time can be another", arguments: [nil, 60])
    func configured(seconds: Int?) async throws {
        let machine = SimulatedMachine(tree: try .v2(limit: 512 * mebibyte))
        defer { machine.tree.remove() }
        var configuration = BackgroundTaskConfiguration()
        configuration.longHeldAfter = seconds.map { .seconds($0) }
        let tasks = machine.makeBackgroundTaskRegistry(configuration: configuration)
        let task = tasks.beginBackgroundTask(withName: "early")
        let manager = try ResourceManager(
            registry: CacheRegistry(), backgroundTasks: tasks, logger: logs.logger, environment: machine.environment)
        let running = Task { try await manager.run() }
        await machine.waitUntilStarted()
        machine.advance(by: .seconds(1000))
        if seconds == nil {
            #expect(manager.longHeld == nil)
        } else {
            try await eventually("it is reported") { tasks.statistics.longHeld == 1 }
        }
        running.cancel()
        try await running.value
        #expect(notices.count == (seconds == nil ? 0 : 1))
        tasks.endBackgroundTask(task)
    }

    @Test("A time out of its range is held to it")
    func bounds() {
        for (given, kept) in [(0, 1), (1, 1), (3600, 3600), (100_000, 3600)] {
            var configuration = BackgroundTaskConfiguration()
            configuration.longHeldAfter = .seconds(given)
            #expect(configuration.bounded.longHeldAfter == .seconds(kept))
        }
    }

    @Test("What is held when the process drains is named there, and not once more")
    func draining() async throws {
        let fixture = try Fixture(logger: logs.logger)
        try await fixture.run { fixture in
            let task = fixture.backgroundTasks.beginBackgroundTask(withName: "held")
            fixture.machine.advance(by: .seconds(890))
            fixture.manager.lifecycle.beginShutdown()
            fixture.machine.advance(by: .seconds(15))
            await fixture.toldEverything()
            #expect(notices.isEmpty)
            fixture.backgroundTasks.endBackgroundTask(task)
        }
    }

    @Test("Time in which the process did not run does not count", arguments: seedBatches)
    func horizon(seeds: ClosedRange<UInt64>) {
        for seed in seeds {
            var random = SeededGenerator(seed: seed)
            let span = Int64.random(in: 1...500, using: &random)
            var (now, paused) = (Int64(10_000), Int64(0))
            var horizon = LongHeldHorizon(span: span, now: now, paused: paused)
            // By when it began: how long it has run, and whether it was reported.
            var tasks: [(began: Int64, ran: Int64, isReported: Bool)] = []
            for _ in 0..<200 {
                if Bool.random(using: &random) { tasks.append((now, 0, false)) }
                // A look comes after each pause, as the sampler's does.
                let ran = Int64.random(in: 0...100, using: &random)
                let lost = UInt8.random(in: 0..<5, using: &random) == 0 ? Int64.random(in: 1...2000, using: &random) : 0
                now += ran + lost
                paused += lost
                for index in tasks.indices { tasks[index].ran += ran }
                let range = horizon.advance(to: now, paused: paused)
                #expect(range.after <= range.upTo, "seed \(seed)")
                for index in tasks.indices {
                    let task = tasks[index]
                    guard task.began >= range.after, task.began < range.upTo else { continue }
                    #expect(!task.isReported, "seed \(seed): twice")
                    #expect(task.ran >= span, "seed \(seed): early, after \(task.ran) of \(span)")
                    tasks[index].isReported = true
                }
                // Pauses are placed at their look's end: a task that began in the same turn can be late by that turn.
                for task in tasks where task.ran > span + 100 { #expect(task.isReported, "seed \(seed): late") }
            }
        }
    }
}
