import CachePolicies
import Testing

@Suite("Cache policies")
struct CachePolicyTests {
    /// Accesses of all shapes in short: some popular keys, a scan now and then, and popularity that moves.
    struct Case: CustomTestStringConvertible {
        let seed: UInt64
        let capacity: Int
        let workload: Workload

        init(seed: UInt64) {
            self.seed = seed
            var random = Seeded(state: seed)
            capacity = Int.random(in: 1...30, using: &random)
            let keys = Int.random(in: 1...100, using: &random)
            var accesses: [Int] = []
            while accesses.count < 600 {
                if Int.random(in: 0..<40, using: &random) == 0 {
                    let first = Int.random(in: 0..<keys, using: &random)
                    accesses += first..<first + 20
                }
                let popular = Int.random(in: 0...Int.random(in: 0..<keys, using: &random), using: &random)
                accesses.append(popular + accesses.count / 100)
            }
            workload = Workload(Trace(accesses))
        }

        var testDescription: String { "seed \(seed)" }
    }

    static let cases = (0..<100).map { Case(seed: UInt64($0)) }

    @Test("LRU does what its plain form does", arguments: cases)
    func lru(_ example: Case) { expectSame(LeastRecentlyUsed.self, NaiveLRU.self, example) }

    @Test("SIEVE does what its plain form does", arguments: cases)
    func sieve(_ example: Case) { expectSame(Sieve.self, NaiveSieve.self, example) }

    @Test("S3-FIFO does what its plain form does", arguments: cases)
    func s3FIFO(_ example: Case) { expectSame(S3FIFO.self, NaiveS3FIFO.self, example) }

    @Test("ARC does what its plain form does", arguments: cases)
    func arc(_ example: Case) { expectSame(AdaptiveReplacement.self, NaiveARC.self, example) }

    private func expectSame<P: CachePolicy, N: NaivePolicy>(_: P.Type, _: N.Type, _ example: Case) {
        var policy = P(capacity: example.capacity, keys: example.workload.trace.keys)
        var naive = N(capacity: example.capacity)
        for (place, key) in example.workload.trace.accesses.enumerated() {
            let expected = naive.access(key)
            guard policy.access(Int(key)) != expected else { continue }
            Issue.record("access \(place) to key \(key): expected \(expected ? "a hit" : "a miss")")
            return
        }
    }

    @Test("nothing does better than the optimum", arguments: cases)
    func optimum(_ example: Case) {
        let optimum = Optimum.hits(of: example.workload, capacity: example.capacity)
        for (name, hits) in Self.hits(of: example.workload, capacity: example.capacity) {
            #expect(hits <= optimum, "\(name)")
        }
    }

    @Test("the optimum is what keeping the keys that are asked for again soonest finds", arguments: cases)
    func naiveOptimum(_ example: Case) {
        let accesses = example.workload.trace.accesses
        var cached: Set<UInt32> = []
        var hits = 0
        for (place, key) in accesses.enumerated() {
            if cached.contains(key) {
                hits += 1
                continue
            }
            cached.insert(key)
            guard cached.count > example.capacity else { continue }
            func nextUse(_ key: UInt32) -> Int { accesses[(place + 1)...].firstIndex(of: key) ?? .max }
            cached.remove(cached.max { nextUse($0) < nextUse($1) }!)
        }
        #expect(Optimum.hits(of: example.workload, capacity: example.capacity) == hits)
    }

    @Test("where everything fits, only the first access to a key misses", arguments: cases)
    func everythingFits(_ example: Case) {
        let trace = example.workload.trace
        let expected = trace.accesses.count - trace.keys
        for (name, hits) in Self.hits(of: example.workload, capacity: trace.keys) {
            #expect(hits == expected, "\(name)")
        }
        #expect(Optimum.hits(of: example.workload, capacity: trace.keys) == expected)
    }

    @Test("only accesses that count are counted")
    func counting() {
        let all = Trace([1, 2, 1, 2, 1, 2])
        #expect(LeastRecentlyUsed.hits(of: Workload(all), capacity: 2) == 4)
        let last = Workload(all) { $0 >= 4 }
        #expect(last.counted == 2)
        #expect(LeastRecentlyUsed.hits(of: last, capacity: 2) == 2)
        #expect(Optimum.hits(of: last, capacity: 2) == 2)
    }

    private static func hits(of workload: Workload, capacity: Int) -> [(name: String, hits: Int)] {
        [
            ("LRU", LeastRecentlyUsed.hits(of: workload, capacity: capacity)),
            ("ARC", AdaptiveReplacement.hits(of: workload, capacity: capacity)),
            ("SIEVE", Sieve.hits(of: workload, capacity: capacity)),
            ("S3-FIFO", S3FIFO.hits(of: workload, capacity: capacity)),
        ]
    }
}

/// Numbers that are the same in every run.
struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        // Marsaglia's xorshift64*, which must not begin with 0.
        if state == 0 { state = 0x1234_5678_9ABC_DEF1 }
        state ^= state >> 12
        state ^= state << 25
        state ^= state >> 27
        return state &* 0x2545_F491_4F6C_DD1D
    }
}
