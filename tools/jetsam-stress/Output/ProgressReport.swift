internal import MemoryPressure

/// Says once a second on the standard error what goes on, where somebody is there to read it.
struct ProgressReport {
    private let isOn: Bool
    private let write: (String) -> Void
    private var next: MonotonicInstant

    init(isOn: Bool, from start: MonotonicInstant, write: @escaping (String) -> Void = System.writeToStandardError) {
        self.isOn = isOn
        self.write = write
        next = start.advanced(by: .seconds(1))
    }

    /// When the next line is due; nil where none will be.
    var nextInstant: MonotonicInstant? { isOn ? next : nil }

    /// Writes `line` if a second has passed since the last one. The text is made only then.
    mutating func tick(at now: MonotonicInstant, line: () -> String) {
        guard isOn, now >= next else { return }
        write(line() + "\n")
        // Lines that a stall swallowed are not made up for.
        while next <= now { next = next.advanced(by: .seconds(1)) }
    }
}
