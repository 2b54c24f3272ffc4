import ComparisonSupport

/// How fast whole stocks are given back, and whether what was promised comes.
enum Rates {
    private static let bytes = 900 << 20

    /// MiB a second by which the resident bytes fell while everything was released: values of 16 KiB.
    static func release<S: Stock>(_ name: String, _ stock: S.Type) -> Reclaim.Row {
        let held = S(bytes: bytes, sizes: 16_384...16_384)
        held.fill()
        let before = residentBytes()
        let start = monotonicNanoseconds()
        _ = held.release(bytes: .max)
        let seconds = Double(monotonicNanoseconds() - start) * 1e-9
        let returned = before - residentBytes()
        guard returned > bytes / 10 * 9 else { stop("only \(returned) of \(bytes) bytes came back") }
        return Reclaim.Row(name: name, value: Double(returned) / seconds / 1_048_576, unit: "MiB/s")
    }

    /// Half of a stock is asked for: what it says that it gave, over what came back.
    static func promise<S: Stock>(_ name: String, _ stock: S.Type) -> Reclaim.Row {
        let held = S(bytes: bytes, sizes: 16...8192)
        held.fill()
        let before = residentBytes()
        let promised = held.release(bytes: bytes / 2)
        let returned = before - residentBytes()
        guard promised > bytes / 4, returned > 0 else { stop("\(promised) bytes promised, \(returned) returned") }
        return Reclaim.Row(name: name, value: Double(promised) / Double(returned), unit: "x")
    }
}
