import ComparisonSupport

/// Accesses that are made up, the same in every run, for where there is no recorded trace.
package struct Workload: Sendable {
    package let trace: Trace
    /// Which of the accesses count; the others only change what is cached.
    package let counts: [Bool]
    /// How many of them count.
    package let counted: Int

    /// All accesses of a trace count, or those at the places that are chosen.
    package init(_ trace: Trace, counting: (Int) -> Bool = { _ in true }) {
        self.trace = trace
        counts = trace.accesses.indices.map(counting)
        counted = counts.count { $0 }
    }

    /// How many accesses that count find their key, where `find` says whether one does.
    @inlinable
    package func hits(_ find: (Int) -> Bool) -> Int {
        var hits = 0
        for (place, key) in trace.accesses.enumerated() where find(Int(key)) && counts[place] { hits += 1 }
        return hits
    }

    /// What `named` knows.
    package static let names = ["zipf", "shift", "scan", "loop", "database", "drift"]

    private static let keys = 1_000_000

    /// Nil where there is none of that name.
    package static func named(_ name: String) -> Workload? {
        switch name {
        case "zipf": zipf()
        case "shift": shift()
        case "scan": scan()
        case "loop": loop()
        case "database": database()
        case "drift": drift()
        default: nil
        }
    }

    /// Zipf 0.99 over a million keys: two million accesses that fill, two million that count.
    private static func zipf() -> Workload {
        let zipf = Zipf(count: keys)
        var random = Shuffle(state: 1)
        return Workload(Trace((0..<4_000_000).lazy.map { _ in zipf.next(using: &random) })) { $0 >= 2_000_000 }
    }

    /// The same until two million accesses were made; then other keys are the popular ones, and the million accesses after that
    /// count.
    private static func shift() -> Workload {
        let zipf = Zipf(count: keys)
        var random = Shuffle(state: 2)
        var others = Array(0..<keys)
        others.shuffle(using: &random)
        let accesses = (0..<3_000_000).lazy.map { access in
            let drawn = zipf.next(using: &random)
            return access < 2_000_000 ? drawn : others[drawn]
        }
        return Workload(Trace(accesses)) { $0 >= 2_000_000 }
    }

    /// Zipf 0.99 over a million keys, and after every hundred thousand accesses of it a scan over as many others, which nobody
    /// asks for again: two million accesses that fill, and of the two million after them those count that no scan makes, as no cache
    /// could answer a scan.
    private static func scan() -> Workload {
        let zipf = Zipf(count: keys)
        var random = Shuffle(state: 3)
        var scanned = keys
        func isScan(_ access: Int) -> Bool { access / 100_000 % 2 == 1 }
        let accesses = (0..<4_000_000).lazy.map { access in
            guard isScan(access) else { return zipf.next(using: &random) }
            scanned += 1
            return scanned
        }
        return Workload(Trace(accesses)) { $0 >= 2_000_000 && !isScan($0) }
    }
}
