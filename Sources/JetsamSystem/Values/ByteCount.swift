/// A number of bytes as people write it: `512MiB`, `200MB`, `1.5 GiB`, `4096`.
package struct ByteCount: Sendable, Hashable, Comparable, CustomStringConvertible {
    package var bytes: Int

    package init(_ bytes: Int) {
        self.bytes = bytes
    }

    /// Reads a non-negative number with an optional unit: B, kB/KB, MB, GB, TB (powers of 1000) or KiB, MiB, GiB, TiB and
    /// K, M, G, T (powers of 1024). Nil for anything else, and where the result does not fit an `Int`.
    package init?(parsing text: some StringProtocol) {
        let text = String(text).filter { $0 != " " && $0 != "_" }
        let digits = String(text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") })
        guard let number = Double(digits), number >= 0 else { return nil }
        guard let factor = Self.units[text.dropFirst(digits.count).lowercased()] else { return nil }
        let product = (number * Double(factor)).rounded()
        guard product < 0x1p63 else { return nil }
        bytes = Int(product)
    }

    private static let units: [String: Int] = [
        "": 1, "b": 1,
        "kb": 1000, "mb": 1_000_000, "gb": 1_000_000_000, "tb": 1_000_000_000_000,
        "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40,
        "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40,
    ]

    package static func < (lhs: ByteCount, rhs: ByteCount) -> Bool { lhs.bytes < rhs.bytes }

    /// Binary units with one decimal where it says something: `512 MiB`, `1.5 GiB`, `0 B`.
    package var description: String {
        let magnitude = Double(bytes.magnitude)
        let sign = bytes < 0 ? "-" : ""
        for (name, unit) in [("GiB", 0x1p30), ("MiB", 0x1p20), ("KiB", 0x1p10)] where magnitude >= unit {
            let tenths = Int((magnitude / unit * 10).rounded())
            return tenths % 10 == 0 ? "\(sign)\(tenths / 10) \(name)" : "\(sign)\(tenths / 10).\(tenths % 10) \(name)"
        }
        return "\(bytes) B"
    }
}
