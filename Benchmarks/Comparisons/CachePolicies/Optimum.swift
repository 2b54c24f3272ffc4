/// What a cache can reach at most that knows what will be asked for: it keeps the keys that are asked for again soonest.
///
/// After Bélády, "A study of replacement algorithms for a virtual-storage computer", IBM Systems Journal 5 (2), 1966; but a key that
/// is asked for again later than all others are is not put in, so that no cache does better, whether it must put in what it is asked
/// for or not.
package enum Optimum {
    /// How many accesses that count find their key, beginning with an empty cache.
    package static func hits(of workload: Workload, capacity: Int) -> Int {
        let accesses = workload.trace.accesses
        let next = nextUses(of: accesses, keys: workload.trace.keys)
        // A key in the cache is there for its next use: the places of these uses say all there is to know.
        var uses = PositionSet(count: accesses.count)
        var hits = 0
        for position in accesses.indices {
            if uses.remove(position) && workload.counts[position] { hits += 1 }
            guard next[position] != .max else { continue }
            uses.insert(Int(next[position]))
            if uses.count > capacity { uses.removeLast() }
        }
        return hits
    }

    /// For each access, where the same key is asked for next, or `UInt32.max`.
    private static func nextUses(of accesses: [UInt32], keys: Int) -> [UInt32] {
        var next = [UInt32](repeating: .max, count: accesses.count)
        var seen = [UInt32](repeating: .max, count: keys)
        for position in accesses.indices.reversed() {
            next[position] = seen[Int(accesses[position])]
            seen[Int(accesses[position])] = UInt32(position)
        }
        return next
    }
}
