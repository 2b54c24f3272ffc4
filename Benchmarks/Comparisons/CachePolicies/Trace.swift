/// Accesses in their order. Keys are numbered in the order in which they are first asked for.
package struct Trace: Sendable {
    /// The key of each access.
    package private(set) var accesses: [UInt32] = []
    /// How many distinct keys there are.
    package private(set) var keys = 0

    /// From what names the keys: text, or numbers.
    package init<Names: Sequence>(_ names: Names) where Names.Element: Hashable {
        var numbers: [Names.Element: UInt32] = [:]
        for name in names {
            let number = numbers[name] ?? UInt32(numbers.count)
            if Int(number) == numbers.count { numbers[name] = number }
            accesses.append(number)
        }
        keys = numbers.count
    }

    /// From text with one key a line, which may be anything; empty lines are left out.
    package init(lines bytes: [UInt8]) {
        self.init(
            bytes.split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }).lazy.map {
                String(decoding: $0, as: UTF8.self)
            })
    }

    /// From libCacheSim's oracleGeneral: records of 24 bytes, little-endian, whose bytes 4 to 11 are the key (before it the
    /// time, after it the size and the place of the next access to it). Nil where there is a part of a record.
    package init?(oracleGeneral bytes: [UInt8]) {
        guard bytes.count.isMultiple(of: 24) else { return nil }
        self.init(
            stride(from: 4, to: bytes.count, by: 24).lazy.map { start in
                (0..<8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64(bytes[start + $1]) }
            })
    }
}
