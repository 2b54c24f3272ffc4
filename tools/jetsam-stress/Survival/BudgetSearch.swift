/// The search for the largest fixed budget with which a server survives a disturbance.
///
/// It goes by the runs that were made, and nothing else: a table that was left in the middle goes on where it was.
struct BudgetSearch {
    /// What is to be done next.
    enum Next: Equatable {
        case run(budgetBytes: Int)
        /// All runs were made; nil where no budget survives.
        case done(budgetBytes: Int?)
    }

    static let stepBytes = 32 << 20
    /// What the server takes beside its cache, roughly.
    static let serverBytes = 48 << 20

    let limitBytes: Int
    let servers: Int
    let unmanagedBytes: Int
    /// How many runs the best budget is to have.
    let runs: Int

    private func rounded(_ bytes: Int) -> Int {
        max(Self.stepBytes, bytes / Self.stepBytes * Self.stepBytes)
    }

    /// - Parameter made: Budget and whether the server was killed, of each run so far.
    func next(after made: [(budgetBytes: Int, killed: Bool)]) -> Next {
        guard !made.isEmpty else {
            return .run(budgetBytes: rounded((limitBytes - unmanagedBytes) / servers - Self.serverBytes))
        }
        let lowestKilled = made.filter(\.killed).map(\.budgetBytes).min()
        let lived = made.filter { !$0.killed && $0.budgetBytes < lowestKilled ?? .max }
        guard let best = lived.map(\.budgetBytes).max() else {
            let lower = (lowestKilled ?? limitBytes) - Self.stepBytes
            return lower >= Self.stepBytes ? .run(budgetBytes: lower) : .done(budgetBytes: nil)
        }
        let higher = best + Self.stepBytes
        if higher < lowestKilled ?? (limitBytes + 1) { return .run(budgetBytes: higher) }
        return lived.count { $0.budgetBytes == best } < runs ? .run(budgetBytes: best) : .done(budgetBytes: best)
    }
}
