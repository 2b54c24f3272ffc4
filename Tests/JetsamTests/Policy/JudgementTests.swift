import MemoryPressure
import Testing

@testable import BackgroundTasks
@testable import Jetsam
@testable import JetsamPolicy

struct JudgementTests {
    @Test(
        "Headroom votes by its entries, and holds its vote until its exits",
        arguments: [
            ([200], PressureLevel.normal), ([103], .normal), ([102], .warning), ([52], .warning), ([51], .critical),
            ([102, 127], .warning), ([102, 129], .normal), ([51, 76], .critical), ([51, 77], .warning),
            ([51, 129], .normal),
        ])
    func headroom(mebibytes: [Int], level: PressureLevel) {
        var judgement = Judgement(configuration: .init())
        var vote: Vote?
        for (index, headroom) in mebibytes.enumerated() {
            vote = judgement.judge(context(reading(headroom: headroom * mebibyte, at: Double(index))))
        }
        #expect(vote?.level == level)
        #expect(vote?.rule == .headroom)
        #expect(vote?.observed == mebibytes.last! * mebibyte)
    }

    @Test("With more swap than critical's entry nearness to the limit is a warning, until tasks wait for memory")
    func swap() {
        func vote(swap: Int, stalled: Int = 0) -> Vote {
            var judgement = Judgement(configuration: .init())
            var vote: Vote?
            for second in 0...4 {
                var reading = reading(headroom: 20 * mebibyte, at: Double(second))
                reading.usableSwapBytes = swap * mebibyte
                reading.stallSomeMicroseconds = UInt64(second * stalled)
                reading.refaultedPages = UInt64(second * 1000)
                vote = judgement.judge(context(reading))
            }
            #expect(judgement.emergency.isPresent == (swap + 20 < 52))
            return vote!
        }
        #expect(vote(swap: 0).level == .critical)
        #expect(vote(swap: 51).level == .critical, "that little does not count")
        #expect(vote(swap: 60).level == .warning)
        #expect(vote(swap: 60).rule == .headroom)
        #expect(vote(swap: 60, stalled: 150_000).level == .critical)
    }

    /// Feeds growth of `rate` MiB a second in readings 25 ms apart and gives the last vote.
    private func grow(
        _ judgement: inout Judgement, from headroom: Double, rate: Double, managed: Bool = false, seconds: Double
    ) -> Vote {
        var vote = judgement.judge(context(reading(headroom: Int(headroom) * mebibyte)))
        var time = 0.0
        while time < seconds {
            time += 0.025
            let left = Int((headroom - rate * time) * Double(mebibyte))
            let grown = managed ? Int(rate * time * Double(mebibyte)) : 0
            vote = judgement.judge(context(reading(headroom: left, at: time), managed: grown))
        }
        return vote
    }

    @Test("Sustained unmanaged growth votes by the time that is left")
    func timeToLimit() {
        var judgement = Judgement(configuration: .init())
        // Nothing that was seen for a second is drawn out beyond five of them.
        #expect(grow(&judgement, from: 250, rate: 40, seconds: 1).level == .normal)
        judgement = Judgement(configuration: .init())
        let vote = grow(&judgement, from: 250, rate: 40, seconds: 1.3)
        #expect(vote.rule == .timeToLimit)
        #expect(vote.level == .warning)
        #expect((4_500...5_000).contains(vote.observed))
        var faster = Judgement(configuration: .init())
        #expect(grow(&faster, from: 250, rate: 150, seconds: 0.75).level == .warning)
    }

    @Test("A jump that is over in a moment does not warn of the next ten seconds; growth that goes on does")
    func shortJump() {
        func levels(seconds: Double) -> Set<PressureLevel> {
            var judgement = Judgement(configuration: .init())
            var levels: Set<PressureLevel> = []
            for step in 0...80 {
                let time = Double(step) * 0.025
                let headroom = Int((240 - 80 * min(time, seconds)) * Double(mebibyte))
                levels.insert(judgement.judge(context(reading(headroom: headroom, at: time))).level)
            }
            return levels
        }
        #expect(levels(seconds: 0.25) == [.normal])
        #expect(levels(seconds: 1.5) == [.normal, .warning])
    }

    @Test("Growth is critical when caches, asked now, would give too late: the slower they are, the earlier")
    func leadTime() {
        func headroomAtCritical(_ leadTime: LeadTime) -> Int? {
            var judgement = Judgement(configuration: .init())
            for step in 0..<200 {
                let headroom = 250 - step
                var context = context(reading(headroom: headroom * mebibyte, at: Double(step) * 0.01))
                context.leadTime = leadTime
                let vote = judgement.judge(context)
                if vote.level == .critical, vote.rule == .timeToLimit {
                    #expect(vote.observed == headroom * mebibyte)
                    #expect(vote.threshold == judgement.required.byGrowth)
                    return headroom
                }
            }
            return nil
        }
        // 100 MiB a second: 2 x (10 + 5) ms bring nothing beyond critical's entry that the least lead time would not.
        #expect((54...58).contains(headroomAtCritical(LeadTime()) ?? 0))
        // 2 x (10 + 200) ms: 42 MiB above critical's entry.
        let slow = LeadTime(responseNanoseconds: 200_000_000, bytesPerSecond: 1 << 30)
        #expect((90...96).contains(headroomAtCritical(slow) ?? 0))
    }

    @Test("A vote by growth lasts until headroom would do for twice the lead time and critical's exit")
    func leadTimeExit() {
        func levels(exits: (RequiredHeadroom) -> Int) -> [PressureLevel] {
            var judgement = Judgement(configuration: .init())
            var freed = 0
            var levels: [PressureLevel] = []
            // 100 MiB a second throughout; when it has become critical, a cache gives so much that headroom is where it is wanted.
            for step in 0..<260 {
                let used = (262 + step) * mebibyte - freed
                var context = context(
                    reading(headroom: 512 * mebibyte - used, at: Double(step) * 0.01), managed: 200 * mebibyte - freed)
                context.leadTime = LeadTime(responseNanoseconds: 200_000_000, bytesPerSecond: 1 << 30)
                let vote = judgement.judge(context)
                if freed > 0 {
                    levels.append(vote.level)
                    if levels.count == 3 { break }
                } else if vote.level == .critical {
                    freed = max(1, exits(judgement.required) - (512 * mebibyte - used))
                }
            }
            return levels
        }
        #expect(levels { $0.exit - 8 * mebibyte } == [.critical, .critical, .critical])
        #expect(levels { $0.exit + 16 * mebibyte }.allSatisfy { $0 < .critical })
    }

    @Test("Growth of managed memory is no emergency")
    func managedGrowth() {
        var judgement = Judgement(configuration: .init())
        let vote = grow(&judgement, from: 250, rate: 150, managed: true, seconds: 0.5)
        #expect(vote.level == .normal)
    }

    @Test("Growth far from the limit is no emergency")
    func growthWithRoom() {
        var judgement = Judgement(configuration: .init())
        #expect(grow(&judgement, from: 500, rate: 100, seconds: 1).level == .normal)
    }

    @Test("A single jump is not taken for a trend")
    func singleJump() {
        var judgement = Judgement(configuration: .init())
        for step in 0..<60 {
            let headroom = step < 30 ? 250 : 210
            let vote = judgement.judge(context(reading(headroom: headroom * mebibyte, at: Double(step) * 0.025)))
            #expect(vote.level == .normal, "at reading \(step)")
        }
    }

    @Test("Stall votes only where headroom is short and the kernel was seen to reclaim what is needed")
    func stallNeedsEvidence() {
        func vote(headroom: Int, reclaims: Bool, refaults: Bool = false, cache: Int = 10) -> Vote {
            var judgement = Judgement(configuration: .init())
            var last = Vote(rule: .external, level: .normal, observed: 0, threshold: 0, unit: .none)
            for step in 0...20 {
                let counters = counters(max: reclaims ? UInt64(step) : 0)
                // 100 ms of stall in each 500 ms: 20 %.
                last = judgement.judge(
                    context(
                        reading(
                            headroom: headroom * mebibyte, at: Double(step) * 0.5, stall: UInt64(step) * 100_000,
                            events: counters, cache: cache * mebibyte, refaults: refaults ? UInt64(step) * 1_000 : 0)))
            }
            return last
        }
        #expect(vote(headroom: 200, reclaims: true).rule == .stall)
        #expect(vote(headroom: 200, reclaims: true).level == .warning)
        #expect(vote(headroom: 200, reclaims: false).level == .normal)
        #expect(vote(headroom: 300, reclaims: true).level == .normal)
        // Files are written: page cache touches the limit, and none of it comes back.
        #expect(vote(headroom: 200, reclaims: true, cache: 200).level == .normal)
        #expect(vote(headroom: 200, reclaims: true, refaults: true, cache: 200).rule == .stall)
        #expect(vote(headroom: 200, reclaims: false, refaults: true, cache: 200).level == .warning)
    }

    @Test("A trigger's event counts as its share of stall, though no reading covered it")
    func triggerEvent() {
        var judgement = Judgement(configuration: .init())
        _ = judgement.judge(context(reading(headroom: 200 * mebibyte, events: counters())))
        let vote = judgement.judge(
            context(
                reading(
                    headroom: 200 * mebibyte, at: 30, stall: 5_000_000, events: counters(max: 9)), trigger: .warning))
        #expect(vote.rule == .stall)
        #expect(vote.level == .warning)
    }

    @Test("Touching the limit with page cache raises nothing; with nothing left to take back it does")
    func eventsAndPageCache() {
        func vote(cache: Int, headroom: Int, high: Int? = nil) -> Vote {
            var judgement = Judgement(configuration: .init())
            func look(at seconds: Double, max: UInt64) -> Vote {
                var reading = reading(
                    headroom: headroom * mebibyte, at: seconds, events: counters(max: max), cache: cache * mebibyte)
                reading.highBytes = high.map { $0 * mebibyte }
                return judgement.judge(context(reading))
            }
            _ = look(at: 0, max: 0)
            return look(at: 0.1, max: 375)
        }
        #expect(vote(cache: 200, headroom: 220).level == .normal)
        #expect(vote(cache: 10, headroom: 220).rule == .events)
        #expect(vote(cache: 10, headroom: 220).level == .warning)
        #expect(vote(cache: 10, headroom: 300).level == .normal)
        // A lower memory.high holds page cache down: 40 MiB are little of 512 and not of 320.
        #expect(vote(cache: 40, headroom: 220).rule == .events)
        #expect(vote(cache: 40, headroom: 220, high: 320).level == .normal)
        #expect(vote(cache: 30, headroom: 220, high: 320).rule == .events)
    }

    @Test("A new oom is critical at any headroom while the limit is full, and an emergency; an old one is not news")
    func outOfMemory() {
        func reading(at seconds: Double, oom: UInt64) -> MemoryReading {
            JetsamTests.reading(
                headroom: 400 * mebibyte, at: seconds, events: counters(oom: oom), cache: 390 * mebibyte)
        }
        var judgement = Judgement(configuration: .init())
        _ = judgement.judge(context(reading(at: 0, oom: 7)))
        #expect(!judgement.emergency.isPresent)
        let vote = judgement.judge(context(reading(at: 1, oom: 8)))
        #expect(vote.level == .critical)
        #expect(vote.rule == .events)
        #expect(judgement.emergency.isOutOfMemory)
        #expect(judgement.judge(context(reading(at: 4, oom: 8))).level == .normal)
    }

    @Test("An oom that the kernel mended by ending another process is no emergency: nothing is missing any more")
    func outOfMemoryOfAnother() {
        var judgement = Judgement(configuration: .init())
        _ = judgement.judge(context(reading(headroom: 0, events: counters(oom: 7))))
        let vote = judgement.judge(
            context(reading(headroom: 400 * mebibyte, at: 1, events: counters(oom: 8, oomKill: 8))))
        #expect(vote.level == .normal)
        #expect(!judgement.emergency.isPresent)
        let next = judgement.judge(
            context(reading(headroom: 60 * mebibyte, at: 1.1, events: counters(oom: 8, oomKill: 8))))
        #expect(next.level == .critical, "it has filled up again at once")
    }

    @Test("memory.high warns and is never critical")
    func distanceToHigh() {
        var judgement = Judgement(configuration: .init())
        var near = reading(headroom: 400 * mebibyte)
        near.highBytes = 100 * mebibyte
        near.distanceToHighBytes = -20 * mebibyte
        let vote = judgement.judge(context(near))
        #expect(vote.rule == .distanceToHigh)
        #expect(vote.level == .warning)
        near.distanceToHighBytes = 11 * mebibyte
        #expect(judgement.judge(context(near)).level == .normal)
    }

    @Test("A budget of one's own votes by the footprint")
    func footprintBudget() {
        var configuration = ManagerConfiguration()
        configuration.footprint = .init(budgetBytes: 100 * mebibyte)
        var judgement = Judgement(configuration: configuration)
        for (footprint, level) in [
            (79, PressureLevel.normal), (81, .warning), (76, .warning), (93, .critical), (74, .normal),
        ] {
            let vote = judgement.judge(context(reading(headroom: 400 * mebibyte, footprint: footprint * mebibyte)))
            #expect(vote.level == level, "at \(footprint) MiB")
        }
    }

    @Test("A budget that is removed and set again between two readings begins anew")
    func footprintBudgetAnew() {
        var configuration = ManagerConfiguration()
        configuration.footprint = .init(budgetBytes: 100 * mebibyte)
        var judgement = Judgement(configuration: configuration)
        func level() -> PressureLevel {
            judgement.judge(context(reading(headroom: 400 * mebibyte, footprint: 77 * mebibyte))).level
        }
        _ = judgement.judge(context(reading(headroom: 400 * mebibyte, footprint: 81 * mebibyte)))
        #expect(level() == .warning)
        judgement.reconfigure(ManagerConfiguration())
        judgement.reconfigure(configuration)
        #expect(level() == .normal)
    }

    @Test("The supervisor's word and what the application holds do not end each other")
    func twoExternals() {
        var judgement = Judgement(configuration: .init())
        func level(_ seconds: Double) -> PressureLevel {
            judgement.judge(context(reading(headroom: 400 * mebibyte, at: seconds))).level
        }
        judgement.hear(.held(.critical, until: .seconds(10)))
        judgement.hear(.supervisorWarns(until: .seconds(2)))
        #expect(level(1) == .critical)
        #expect(level(3) == .critical)
        judgement.hear(.supervisorWarns(until: .seconds(12)))
        #expect(level(11) == .warning)
        judgement.hear(.held(.normal, until: nil))
        #expect(level(11.5) == .warning)
        #expect(level(12) == .normal)
    }

    @Test("The external vote ends when its time has passed")
    func external() {
        var judgement = Judgement(configuration: .init())
        judgement.hear(.held(.critical, until: .seconds(2)))
        #expect(judgement.judge(context(reading(headroom: 400 * mebibyte, at: 1.9))).level == .critical)
        #expect(judgement.judge(context(reading(headroom: 400 * mebibyte, at: 2))).level == .normal)
        #expect(!judgement.emergency.isPresent)
    }
}
