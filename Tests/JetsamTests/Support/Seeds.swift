#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The seeds that a seeded test runs, in ten batches: 100, or as many as `JETSAM_SEEDS` says; `JETSAM_SEED` replays one.
var seedBatches: [ClosedRange<UInt64>] {
    func variable(_ name: String) -> UInt64? {
        unsafe getenv(name).flatMap { UInt64(unsafe String(cString: $0)) }
    }
    if let one = variable("JETSAM_SEED") { return [one...one] }
    let size = max(1, (variable("JETSAM_SEEDS") ?? 100) / 10)
    return (0..<10).map { $0 * size + 1...($0 + 1) * size }
}
