internal import MemoryPressure

/// One source, how it fared, and what it is good for.
struct SourceFinding {
    enum Kind: String { case wakeUp = "wake-up", reading }

    var status: SourceStatus
    var kind: Kind
    /// What it means for how soon Jetsam answers.
    var meaning: String

    /// Its name, with its kind where both kinds have it.
    var name: String { status.name }

    var reason: String? {
        if case .notAvailable(let reason) = status.availability { reason } else { nil }
    }

    init(_ status: SourceStatus, _ kind: Kind, hasShortWindows: Bool, isPrivate: Bool) {
        self.status = status
        self.status.isWakeUp = kind == .wakeUp
        self.kind = kind
        let scope = isPrivate ? "" : "; counts the whole machine, neighbours included"
        meaning =
            switch (status.source, kind) {
            case (.pressureTrigger, _):
                hasShortWindows
                    ? "wakes within 0.1 to 0.2 s of the first stall\(scope)"
                    : "wakes within 0.1 to 2 s of the first stall\(scope)"
            case (.pressureTotals, _): "the share of stall, read every 10 ms at most while memory is short\(scope)"
            case (.memoryEvents, .wakeUp): "wakes at once when a limit is touched or a process is killed"
            case (.memoryEvents, .reading): "tells of limits touched and processes killed since the last look"
            case (.usageThreshold, _): "wakes at the very crossing, however fast memory grows"
            case (.usage, _): "what cannot be taken back: read every 1 ms to 1 s, sooner the nearer the limit"
            case (.limits, _): "what it is measured against: read again every second"
            case (.memoryInfo, _): "what the machine has left, which bounds every limit"
            case (.footprint, _): "what the process costs: finds what a purge has returned"
            case (.systemdWatch, _): "wakes when the service manager's file says so: one degree, a warning"
            default: ""
            }
    }
}

/// Tries what the kernel only lets the privileged have.
enum ShortWindow {
    private static let trigger = PressureTrigger(
        kind: .some, stall: .milliseconds(50), window: .milliseconds(500), grade: .warning)

    /// Whether a window of 500 ms can be armed on the PSI file; it is let go of again.
    static func isAllowed(on path: String, in root: KernelRoot) -> Bool {
        if let fault = root.faults[path], fault.writing != nil || fault.arming != nil { return false }
        guard let descriptor = try? Syscalls.open(root.outer(path), .readingAndWriting) else { return false }
        defer { Syscalls.close(descriptor) }
        return (try? Syscalls.write(descriptor, trigger.bytes)) != nil
    }
}
