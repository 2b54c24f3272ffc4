internal import _StressPatterns

extension SurvivalTable {
    /// Returns the next run under a disturbance; nil where none is missing.
    ///
    /// The ways take turns, as a machine is faster in one minute than in the next. The way that has the fewest runs is next. Of a fixed
    /// budget only those count that lived with the budget that is tried now: the others found it.
    func nextRun(
        _ disturbance: Disturbance, _ ways: [Way], _ counts: RunCounts
    ) -> (way: Way, budgetBytes: Int?)? {
        let missing = ways.compactMap { way in nextBudget(disturbance, way, counts).map { (way, budgetBytes: $0) } }
        func made(_ run: (way: Way, budgetBytes: Int?)) -> Int {
            results(disturbance, run.way).count {
                run.way != .fixed || ($0.budgetBytes == run.budgetBytes && !$0.killed)
            }
        }
        return missing.min { made($0) < made($1) }
    }

    /// Returns the budget of a way's next run, in bytes: nil for a way without one, and nothing where no run is missing.
    func nextBudget(_ disturbance: Disturbance, _ way: Way, _ counts: RunCounts) -> Int?? {
        let made = results(disturbance, way)
        let runs = counts.runs(disturbance, way)
        guard way == .fixed else { return made.count < runs ? .some(nil) : nil }
        let search = BudgetSearch(
            limitBytes: disturbance.limitBytes, servers: disturbance.servers,
            unmanagedBytes: disturbance.unmanagedBytes, runs: runs)
        switch search.next(after: made.map { ($0.budgetBytes ?? 0, $0.killed) }) {
        case .run(let budgetBytes): return budgetBytes
        case .done: return nil
        }
    }
}
