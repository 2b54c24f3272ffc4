internal import ArgumentParser
internal import MemoryPressure

/// A number of bytes on a command line.
package struct Size: ExpressibleByArgument, Hashable {
    package static let allowed = "a size such as 4096, 512MiB or 200MB"

    package var bytes: Int

    package init(bytes: Int) {
        self.bytes = bytes
    }

    package init?(argument: String) {
        guard let count = ByteCount(parsing: argument) else { return nil }
        bytes = count.bytes
    }

    package var defaultValueDescription: String { "\(ByteCount(bytes))" }
}

/// How much to take at most: a size, or the headroom at the start and a size more or less.
package enum Amount: ExpressibleByArgument, Hashable {
    package static let allowed = "a size such as 512MiB, or headroom, headroom+102MiB or headroom-10MiB"

    case bytes(Int)
    /// The headroom measured when growth starts, plus so many bytes (negative: less).
    case headroom(plus: Int)

    package init?(argument: String) {
        let word = "headroom"
        guard argument.hasPrefix(word) else {
            guard let size = Size(argument: argument) else { return nil }
            self = .bytes(size.bytes)
            return
        }
        let rest = argument.dropFirst(word.count)
        guard let sign = rest.first else {
            self = .headroom(plus: 0)
            return
        }
        guard sign == "+" || sign == "-", let size = ByteCount(parsing: rest.dropFirst()) else { return nil }
        self = .headroom(plus: sign == "+" ? size.bytes : -size.bytes)
    }

    /// The bytes that this stands for, never negative.
    package func resolved(headroom: () throws -> Int) rethrows -> Int {
        switch self {
        case .bytes(let bytes): bytes
        case .headroom(let extra): max(0, try headroom() + extra)
        }
    }
}
