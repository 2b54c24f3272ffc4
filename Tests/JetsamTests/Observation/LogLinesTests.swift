import JetsamTesting
import Logging
import MemoryPressure
import Testing

@testable import Jetsam

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
            for _ in 0..<20 {
                fixture.machine.advance(by: .milliseconds(500))
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
        let promised = steps.compactMap { $0.metadata["promisedBytes"].flatMap { Int($0) } }.reduce(0, +)
        #expect(episode.metadata["promisedBytes"] == "\(promised)")
        #expect(promised >= 52 * mebibyte)
        #expect(
            Set(episode.metadata.keys).subtracting(["freedBytes"]) == [
                "steps", "promisedBytes", "returnedBytes", "trimmedBytes", "milliseconds", "highestLevel", "victims",
            ])
        #expect(logs.lines.count { $0.level >= .notice } == changes.count + episodes.count)
    }

    @Test("Readings are not logged: a minute without a change is a minute without a line")
    func readings() async throws {
        let fixture = try Fixture(logger: logs.logger)
        try await fixture.run { fixture in
            fixture.machine.advance(by: .seconds(1))
            let before = logs.lines.count
            fixture.machine.advance(by: .seconds(60))
            await fixture.toldEverything()
            #expect(logs.lines.dropFirst(before).map(\.text).filter { !$0.hasPrefix("Reclaim step 0 ") } == [])
        }
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
        let line = try #require(lines("Reclaim step 0 ", .info).first)
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
            isDisturbed: false, didTrim: false, headroomBytes: (0, 0), timeToFirstRelease: nil, duration: .zero,
            parts: [], victimCount: victims)
    }

    @Test("An episode sums its steps from the first change to the last, and keeps the highest level")
    func sums() throws {
        var episodes = ReclaimEpisodes()
        #expect(episodes.take(change(.warning, at: 1)) == nil)
        #expect(episodes.take(step(1, promised: 100)) == .inEpisode)
        #expect(episodes.take(change(.critical, at: 2, previous: .warning)) == nil)
        #expect(episodes.take(step(2, promised: 200, freed: 50)) == .inEpisode)
        #expect(episodes.take(step(0, promised: 0, stage: .assertions, victims: 3)) == .inEpisode)
        #expect(episodes.take(change(.warning, at: 5, previous: .critical)) == nil)
        let ended = episodes.take(change(.normal, at: 10.5, previous: .warning))
        let episode = try #require(ended)
        #expect(episode.message == "3 steps: promised 300 B, returned 150 B, took 3 in 9.5 s, up to critical")
        #expect(episode.freedBytes == 50)
    }

    @Test("Where no step was taken there is no line, and a step outside stands alone")
    func empty() {
        var episodes = ReclaimEpisodes()
        #expect(episodes.take(step(1, promised: 1)) == .alone)
        #expect(episodes.take(change(.warning, at: 1)) == nil)
        #expect(episodes.take(step(0, promised: 1)) == .alone)
        #expect(episodes.take(change(.normal, at: 2)) == nil)
        #expect(episodes.end(at: .seconds(3)) == nil)
    }
}
