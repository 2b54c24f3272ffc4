internal import Foundation
internal import NIOConcurrencyHelpers
internal import SystemPackage

/// Writes fifty times a second what the server keeps and answers, for somebody who looks at the run from outside.
///
/// It has a thread of its own: those that answer requests may all be busy.
final class Samples: Sendable {
    private static let interval = Duration.milliseconds(20)

    private let file: FileDescriptor
    private let responses: Responses
    private let released: @Sendable () -> ReleaseTotals
    private let level: @Sendable () -> Int
    private let isOver = NIOLockedValueBox(false)

    /// - Parameter level: 0 at `normal`, 1 at `warning`, 2 at `critical`.
    /// - Throws: `Errno` where the file cannot be written.
    init(
        path: String, of responses: Responses, level: @escaping @Sendable () -> Int,
        released: @escaping @Sendable () -> ReleaseTotals
    ) throws {
        file = try FileDescriptor.open(
            FilePath(path), .writeOnly, options: [.create, .truncate, .append],
            permissions: [.ownerReadWrite, .groupRead, .otherRead])
        self.responses = responses
        self.released = released
        self.level = level
    }

    func begin() {
        let thread = Thread { [self] in
            var next = Self.now
            while !isOver.withLockedValue({ $0 }) {
                guard (try? file.writeAll(line.utf8)) != nil else { break }
                next = max(next + Self.interval / .nanoseconds(1), Self.now)
                Thread.sleep(forTimeInterval: (next - Self.now) / 1e9)
            }
            try? file.close()
        }
        thread.name = "demo.samples"
        thread.start()
    }

    func end() {
        isOver.withLockedValue { $0 = true }
    }

    private var line: String {
        let counts = responses.counts
        let releases = released()
        let cpu = Int(ProcessUsage.current().cpuSeconds * 1e6)
        return """
            \(Int(Self.now)) \(responses.cache.size.bytes) \(counts.hits) \(counts.misses) \(releases.releasedBytes) \
            \(releases.refetchedBytes) \(cpu) \(level())

            """
    }

    /// Nanoseconds of the kernel's monotonic clock, which other processes can compare.
    private static var now: Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
}
