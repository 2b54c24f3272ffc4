import Testing

@testable import jetsam_stress

@Suite("The search for the largest fixed budget that survives")
struct BudgetSearchTests {
    private let mebibyte = 1 << 20

    /// Searches where a server lives up to that many MiB, and gives the runs that it took and what came of it.
    private func search(livesUpTo bound: Int, unmanaged: Int = 0, runs: Int = 2) -> (runs: [Int], result: Int?) {
        let search = BudgetSearch(
            limitBytes: 512 * mebibyte, servers: 1, unmanagedBytes: unmanaged * mebibyte, runs: runs)
        var made: [(budgetBytes: Int, killed: Bool)] = []
        while made.count < 100 {
            switch search.next(after: made) {
            case .run(let bytes): made.append((bytes, bytes > bound * mebibyte))
            case .done(let bytes): return (made.map { $0.budgetBytes / mebibyte }, bytes.map { $0 / mebibyte })
            }
        }
        return (made.map { $0.budgetBytes / mebibyte }, -1)
    }

    @Test(
        "It ends at the largest step that survives, wherever it began",
        arguments: [40, 100, 256, 300, 448, 500], [0, 150, 300])
    func largest(bound: Int, unmanaged: Int) {
        #expect(search(livesUpTo: bound, unmanaged: unmanaged).result == bound / 32 * 32)
    }

    @Test("The best budget has as many runs as were asked for", arguments: 1...4)
    func runs(count: Int) {
        let (runs, result) = search(livesUpTo: 300, runs: count)
        #expect(runs.count { $0 == result } == count)
    }

    @Test("Where none survives it says so, after the smallest")
    func none() {
        let (runs, result) = search(livesUpTo: 0)
        #expect(result == nil)
        #expect(runs.last == 32)
    }

    @Test("A budget that was killed once is not the best, however often it lived")
    func killedOnce() {
        let search = BudgetSearch(limitBytes: 512 * mebibyte, servers: 1, unmanagedBytes: 0, runs: 2)
        let budget = 320 * mebibyte
        let next = search.next(after: [(budget, false), (budget + 32 * mebibyte, true), (budget, true)])
        #expect(next == .run(budgetBytes: budget - 32 * mebibyte))
    }
}
