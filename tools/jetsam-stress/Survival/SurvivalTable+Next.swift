internal import _StressPatterns

extension SurvivalTable {
    /// A run that is to be made; the budget is nil for a way without one.
    typealias NextRun = (way: Way, budgetBytes: Int?)

    /// Returns the next run under a disturbance; nil where none is missing.
    ///
    /// The ways take turns, as a machine is faster in one minute than in the next. The way that has the fewest runs is next. Of a fixed
    /// budget only those count that lived with the budget that is tried now: the others found it.
    func nextRun(_ disturbance: Disturbance, _ ways: [Way], _ plan: RunPlan) -> NextRun? {
        func made(_ run: NextRun) -> Int {
            results(disturbance, run.way).count {
                run.way != .fixed || ($0.budgetBytes == run.budgetBytes && (!$0.killed || plan.budgetBytes != nil))
            }
        }
        return ways.compactMap { nextRun(disturbance, $0, plan) }.min { made($0) < made($1) }
    }

    /// Returns the next run of a way; nil where none is missing.
    func nextRun(_ disturbance: Disturbance, _ way: Way, _ plan: RunPlan) -> NextRun? {
        guard way == .fixed, plan.budgetBytes == nil else {
            return missing(disturbance, way, plan) > 0 ? (way, way == .fixed ? plan.budgetBytes : nil) : nil
        }
        let search = BudgetSearch(
            limitBytes: disturbance.limitBytes, servers: disturbance.servers,
            unmanagedBytes: disturbance.unmanagedBytes, runs: plan.runs(disturbance, way))
        let made = results(disturbance, way).map { ($0.budgetBytes ?? 0, $0.killed) }
        guard case .run(let budgetBytes) = search.next(after: made) else { return nil }
        return (way, budgetBytes)
    }

    /// How many runs are missing. A search for a budget counts as one, because nobody knows how long it takes.
    func runsLeft(_ disturbances: [Disturbance], _ ways: [Way], _ plan: RunPlan) -> Int {
        disturbances.reduce(0) { sum, disturbance in
            ways.reduce(sum) { sum, way in
                let searches = way == .fixed && plan.budgetBytes == nil
                guard searches else { return sum + missing(disturbance, way, plan) }
                return sum + (nextRun(disturbance, way, plan) == nil ? 0 : 1)
            }
        }
    }

    /// How many runs are missing of a way that searches for no budget.
    private func missing(_ disturbance: Disturbance, _ way: Way, _ plan: RunPlan) -> Int {
        let made = results(disturbance, way).count { way != .fixed || $0.budgetBytes == plan.budgetBytes }
        return max(0, plan.runs(disturbance, way) - made)
    }
}
