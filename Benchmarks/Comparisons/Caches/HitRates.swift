import CachePolicies
import ComparisonSupport

/// How often a key is found, in percent of the accesses that count, where what is not found is put in.
enum HitRates {
    static func percent<C: Contender>(_: C.Type, of workload: Workload, capacity: Int) -> Double {
        let contender = C(capacity: capacity, keys: workload.trace.keys)
        let hits = workload.hits { key in
            if let value = contender.find(key) {
                guard value == key else { stop("\(C.self) gave the value of another key") }
                return true
            }
            contender.put(key)
            return false
        }
        return share(hits, of: workload)
    }

    /// Prints what each finds where 1, 10 and 20 % of the distinct keys fit.
    static func printAll(of workload: Workload) {
        for percent in [1, 10, 20] {
            let capacity = max(1, workload.trace.keys * percent / 100)
            func show(_ who: String, _ value: Double) {
                print("hitrate-\(percent)%", who, value, "%")
            }
            show("jetsam", Self.percent(JetsamCache.self, of: workload, capacity: capacity))
            show("lru", share(LeastRecentlyUsed.hits(of: workload, capacity: capacity), of: workload))
            show("arc", share(AdaptiveReplacement.hits(of: workload, capacity: capacity), of: workload))
            show("sieve", share(Sieve.hits(of: workload, capacity: capacity), of: workload))
            show("s3-fifo", share(S3FIFO.hits(of: workload, capacity: capacity), of: workload))
            show("optimum", share(Optimum.hits(of: workload, capacity: capacity), of: workload))
        }
    }

    private static func share(_ hits: Int, of workload: Workload) -> Double {
        100 * Double(hits) / Double(max(1, workload.counted))
    }
}
