import Testing

@testable import Compare

@Suite struct BoundTests {
    private func figures(_ lines: String...) -> Figures {
        var figures = Figures()
        for row in lines.compactMap(Row.init(line:)) { figures.add(row) }
        return figures
    }

    @Test func aLineIsAFigureOnlyIfAllFourFieldsAreThere() {
        #expect(Row(line: "hit-10k jetsam 12.5 ns") == Row(name: "hit-10k", who: "jetsam", value: 12.5, unit: "ns"))
        #expect(Row(line: "hit-10k jetsam fast ns") == nil)
        #expect(Row(line: "hit-10k jetsam 12.5") == nil)
    }

    @Test(arguments: [([3, 1, 2], 2), ([4, 1, 2, 3], 2.5), ([7], 7)] as [([Double], Double)])
    func medianIsTheMiddle(values: [Double], median: Double) {
        #expect(Figures.median(values) == median)
    }

    @Test func aShareIsTheMedianOfTheRoundsRatios() throws {
        // The machine is three times as slow in the second round: the ratio of each round is 1/2 all the same.
        let figures = figures(
            "a jetsam 10 ns", "a other 20 ns", "a jetsam 30 ns", "a other 60 ns", "a jetsam 11 ns", "a other 22 ns")
        let share = try figures.share(.init(name: "a", who: "jetsam"), of: .init(name: "a", who: "other"))
        #expect(share == 0.5)
    }

    @Test func whatWasNotMeasuredInTurnHasNoShare() {
        let figures = figures("a jetsam 10 ns", "a jetsam 30 ns", "a other 60 ns")
        #expect(throws: MissingFigure.self) {
            try figures.share(.init(name: "a", who: "jetsam"), of: .init(name: "a", who: "other"))
        }
    }

    @Test func aBoundThatLacksItsFigureIsMissed() {
        #expect(!Report.judge([.figure("nothing", "nothing", .atMost(1, "<= 1"))], figures()))
    }

    @Test(arguments: [(0.9, true), (1, true), (1.1, false)])
    func aBoundHoldsUpToItsLimit(value: Double, holds: Bool) {
        #expect(Report.judge([.figure("a", "a", .atMost(1, "<= 1"))], figures("a jetsam \(value) ns")) == holds)
    }

    @Test func everyBoundNamesCasesThatItsSuiteMeasures() throws {
        for suite in [Suite.tasks, .caches, .reclaim, .recorder] {
            var figures = Figures()
            for series in suite.series {
                for one in series.cases {
                    for way in series.ways(of: one) { figures.add(Row(name: one.name, who: way, value: 1, unit: "")) }
                }
            }
            for bound in suite.bounds {
                _ = try bound.measure(figures)
                _ = try bound.limit(figures)
            }
        }
    }

    @Test func aPairIsHeldAgainstTheLoadOfItsOwnRound() throws {
        let bound = try #require(Suite.tasks.bounds.first { $0.what.hasPrefix("pair-100k, share of pair-1000 and") })
        let measured = figures(
            "pair-1000 jetsam 90 ns", "load-12MiB machine 20 ns", "pair-100k jetsam 140 ns",
            "load-12MiB machine 100 ns", "pair-100k jetsam 350 ns", "load-12MiB machine 30 ns",
            "pair-100k jetsam 170 ns")
        #expect(abs(try bound.measure(measured) - 140.0 / 150) < 0.001)
    }

    @Test func slowAccessToFreshMemoryRaisesTheBoundOfAnInsertion() throws {
        let bound = try #require(Suite.caches.bounds.first { $0.what.hasPrefix("longest insertion, or") })
        #expect(try bound.limit(figures("insert-worst machine 2 ms")).holds(5.5) == false)
        #expect(try bound.limit(figures("insert-worst machine 8 ms")).holds(9.5))
    }
}

@Suite struct HitRateTests {
    private func rates(jetsam: Double, sieve: Double) -> HitRates {
        HitRates(
            rows: (1...9).flatMap { size in
                [
                    Row(name: "trace,\(size)", who: "jetsam", value: jetsam, unit: "%"),
                    Row(name: "trace,\(size)", who: "sieve", value: size == 1 ? sieve : jetsam - 5, unit: "%"),
                    Row(name: "trace,\(size)", who: "optimum", value: 99, unit: "%"),
                ]
            })
    }

    @Test func theOptimumIsNoPolicyToBeHeldAgainst() {
        #expect(rates(jetsam: 50, sieve: 52).behind("trace,1") == 2)
    }

    @Test func toBeAheadInOnePlaceDoesNotMakeUpForAnother() {
        #expect(Report.judge(HitRates.bounds(rates(jetsam: 50, sieve: 52)), Figures()))
        #expect(!Report.judge(HitRates.bounds(rates(jetsam: 50, sieve: 54)), Figures()))
    }

    @Test func fewerThanThreeTracesProveNothing() {
        #expect(!Report.judge(HitRates.bounds(HitRates(rows: [])), Figures()))
    }
}
