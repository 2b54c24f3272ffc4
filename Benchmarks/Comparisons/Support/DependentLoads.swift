/// How long a load from memory takes whose address comes from the load before it: what bounds whatever goes through more memory
/// than the processor's own caches hold, and what other tenants of a shared cache change from one minute to the next.
package enum DependentLoads {
    /// Nanoseconds a load, over so much memory in random order, one load a cache line.
    package static func nanoseconds(mebibytes: Int) -> Double {
        let line = 64 / MemoryLayout<Int32>.stride
        let count = (mebibytes << 20) / 64
        var order = Array(0..<count)
        var random = Shuffle(state: 12)
        order.shuffle(using: &random)
        var next = [Int32](repeating: 0, count: count * line)
        for place in 0..<count {
            next[order[place] * line] = Int32(order[(place + 1) % count] * line)
        }
        var place = order[0] * line
        func walk(_ loads: Int) {
            for _ in 0..<loads { place = Int(next[place]) }
        }
        walk(count)
        let loads = 3_000_000
        let start = monotonicNanoseconds()
        walk(loads)
        let end = monotonicNanoseconds()
        // What was found has to be used.
        guard place >= 0 else { stop("a place in memory was lost") }
        return Double(end - start) / Double(loads)
    }
}
