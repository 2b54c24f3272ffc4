import MemoryPressure
import Testing

@testable import Jetsam
@testable import JetsamPolicy

/// Steps for the process's own budget and for `memory.high`.
struct SoftLimitStepTests: StepSchedulerSuite {
    @Test(
        "What was asked for by a rule that names no bytes, or for a limit of its own, is not taken back for much headroom",
        arguments: [PressureRule.footprint, .distanceToHigh, .external, .stall])
    func keepsWhatOthersAskedFor(rule: PressureRule) throws {
        var configuration = ManagerConfiguration()
        configuration.footprint = ManagerConfiguration.FootprintRule(budgetBytes: 100 * mebibyte)
        var scheduler = StepScheduler(configuration: configuration)
        var begun = context(headroom: 400, level: .critical, rule: rule, footprint: 99)
        begun.reading.highBytes = 112 * mebibyte
        begun.reading.distanceToHighBytes = 0
        let demand = try next(&scheduler, begun)
        #expect(demand.targetBytes > 0)
        begun.reading.instant = .seconds(0.05)
        begun.inFlightBytes = demand.targetBytes / 2
        #expect(scheduler.next(begun) == nil)
        #expect(scheduler.openBytes?.most == nil)
    }

    @Test("A step for the threshold takes nothing back that the process's own budget lacks")
    func keepsWhatBudgetLacks() throws {
        func most(budget: Int) throws -> Int? {
            var configuration = ManagerConfiguration()
            configuration.footprint = ManagerConfiguration.FootprintRule(budgetBytes: budget * mebibyte)
            var scheduler = StepScheduler(configuration: configuration)
            let begun = context(headroom: 30, level: .critical, footprint: 300)
            let demand = try next(&scheduler, begun)
            var later = context(headroom: 130, level: .critical, at: 0.05, footprint: 300)
            later.vote.rule = .footprint
            later.inFlightBytes = demand.targetBytes / 2
            #expect(scheduler.next(later) == nil)
            return scheduler.openBytes?.most
        }
        #expect(try most(budget: 1000)! < -20 * mebibyte)
        #expect(try most(budget: 350)! == -1, "37 MiB are missing of it")
    }

    @Test("What the budget lacks is asked for beside a higher vote of another rule")
    func budgetBesideOthers() throws {
        var configuration = ManagerConfiguration()
        configuration.footprint = ManagerConfiguration.FootprintRule(budgetBytes: 100 * mebibyte)
        for (footprint, asked) in [(85, 10), (79, 5)] {
            var scheduler = StepScheduler(configuration: configuration)
            let held = context(
                headroom: 400, level: .critical, rule: .external, purgeable: 100, footprint: footprint)
            #expect(rounded(try next(&scheduler, held)) == asked)
        }
    }

    @Test("What memory.high lacks is asked for beside a higher vote of another rule")
    func highBesideOthers() throws {
        for (left, asked) in [(0, 20), (9, 11), (11, 5)] {
            var scheduler = StepScheduler(configuration: .init())
            var held = context(headroom: 400, level: .critical, rule: .external, purgeable: 100, footprint: 100)
            held.reading.highBytes = 200 * mebibyte
            held.reading.distanceToHighBytes = left * mebibyte
            #expect(rounded(try next(&scheduler, held)) == asked, "\(left) MiB are left")
        }
    }

    @Test("In a small budget on a large machine a few bytes that the allocator retains keep no step from being made")
    func smallBudget() throws {
        var configuration = ManagerConfiguration()
        configuration.footprint = ManagerConfiguration.FootprintRule(budgetBytes: 400 * mebibyte)
        var scheduler = StepScheduler(configuration: configuration)
        var over = context(headroom: 22 << 10, level: .warning, rule: .footprint, footprint: 340)
        over.reading.limitBytes = 24 << 30
        over.thresholds = HeadroomThresholds(limitBytes: 24 << 30, rule: .init())
        over.retainedBytes = mebibyte
        #expect(rounded(try next(&scheduler, over)) == 39)
    }
}
