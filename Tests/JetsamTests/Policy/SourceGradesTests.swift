import Testing

@testable import Jetsam
@testable import JetsamPolicy
@testable import MemoryPressure

struct SourceGradesTests {
    @Test(
        "Where nothing grows, the source's level is that of a manager with the default configuration, at every reading",
        arguments: 1...20 as ClosedRange<UInt64>)
    func same(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var grader = PressureGrader()
        var judgement = Judgement(configuration: .init())
        var machine = LevelMachine(timing: .init())
        var (seconds, stall, refaults) = (0.0, UInt64(0), UInt64(0))
        var events = MemoryEventCounters()
        var seen: Set<PressureLevel> = []
        for _ in 0..<2000 {
            let passed = Double.random(in: 0.01...2, using: &random)
            seconds += passed
            if Bool.random(using: &random) {
                stall += UInt64(passed * Double.random(in: 0...0.5, using: &random) * 1e6)
            }
            if Int.random(in: 0..<4, using: &random) == 0 { refaults += 100 }
            if Int.random(in: 0..<9, using: &random) == 0 { events.max += 1 }
            if Int.random(in: 0..<99, using: &random) == 0 { events.oom += 1 }
            var reading = reading(
                headroom: Int.random(in: 0...512, using: &random) * mebibyte, at: seconds, stall: stall, events: events,
                cache: Int.random(in: 0...99, using: &random) * mebibyte, refaults: refaults)
            // Only a full reading shows growth, which the source does not go by.
            reading.depth = .cheap
            reading.usableSwapBytes = Int.random(in: 0...99, using: &random) * mebibyte
            let trigger = [PressureLevel.normal, .normal, .normal, .warning, .critical].randomElement(using: &random)!
            _ = grader.observe(
                PressureGrader.Observation(now: reading.instant, reading: reading, triggerGrade: trigger))
            let vote = judgement.judge(context(reading, trigger: trigger))
            _ = machine.handle(vote, cause: .sampler, at: reading.instant)
            #expect(grader.level == machine.level, "at \(seconds) s, by \(vote.rule)")
            seen.insert(machine.level)
        }
        #expect(seen == [.normal, .warning, .critical])
    }
}
