import Testing

@testable import jetsam_stress

@Suite("Two tables of survival side by side")
struct SurvivalComparisonTests {
    private static let mebibyte = 1 << 20

    /// A table of runs of one way under one disturbance: MiB released by each run, nil for one that was killed.
    private func table(_ runs: [Int?], who: Way = .jetsam, disturbance: String = "growth") -> SurvivalTable {
        var table = SurvivalTable()
        table.results = runs.map { released in
            var result = SurvivalResult()
            result.disturbance = disturbance
            result.who = who
            result.killed = released == nil
            result.releasedBytes = (released ?? 500) * Self.mebibyte
            return result
        }
        return table
    }

    private func differences(_ now: [Int?], _ before: [Int?]) -> [String] {
        SurvivalComparison(table(now).rows, with: table(before).rows).differences
    }

    @Test("Bytes agree within 32 MiB or a quarter of the larger")
    func bytes() {
        #expect(differences([32], [0]) == [])
        #expect(differences([33], [0]).count == 1)
        #expect(differences([400], [300]) == [])
        #expect(differences([401], [300]).count == 1)
        #expect(differences([300], [401]).count == 1)
    }

    @Test("A difference names the cell and both figures")
    func words() {
        #expect(differences([100], [300]) == ["growth, jetsam: released 300 MiB, now 100 MiB"])
        #expect(differences([nil, 100], [100]) == ["growth, jetsam: killed 0 of 1, now 1 of 2"])
    }

    @Test("A way that was killed in one table alone flips; how often it was killed does not matter")
    func flips() {
        #expect(differences([nil], [0]).count == 1)
        #expect(differences([0], [nil]).count == 1)
        #expect(differences([nil, 0], [nil, nil]) == [])
    }

    @Test("What was released where somebody was killed is not compared")
    func killed() {
        #expect(differences([nil, 0], [nil, 400]) == [])
    }

    @Test("Cells that only one table has are counted and are no difference")
    func missing() {
        let other = SurvivalComparison(table([0]).rows, with: table([0], who: .cleared).rows)
        #expect(other.compared == 0)
        #expect(other.missing == 1)
        #expect(other.differences == [])
        var both = table([0])
        both.results += table([0], disturbance: "waves").results
        let part = SurvivalComparison(both.rows, with: table([10]).rows)
        #expect(part.text == "the one cell agrees (1 more is not in the other table)")
    }
}
