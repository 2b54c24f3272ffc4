import CachePolicies
import ComparisonSupport
import Testing

@Suite("Traces")
struct TraceTests {
    @Test(
        "keys are the lines of a text, however they end",
        arguments: ["a\nb\na\n", "a\nb\na", "a\r\nb\r\na\r\n", "\na\n\nb\na\n\n"])
    func lines(_ text: String) {
        let trace = Trace(lines: Array(text.utf8))
        #expect(trace.accesses == [0, 1, 0])
        #expect(trace.keys == 2)
    }

    @Test("keys of oracleGeneral are the second field of each record")
    func oracleGeneral() throws {
        let record: (UInt64) -> [UInt8] = { key in
            let time: [UInt8] = [9, 9, 9, 9]
            return time + (0..<8).map { UInt8(truncatingIfNeeded: key >> (8 * UInt64($0))) }
                + Array(repeating: 7, count: 12)
        }
        // Different only in the lowest and only in the highest byte.
        let bytes = record(1) + record(2) + record(1 << 56 + 1) + record(1)
        let trace = try #require(Trace(oracleGeneral: bytes))
        #expect(trace.accesses == [0, 1, 2, 0])
        #expect(Trace(oracleGeneral: bytes + [0]) == nil)
    }

    // Of the others each takes a minute to make up twice in a debug build.
    @Test("made-up accesses are the same each time, and all of them count", arguments: ["loop", "database", "drift"])
    func workloads(_ name: String) throws {
        let first = try #require(Workload.named(name))
        let second = try #require(Workload.named(name))
        #expect(first.trace.accesses == second.trace.accesses)
        #expect(first.counts == second.counts)
        #expect(first.counted == first.trace.accesses.count)
        #expect(first.counted >= 1_000_000)
        #expect(first.trace.keys >= 10_000)
    }

    @Test("there is no workload of another name")
    func unknown() {
        #expect(Workload.named("") == nil)
    }

    @Test("Zipf draws the first number as often as its exponent says")
    func zipf() {
        var random = Shuffle(state: 1)
        let zipf = Zipf(count: 10, exponent: 1)
        var drawn = Array(repeating: 0, count: 10)
        for _ in 0..<100_000 { drawn[zipf.next(using: &random)] += 1 }
        let harmonic = (1...10).reduce(0.0) { $0 + 1 / Double($1) }
        for (number, count) in drawn.enumerated() {
            let expected = 100_000 / harmonic / Double(number + 1)
            #expect(abs(Double(count) - expected) < 5 * expected.squareRoot())
        }
    }
}
