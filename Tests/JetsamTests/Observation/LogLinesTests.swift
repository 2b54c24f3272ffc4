import JetsamSystem
import JetsamTesting
import Logging
import MemoryPressure
import SystemPackage
import Testing

@testable import BackgroundTasks
@testable import Jetsam
@testable import JetsamPolicy
@testable import PurgeableCaches

struct LogLinesTests {
    private let logs = LogRecord()

    private func lines(_ start: String, _ level: Logger.Level) -> [LogRecord.Line] {
        logs.lines.filter { $0.level == level && $0.text.hasPrefix(start) }
    }

    @Test("An episode is a line for each change of the level and one for what reclaim came to; steps are for debugging")
    func episode() async throws {
        let fixture = try Fixture(logger: logs.logger)
        let cache = FakeCache("values", bytes: 100 * mebibyte, in: fixture)
        try await fixture.run { fixture in
            fixture.machine.advance(by: .seconds(1))
            fixture.set(used: 480 * mebibyte)
            // In pieces that no deadline of a handler fits into: on a busy machine its thread may not run for longer than one takes.
            for _ in 0..<200 {
                fixture.machine.advance(by: .milliseconds(50))
                await fixture.settle()
            }
            fixture.set(used: 100 * mebibyte)
            fixture.machine.advance(by: .seconds(10))
            await fixture.toldEverything()
            #expect(fixture.manager.level == .normal)
        }
        cache.end()
        let changes = lines("Memory pressure ", .notice)
        let steps = lines("Reclaim step ", .debug)
        let episodes = lines("Reclaim episode of ", .notice)
        #expect(changes.first?.text.hasPrefix("Memory pressure normal → critical: headroom ") == true)
        #expect(changes.last?.metadata["level"] == "normal")
        #expect(
            changes.allSatisfy {
                Set($0.metadata.keys) == ["level", "previous", "rule", "cause", "headroomBytes", "sequence"]
            })
        #expect(!steps.isEmpty)
        let episode = try #require(episodes.first)
        #expect(episodes.count == 1)
        #expect(episode.metadata["steps"] == "\(steps.count)")
        #expect(episode.metadata["highestLevel"] == "critical")
        #expect(episode.metadata["victims"] == "0")
        #expect(episode.text.contains(" (values "))
        #expect(episode.text.contains(/; worked [0-9.]+ (µs|ms|s) of [0-9.]+ s, up to critical/))
        let promised = steps.compactMap { $0.metadata["promisedBytes"].flatMap { Int($0) } }.reduce(0, +)
        #expect(episode.metadata["promisedBytes"] == "\(promised)")
        #expect(promised >= 52 * mebibyte)
        #expect(
            Set(episode.metadata.keys).subtracting(["freedBytes"]) == [
                "steps", "promisedBytes", "returnedBytes", "trimmedBytes", "milliseconds", "workMilliseconds",
                "highestLevel", "victims", "isDryRun",
            ])
        // One that says that the manager runs without its gate belongs to the start.
        let others = logs.lines.filter { $0.level >= .notice && !$0.text.contains("drain gate") }
        #expect(others.map(\.text).sorted() == (changes + episodes).map(\.text).sorted())
    }

    @Test("Readings are not logged: a minute without a change is a minute without a line")
    func readings() async throws {
        let fixture = try Fixture(logger: logs.logger)
        try await fixture.run { fixture in
            fixture.machine.advance(by: .seconds(1))
            let before = logs.lines.count
            fixture.machine.advance(by: .seconds(60))
            await fixture.toldEverything()
            #expect(logs.lines.dropFirst(before).map(\.text).filter { !$0.hasPrefix("Reclaim on request: ") } == [])
        }
    }

    @Test("A manager that was made and is not run says so once, and one that runs does not", arguments: [false, true])
    func forgotten(isRun: Bool) async throws {
        let machine = SimulatedMachine(tree: try .v2(limit: 512 * mebibyte))
        defer { machine.tree.remove() }
        let reminders = Lock<[(Duration, @Sendable () -> Void)]>([])
        var environment = machine.environment
        environment.later = { time, body in reminders.withLock { $0.append((time, body)) } }
        let manager = try ResourceManager(
            registry: CacheRegistry(), backgroundTasks: machine.makeBackgroundTaskRegistry(), logger: logs.logger,
            environment: environment)
        let running = isRun ? Task { try await manager.run() } : nil
        if isRun { await machine.waitUntilStarted() }
        let due = reminders.withLock { $0 }
        #expect(due.map(\.0) == [.seconds(60)])
        for (_, body) in due { body() }
        #expect(lines("The resource manager was made ", .warning).count == (isRun ? 0 : 1))
        running?.cancel()
        try await running?.value
    }

    @Test("Shutdown says what it waits for")
    func draining() async throws {
        let fixture = try Fixture(logger: logs.logger)
        try await fixture.run { fixture in
            let task = try fixture.backgroundTasks.begin("upload")
            fixture.manager.lifecycle.beginShutdown()
            withExtendedLifetime(task) {}
        }
        let line = try #require(lines("Draining: waits for 1 background task: 'upload' ", .notice).first)
        #expect(line.metadata["held"] == "1")
    }

    @Test("Tasks that become overdue together are one line, which names the first ten")
    func overdue() async throws {
        let fixture = try Fixture(logger: logs.logger)
        try await fixture.run { fixture in
            for _ in 0..<15_000 {
                _ = fixture.backgroundTasks.beginBackgroundTask(withName: "task", expiry: .after(.seconds(1)))
            }
            fixture.machine.advance(by: .seconds(10))
        }
        let warnings = logs.lines.filter { $0.level == .warning && $0.text.contains("are overdue") }
        let line = try #require(warnings.first)
        #expect(warnings.count == 1, "\(warnings.map(\.text))")
        #expect(line.text.hasPrefix("15000 background tasks are overdue and are "))
        #expect(line.text.hasSuffix("; and 14990 more"))
        #expect(line.metadata["count"] == "15000")
    }

    @Test(
        "Files that somebody takes away while they are written are said to be gone, once",
        arguments: ["ring", "shorter ring", "trace", "socket"])
    func filesGone(which: String) async throws {
        let directory = try TemporaryDirectory()
        let (ring, trace, control) = (
            directory.path.appending("ring"), directory.path.appending("trace.jsonl"),
            directory.path.appending("control")
        )
        var configuration = ManagerConfiguration()
        configuration.recorder.directory = ring.string
        configuration.recorder.traceFile = trace.string
        configuration.control.isEnabled = true
        configuration.control.directory = control.string
        let fixture = try Fixture(configuration: configuration, logger: logs.logger)
        try await fixture.run { fixture in
            // As a clean-up would.
            switch which {
            case "ring": TemporaryDirectory.remove(ring)
            case "shorter ring":
                for name in try TemporaryDirectory.names(ring) {
                    try Syscalls.truncate(ring.appending(name).string, to: 0)
                }
            case "trace": TemporaryDirectory.remove(trace)
            default: TemporaryDirectory.remove(control)
            }
            fixture.machine.advance(by: .seconds(6))
            fixture.manager.files.look(at: fixture.machine.clock.now)
            fixture.machine.advance(by: .seconds(6))
            fixture.manager.files.look(at: fixture.machine.clock.now)
        }
        let start: String
        switch which {
        case "ring": start = "The flight recorder is off: its file was removed"
        case "shorter ring": start = "The flight recorder is off: its file was made shorter"
        case "trace": start = "The trace ends here: "
        default: start = "The control socket was removed"
        }
        #expect(lines(start, .error).count == 1)
        #expect(logs.lines.count { $0.level == .error } == 1)
    }

    @Test(
        "Files that there is no descriptor for are a warning, once, and a notice when there is again; nothing is said of a move"
    )
    func starved() async throws {
        let fixture = try Fixture(logger: logs.logger)
        let (broken, mended) = (
            "Files of memory signals cannot be opened", "The files of memory signals could be opened"
        )
        try await fixture.run { fixture in
            let tree = fixture.machine.tree
            fixture.machine.advance(by: .seconds(1))
            // What makes it look for its files again.
            tree.moveProcess(to: "/elsewhere")
            tree.setDescriptorsExhausted(true)
            for _ in 0..<3 {
                fixture.machine.advance(by: .seconds(11))
                await fixture.toldEverything()
            }
            #expect(lines(mended, .notice).isEmpty)
            tree.moveProcess(to: "/server")
            tree.setDescriptorsExhausted(false)
            for _ in 0..<3 {
                fixture.machine.advance(by: .seconds(11))
                await fixture.toldEverything()
            }
            let unused = fixture.manager.status.sources.filter { $0.source != .pressureTotals && !$0.isUsed }
            #expect(unused.isEmpty)
        }
        let warning = try #require(lines(broken, .warning).first)
        #expect(lines(broken, .warning).count == 1)
        #expect(warning.text.contains("EMFILE: file descriptors are exhausted"))
        #expect(warning.metadata["reason"] == "starved")
        #expect(lines(mended, .notice).count == 1)
        #expect(!logs.lines.contains { $0.text.contains("moved to another cgroup") })
    }

    @Test("A move to another cgroup is a notice, once")
    func moved() async throws {
        let fixture = try Fixture(logger: logs.logger)
        try await fixture.run { fixture in
            fixture.machine.advance(by: .seconds(1))
            fixture.machine.tree.moveProcess(to: "/elsewhere")
            for _ in 0..<3 {
                fixture.machine.advance(by: .seconds(11))
                await fixture.toldEverything()
            }
        }
        #expect(lines("The process was moved to another cgroup", .notice).count == 1)
    }

    @Test("A call of the application's is a line of its own, and belongs to no episode")
    func call() async throws {
        let fixture = try Fixture(logger: logs.logger)
        let cache = FakeCache("values", bytes: 10 * mebibyte, in: fixture)
        try await fixture.run { fixture in
            await fixture.manager.releaseCaches(bytes: 4 * mebibyte)
            await fixture.toldEverything()
        }
        cache.end()
        let line = try #require(lines("Reclaim on request: ", .info).first)
        #expect(line.metadata["promisedBytes"] == "\(4 * mebibyte)")
        #expect(line.metadata["step"] == "0")
        #expect(line.metadata["stage"] == "caches")
        #expect(lines("Reclaim episode", .notice).isEmpty)
    }

    @Test("A level that sticks is announced again for those who want to know, not as a change")
    func repetition() async throws {
        let fixture = try Fixture(logger: logs.logger)
        try await fixture.run { fixture in
            fixture.manager.simulate(.warning)
            fixture.machine.advance(by: .seconds(65))
            await fixture.toldEverything()
        }
        #expect(lines("Memory pressure ", .notice).count == 1)
        #expect(lines("Memory pressure still warning", .info).count == 2)
    }

    @Test("An episode that the end of the process cuts short is logged as far as it came")
    func cutShort() async throws {
        let fixture = try Fixture(logger: logs.logger)
        let cache = FakeCache("values", bytes: 100 * mebibyte, in: fixture)
        try await fixture.run { fixture in
            fixture.set(used: 480 * mebibyte)
            fixture.machine.advance(by: .seconds(1))
            await fixture.toldEverything()
        }
        cache.end()
        #expect(lines("Reclaim episode of ", .notice).count == 1)
    }
}

struct ReclaimEpisodesTests {
    private func change(_ level: PressureLevel, at seconds: Double, previous: PressureLevel = .normal) -> LevelChange {
        LevelChange(
            sequence: 0, previous: previous, level: level,
            reason: LevelReason(rule: .headroom, observed: 1, threshold: 2, unit: .bytes, cause: .sampler),
            instant: .seconds(seconds), headroomBytes: 1)
    }

    private func step(
        _ number: Int, promised: Int, freed: Int? = nil, stage: ReclaimStage = .caches, victims: Int = 0
    ) -> ReclaimStep {
        ReclaimStep(
            sequence: 0, stage: stage, step: number, level: .warning, reason: change(.warning, at: 0).reason,
            missingBytes: 0, targetBytes: 0, promisedBytes: promised, freedBytes: freed, returnedBytes: promised / 2,
            isDisturbed: false, didTrim: false, headroomBefore: 0, headroomAfter: 0, timeToFirstRelease: nil,
            duration: .zero,
            parts: [], victimCount: victims)
    }

    @Test("Steps that differ in any field are not equal")
    func equality() {
        let first = step(1, promised: 100)
        #expect(first == step(1, promised: 100))
        let changes: [(inout ReclaimStep) -> Void] = [
            { $0.headroomAfter = 1 }, { $0.victims = ["task"] }, { $0.isDryRun = true }, { $0.targetBytes = 1 },
            { $0.timeToFirstRelease = .zero }, { $0.timedOut = true }, { $0.trimmedBytes = 1 }, { $0.stage = .scenes },
        ]
        for change in changes {
            var second = first
            change(&second)
            #expect(second != first)
        }
    }

    @Test("An episode sums its steps from the first change to the last, and keeps the highest level")
    func sums() throws {
        var episodes = ReclaimEpisodes()
        #expect(episodes.add(change(.warning, at: 1)) == nil)
        #expect(episodes.add(step(1, promised: 100)) == .inEpisode)
        #expect(episodes.add(change(.critical, at: 2, previous: .warning)) == nil)
        #expect(episodes.add(step(2, promised: 200, freed: 50)) == .inEpisode)
        #expect(episodes.add(step(0, promised: 0, stage: .backgroundTasks, victims: 3)) == .inEpisode)
        #expect(episodes.add(change(.warning, at: 5, previous: .critical)) == nil)
        let ended = episodes.add(change(.normal, at: 10.5, previous: .warning))
        let episode = try #require(ended)
        #expect(
            episode.message == "3 steps: promised 300 B, returned 150 B, took 3; worked 0 s of 9.5 s, up to critical")
        #expect(episode.freedBytes == 50)
        #expect(episode.metadata["isDryRun"] == "false")
    }

    @Test("An episode of a dry run says that nobody was asked")
    func dry() throws {
        var episodes = ReclaimEpisodes()
        #expect(episodes.add(change(.warning, at: 1)) == nil)
        var dry = step(1, promised: 100)
        dry.isDryRun = true
        dry.returnedBytes = 0
        #expect(episodes.add(dry) == .inEpisode)
        let ended = episodes.add(change(.normal, at: 3, previous: .warning))
        let episode = try #require(ended)
        #expect(episode.message.hasPrefix("1 step in a dry run, which asks no cache: promised 100 B"))
        #expect(episode.metadata["isDryRun"] == "true")
    }

    @Test("A call has the level of the request, and not that of the process")
    func call() {
        let call = step(0, promised: 1)
        #expect(call.metadata["level"] == nil && call.metadata["rule"] == nil)
        #expect(call.metadata["requestLevel"] == "\(call.level)")
        #expect(step(1, promised: 1).metadata["requestLevel"] == nil)
    }

    @Test("Where no step was taken there is no line, and a step outside stands alone")
    func empty() {
        var episodes = ReclaimEpisodes()
        #expect(episodes.add(step(1, promised: 1)) == .alone)
        #expect(episodes.add(change(.warning, at: 1)) == nil)
        #expect(episodes.add(step(0, promised: 1)) == .alone)
        #expect(episodes.add(change(.normal, at: 2)) == nil)
        #expect(episodes.end(at: .seconds(3)) == nil)
    }
}

struct PoorReturnsTests {
    private func step(promised: Int, returned: Int, didTrim: Bool = true, isDisturbed: Bool = false) -> ReclaimStep {
        let reason = LevelReason(rule: .headroom, observed: 0, threshold: 0, unit: .none, cause: .sampler)
        let parts = [("poor", promised, returned), ("good", promised, promised)].map { name, promised, returned in
            ReclaimStep.Part(
                name: name, askedBytes: promised, promisedBytes: promised, freedBytes: nil, returnedBytes: returned,
                handlerTime: .zero, failed: false, missedDeadline: false)
        }
        return ReclaimStep(
            sequence: 1, step: 1, level: .warning, reason: reason, missingBytes: 0, targetBytes: 0,
            promisedBytes: promised, freedBytes: nil, returnedBytes: returned, isDisturbed: isDisturbed,
            didTrim: didTrim, headroomBefore: 0, headroomAfter: 0, timeToFirstRelease: nil, duration: .zero,
            parts: parts)
    }

    @Test("A cache whose promises do not come back is named once, and one whose do never")
    func once() {
        var returns = PoorReturns()
        #expect(returns.add(step(promised: 20 << 20, returned: 1 << 20)).isEmpty)
        let findings = returns.add(step(promised: 20 << 20, returned: 1 << 20))
        #expect(findings == [.init(name: "poor", promisedBytes: 40 << 20, returnedBytes: 2 << 20)])
        #expect(
            findings.first?.message.hasPrefix("Cache 'poor' gives up memory that does not come back: 2 MiB of 40 MiB")
                == true)
        #expect(returns.add(step(promised: 20 << 20, returned: 0)).isEmpty)
    }

    @Test("A cache of whose promise nothing came back twice is named once, also where others grew")
    func empty() {
        var returns = PoorReturns()
        func empty(isHollow: Bool) -> ReclaimStep {
            var step = step(promised: 86 << 20, returned: 0, didTrim: false, isDisturbed: true)
            step.parts[0].broughtNothing = true
            step.parts[0].isHollow = isHollow
            return step
        }
        #expect(returns.add(empty(isHollow: false)).isEmpty)
        let findings = returns.add(empty(isHollow: true))
        #expect(
            findings.map(\.message).first?.hasPrefix("Cache 'poor' promised 172 MiB, returned nothing: ") == true)
        #expect(findings.count == 1)
        for _ in 0..<5 { #expect(returns.add(empty(isHollow: true)).isEmpty) }
    }

    @Test("A cache is not named for steps that a burst may explain, nor for one step alone")
    func burst() {
        var returns = PoorReturns()
        for isDisturbed in [true, false, false] {
            var step = step(promised: 86 << 20, returned: 0, isDisturbed: isDisturbed)
            step.parts[0].broughtNothing = true
            #expect(returns.add(step).isEmpty)
        }
        #expect(returns.add(step(promised: 86 << 20, returned: 10 << 20)).isEmpty)
        #expect(returns.add(step(promised: 86 << 20, returned: 10 << 20)).map(\.returnedBytes) == [20 << 20])
    }

    @Test("Steps without a trim, and disturbed ones, say nothing")
    func unclear() {
        var returns = PoorReturns()
        for _ in 0..<10 {
            #expect(returns.add(step(promised: 20 << 20, returned: 0, didTrim: false)).isEmpty)
            #expect(returns.add(step(promised: 20 << 20, returned: 0, isDisturbed: true)).isEmpty)
        }
    }
}

struct BellTests {
    @Test("While nobody takes them the newest steps are kept, and the others are counted")
    func bounded() {
        let bell = Bell()
        var steps: [ReclaimStep] = []
        for number in 0..<300 {
            let reason = LevelReason(rule: .headroom, observed: 0, threshold: 0, unit: .none, cause: .sampler)
            steps.append(
                ReclaimStep(
                    sequence: UInt64(number), step: 1, level: .warning, reason: reason, missingBytes: 0, targetBytes: 0,
                    promisedBytes: 0, freedBytes: nil, returnedBytes: 0, isDisturbed: false, didTrim: false,
                    headroomBefore: 0, headroomAfter: 0, timeToFirstRelease: nil, duration: .zero, parts: []))
            bell.publish(steps[number], problems: [])
            bell.publish(.heldUp)
        }
        let (kept, lost) = bell.collectSteps()
        #expect(kept.map(\.step.sequence) == (300 - UInt64(Bell.capacity)..<300).map { $0 })
        #expect(lost == 300 - Bell.capacity)
        #expect(bell.collectHangs().count == Bell.capacity)
        #expect(bell.collectSteps().lost == 0)
    }
}
