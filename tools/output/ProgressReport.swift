package import MemoryPressure

/// Says now and then on the standard error how far something long has come.
package struct ProgressReport {
    private let isOn: Bool
    private let interval: Duration
    private let write: (String) -> Void
    private var next: MonotonicInstant

    package init(
        isOn: Bool = true, from start: MonotonicInstant, every interval: Duration = .seconds(1),
        write: @escaping (String) -> Void = StandardError.write
    ) {
        self.isOn = isOn
        self.interval = interval
        self.write = write
        next = start.advanced(by: interval)
    }

    /// When the next line is due; nil where none will be.
    package var nextInstant: MonotonicInstant? { isOn ? next : nil }

    /// Writes `line` if the interval has passed since the last one. The text is made only then.
    package mutating func tick(at now: MonotonicInstant, line: () -> String) {
        guard isOn, now >= next else { return }
        write(line())
        // Lines that a stall swallowed are not made up for.
        while next <= now { next = next.advanced(by: interval) }
    }
}
