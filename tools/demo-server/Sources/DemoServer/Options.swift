internal import ArgumentParser
internal import MemoryPressure

/// What the server does about its memory.
enum Mode: String, CaseIterable, Sendable, ExpressibleByArgument {
    /// Nothing: it keeps every value.
    case unbounded
    /// Keeps to a number of bytes fixed beforehand.
    case fixed
    /// Foundation's `NSCache`, with no limit of its own.
    case nscache
    /// Keeps every value until a warning of the kernel's comes, and none then: what a handler of memory warnings does on a phone.
    case cleared
    /// Lets Jetsam say how much there is.
    case jetsam
}

/// A level of pressure to be pretended.
enum SimulatedPressure: String, CaseIterable, Sendable, ExpressibleByArgument {
    case warning, critical

    var level: PressureLevel { self == .warning ? .warning : .critical }
}

/// A number of bytes as people write it: `512MiB`, `200MB`, `4096`.
struct ByteSize: Sendable, ExpressibleByArgument, CustomStringConvertible {
    var bytes: Int

    init(_ bytes: Int) {
        self.bytes = bytes
    }

    init?(argument: String) {
        let digits = argument.prefix { $0.isASCII && $0.isNumber }
        guard let number = Int(digits), let unit = Self.units[argument.dropFirst(digits.count).lowercased()] else {
            return nil
        }
        let (product, overflow) = number.multipliedReportingOverflow(by: unit)
        guard !overflow else { return nil }
        bytes = product
    }

    private static let units: [String: Int] = [
        "": 1, "b": 1, "kb": 1000, "mb": 1_000_000, "gb": 1_000_000_000,
        "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30,
    ]

    var description: String {
        for (name, unit) in [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)]
        where bytes >= unit && bytes % unit == 0 {
            return "\(bytes / unit)\(name)"
        }
        return "\(bytes)"
    }
}
