import MemoryPressure
import Testing

@testable import BackgroundTasks
@testable import Jetsam
@testable import JetsamPolicy

struct BudgetViewTests {
    private let rule = ManagerConfiguration.FootprintRule(budgetBytes: 500 * mebibyte)

    /// A process of `footprint` MiB on a large machine without a limit.
    private func view(footprint: Int) -> (budget: BudgetView, machine: MemoryReading) {
        var machine = reading(headroom: 22 << 30, limit: 24 << 30)
        machine.footprintBytes = footprint * mebibyte
        return (BudgetView(machine, rule), machine)
    }

    @Test("What is left of the budget is its headroom, never less than nothing")
    func headroom() {
        #expect(view(footprint: 380).budget.reading.headroomBytes == 120 * mebibyte)
        #expect(view(footprint: 600).budget.reading.headroomBytes == 0)
        #expect(view(footprint: 380).budget.isNearer(than: view(footprint: 380).machine))
        #expect(!view(footprint: 10).budget.isNearer(than: view(footprint: 10).machine))
    }

    @Test("Its thresholds are where the footprint rule votes")
    func thresholds() {
        let thresholds = view(footprint: 0).budget.thresholds
        #expect(thresholds.warningEntry == 100 * mebibyte)
        #expect(thresholds.warningExit == 125 * mebibyte)
        #expect(thresholds.criticalEntry == 40 * mebibyte)
        #expect(thresholds.criticalExit == 65 * mebibyte)
    }

    @Test("The sampler does not sleep past a budget that is near, however much memory the machine has")
    func pace() {
        let (budget, machine) = view(footprint: 380)
        let pace = SamplingPace(configuration: .init())
        let byMachine = pace.interval(
            after: machine, thresholds: HeadroomThresholds(limitBytes: machine.limitBytes, rule: .init()),
            level: .normal, isCoveredByKernel: false)
        let byBudget = pace.interval(
            after: budget.reading, thresholds: budget.thresholds, level: .normal, isCoveredByKernel: false)
        #expect(byMachine == .seconds(2))
        #expect(byBudget < .milliseconds(30))
    }

    @Test("Limits do not rise towards the budget's warning")
    func regrowth() {
        let (budget, _) = view(footprint: 396)
        var regrowth = Regrowth(configuration: .init())
        let decision = regrowth.next(
            reading: budget.reading, thresholds: budget.thresholds, level: .normal, growthRate: 0)
        #expect(decision == nil)
    }
}
