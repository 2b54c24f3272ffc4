internal import ArgumentParser
internal import MemoryPressure

/// How fast memory is taken: a size a second (`200MB/s`), or `max` for as fast as it goes.
package struct Rate: ExpressibleByArgument, Hashable {
    static let allowed = "a size and /s such as 200MB/s or 1GiB/s, or max"
    static let unlimited = Rate(bytesPerSecond: nil)

    /// Nil for as fast as it goes; else at least 1.
    package var bytesPerSecond: Int?

    package init(bytesPerSecond: Int?) {
        self.bytesPerSecond = bytesPerSecond
    }

    package init?(argument: String) {
        guard argument != "max" else {
            self = .unlimited
            return
        }
        guard argument.hasSuffix("/s"), let size = ByteCount(parsing: argument.dropLast(2)), size.bytes > 0 else {
            return nil
        }
        bytesPerSecond = size.bytes
    }

    package var defaultValueDescription: String { text }

    package var text: String {
        guard let bytesPerSecond else { return "as fast as it goes" }
        guard bytesPerSecond % 1_000_000 == 0 else { return "\(ByteCount(bytesPerSecond))/s" }
        return "\(bytesPerSecond / 1_000_000) MB/s"
    }
}
