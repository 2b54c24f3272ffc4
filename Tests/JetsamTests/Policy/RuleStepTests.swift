import MemoryPressure
import Testing

@testable import Jetsam
@testable import JetsamPolicy

/// Steps by which rule calls for them.
struct RuleStepTests: StepSchedulerSuite {
    @Test("Rules that name no bytes ask for a twentieth every two seconds, and for more where that helped")
    func rulesWithoutBytes() throws {
        var scheduler = StepScheduler(configuration: .init())
        var now = 0.0
        /// The MiB that are asked for; `seconds` later for the next time, and not before.
        func target(_ observed: Int, _ level: PressureLevel = .warning, seconds: Double) throws -> Int {
            let demand = try next(
                &scheduler, context(headroom: 240, level: level, rule: .stall, at: now, observed: observed))
            scheduler.stepEnded(scheduler.step, promisedBytes: 1, at: .seconds(now))
            let early = context(headroom: 240, level: level, rule: .stall, at: now + seconds - 0.1)
            #expect(scheduler.next(early) == nil)
            now += seconds
            return demand.targetBytes / mebibyte
        }
        #expect(try [target(40, seconds: 2), target(40, seconds: 4), target(39, seconds: 8)] == [15, 6, 3])
        #expect(try [target(29, seconds: 2), target(20, seconds: 2), target(10, seconds: 2)] == [15, 30, 60])
        #expect(try [target(7, seconds: 2), target(5, seconds: 2)] == [120, 120])
        #expect(try [target(9, seconds: 4), target(9, seconds: 8), target(9, seconds: 16)] == [6, 3, 3])
        #expect(try [target(9, seconds: 32), target(9, seconds: 32)] == [3, 3])
        now -= 30
        #expect(try target(40, .critical, seconds: 32) == 3, "a higher level asks after two seconds")
    }

    @Test("What somebody holds asks for its share again and again, never for more, and ever more seldom")
    func heldLevel() throws {
        var scheduler = StepScheduler(configuration: .init())
        var asked: [Int] = []
        var times: [Int] = []
        for second in 0...100 {
            let held = context(
                headroom: 400, level: .critical, rule: .external, at: Double(second), purgeable: 200)
            guard let demand = scheduler.next(held) else { continue }
            if demand.targetBytes > 0 {
                asked.append(rounded(demand))
                times.append(second)
            }
            scheduler.stepEnded(demand.step, promisedBytes: demand.targetBytes, at: .seconds(Double(second)))
        }
        #expect(asked.allSatisfy { $0 == 10 })
        #expect(asked.count <= 7)
        #expect(times.last ?? 0 > 50)
    }

    @Test("A step says which rule calls for it now, and while none does, which one raised the level")
    func reasonOfStep() throws {
        for (vote, rule) in [(PressureLevel.warning, PressureRule.headroom), (.normal, .timeToLimit)] {
            var scheduler = StepScheduler(configuration: .init())
            var short = context(headroom: 90, level: .warning, rule: .timeToLimit)
            short.vote = Vote(rule: .headroom, level: vote, observed: 90, threshold: 102, unit: .bytes)
            if vote == .normal { short.level = .critical }
            #expect(try next(&scheduler, short).reason.rule == rule)
        }
    }

    @Test("What stalled before a step is no reason for another one within the two seconds that the signal covers")
    func signalAfterStep() throws {
        var scheduler = StepScheduler(configuration: .init())
        _ = try next(&scheduler, context(headroom: 100, level: .critical))
        scheduler.stepEnded(1, promisedBytes: 200 * mebibyte, at: .seconds(0.1))
        for now in [0.1, 1, 2] {
            #expect(scheduler.next(context(headroom: 300, level: .critical, rule: .stall, at: now)) == nil)
        }
        _ = try next(&scheduler, context(headroom: 300, level: .critical, rule: .stall, at: 2.1))
    }

    @Test("A rule that names no bytes asks for its share only while it votes, though it raised the level")
    func ruleThatRaised() throws {
        var scheduler = StepScheduler(configuration: .init())
        _ = try next(&scheduler, context(headroom: 240, level: .warning, rule: .stall))
        scheduler.stepEnded(1, promisedBytes: 1, at: .seconds(0))
        var other = context(headroom: 130, level: .warning, rule: .stall, at: 5)
        other.vote = Vote(rule: .headroom, level: .warning, observed: 0, threshold: 0, unit: .bytes)
        #expect(scheduler.next(other) == nil)
    }
}
