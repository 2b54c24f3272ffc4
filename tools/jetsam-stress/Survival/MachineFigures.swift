internal import CommandOutput
internal import MemoryPressure
internal import _StressPatterns

/// What the machine can do, so that tables of two machines can be held against each other.
enum MachineFigures {
    private static let faultedBytes = 512 << 20

    static func measured() throws -> [(String, JSONText)] {
        let rates = try (0..<3).map { _ in try faultRate() }
        let kernel = (try? System.text(of: "/proc/sys/kernel/osrelease"))?.split(separator: "\n").first.map(String.init)
        return [
            ("processors", .integer(System.processors)), ("kernel", .string(kernel)),
            ("memoryBytes", .integer(System.memoryBytes)),
            ("faultMebibytesPerSecond", .integer(rates.sorted()[1])),
        ]
    }

    /// How fast one thread faults in memory where no limit is near, in MiB a second.
    private static func faultRate() throws -> Int {
        let clock = SystemMonotonicClock()
        let pattern = try StressPattern("--pattern ramp --limit \(faultedBytes) --rate max --hold 0s")
        let start = clock.now
        try pattern.run()
        let seconds = max(1e-6, start.duration(to: clock.now).inSeconds)
        return Int(Double(faultedBytes >> 20) / seconds)
    }
}
