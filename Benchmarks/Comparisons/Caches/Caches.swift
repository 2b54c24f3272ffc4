import CachePolicies
import CacheStalls
import ComparisonSupport
import Glibc

/// `Caches CASE WHO` measures one thing in one way and prints `CASE WHO VALUE UNIT`; `Caches trace FILE` and `Caches generate NAME`
/// print the hit rates of Jetsam and of all policies in that form, a line each. One process each, so that no figure carries what
/// another has left; `tools/bench caches` runs them in turn.
@main
enum Caches {
    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count == 3 else { stop("a case and a way are needed, such as: hit-10k nscache") }
        switch (arguments[1], arguments[2]) {
        case ("trace", let file): HitRates.printAll(of: Workload(TraceFile.read(file)))
        case ("generate", let name): HitRates.printAll(of: workload(name))
        case (let name, let who) where name.hasPrefix("insert-worst") || name.hasPrefix("lookup-worst"):
            print(name, who, stall(name, who), "ms")
        case (let name, "jetsam"): measure(name, JetsamCache.self)
        case (let name, "jetsam-bytes"): measure(name, JetsamBytes.self)
        case (let name, "nscache"): measure(name, FoundationCache.self)
        case (let name, "dictionary"): measure(name, LockedDictionary.self)
        case (let name, "lru"): measure(name, LinkedLRU.self)
        default: stop("there is no way '\(arguments[2])'")
        }
        fflush(nil)
        // What is still held is not taken apart one by one.
        _exit(0)
    }

    private static func stall(_ name: String, _ who: String) -> Double {
        switch (name, who) {
        case ("insert-worst", "jetsam"): Stalls.worstInsertion(StallingValues.self)
        case ("insert-worst", "jetsam-bytes"): Stalls.worstInsertion(StallingBytes.self)
        case ("insert-worst", "machine"): Stalls.worstFirstAccess()
        case ("insert-worst-16MiB", "jetsam-bytes"): Stalls.worstInsertion(StallingBytes.self, segmentBytes: 16 << 20)
        case ("lookup-worst", "jetsam"): Stalls.worstLookup(StallingValues.self)
        case ("lookup-worst", "jetsam-bytes"): Stalls.worstLookup(StallingBytes.self)
        case ("lookup-worst-16MiB", "jetsam-bytes"): Stalls.worstLookup(StallingBytes.self, segmentBytes: 16 << 20)
        default: stop("there is no case '\(name)' for '\(who)'")
        }
    }

    private static func measure<C: Contender>(_ name: String, _ contender: C.Type) {
        func show(_ value: Double, _ unit: String) {
            print(name, CommandLine.arguments[2], value, unit)
        }
        switch name {
        case "hit-10k": show(Hits.nanoseconds(contender, entries: 10_000), "ns")
        case "hit-1M": show(Hits.nanoseconds(contender, entries: 1_000_000), "ns")
        case "hit-two-threads": show(Hits.nanoseconds(contender, entries: 10_000, threads: 2), "ns")
        case "hit-two-apart":
            show(Hits.nanoseconds(contender, entries: 10_000, threads: 2, isShared: false), "ns")
        case "hit-eight-threads": show(Hits.nanoseconds(contender, entries: 10_000, threads: 8), "ns")
        case "bytes-entry": show(Hits.bytesEach(contender), "B")
        case "hitrate-zipf", "hitrate-shift", "hitrate-scan":
            // What keeps everything has no hit rate to compare.
            guard C.evicts else { return }
            let workload = workload(String(name.dropFirst("hitrate-".count)))
            show(HitRates.percent(contender, of: workload, capacity: 100_000), "%")
        default: stop("there is no case '\(name)'")
        }
    }

    private static func workload(_ name: String) -> Workload {
        guard let workload = Workload.named(name) else {
            stop("there is no workload '\(name)'; there are: \(Workload.names.joined(separator: " "))")
        }
        return workload
    }
}
