/// One place where readings or wake-ups can come from.
///
/// An open set: new sources can be added without breaking a `switch`.
public struct MemorySignalSource: Sendable, Hashable, CustomStringConvertible {
    private enum Kind: String, Sendable {
        case pressureTrigger = "PSI trigger"
        case pressureTotals = "PSI totals"
        case memoryEvents = "memory.events"
        case usageThreshold = "usage threshold"
        case usage = "cgroup usage"
        case limits = "cgroup limits"
        case memoryInfo = "meminfo"
        case footprint = "footprint"
        case systemdWatch = "systemd watch"
    }

    private let kind: Kind

    /// Wake-ups from a trigger armed on a PSI file.
    public static let pressureTrigger = MemorySignalSource(kind: .pressureTrigger)
    /// Stall times read from a PSI file.
    public static let pressureTotals = MemorySignalSource(kind: .pressureTotals)
    /// Wake-ups and counters of cgroup v2's `memory.events` (counters alone from v1's `memory.failcnt` and `memory.oom_control`).
    public static let memoryEvents = MemorySignalSource(kind: .memoryEvents)
    /// Wake-ups from cgroup v1's usage thresholds.
    public static let usageThreshold = MemorySignalSource(kind: .usageThreshold)
    /// Usage and `memory.stat` of the process's cgroup and its ancestors.
    public static let usage = MemorySignalSource(kind: .usage)
    /// Hard and soft limits of the process's cgroup and its ancestors.
    public static let limits = MemorySignalSource(kind: .limits)
    /// `/proc/meminfo`.
    public static let memoryInfo = MemorySignalSource(kind: .memoryInfo)
    /// `/proc/self/statm` and `/proc/self/status`.
    public static let footprint = MemorySignalSource(kind: .footprint)
    /// The file or socket that systemd offers through `MEMORY_PRESSURE_WATCH`.
    public static let systemdWatch = MemorySignalSource(kind: .systemdWatch)

    /// The source's name as it appears in logs and in `jetsam doctor`.
    public var description: String { kind.rawValue }
}

/// The status of one source: in use, or the reason why it is not.
public struct SourceStatus: Sendable, Equatable, CustomStringConvertible {
    /// In use, or the reason why it is not.
    public enum Availability: Sendable, Equatable {
        /// The source is open and used.
        case used
        /// It is not; `reason` says why in a sentence that names the error (such as EACCES) where there was one.
        case notAvailable(reason: String)
    }

    /// The source.
    public var source: MemorySignalSource
    /// The file that it reads or would read; nil where there is none to name.
    public var path: String?
    /// In use, or why not.
    public var availability: Availability

    /// Indicates whether it wakes the process, and is not read.
    package var isWakeUp = false

    /// The source's name, with its kind where there are both kinds of it.
    package var name: String {
        source == .memoryEvents ? "\(source) (\(isWakeUp ? "wake-ups" : "counters"))" : source.description
    }

    /// The status of one source.
    public init(source: MemorySignalSource, path: String?, availability: Availability) {
        self.source = source
        self.path = path
        self.availability = availability
    }

    /// Indicates whether the source is in use.
    public var isUsed: Bool { availability == .used }

    /// One line, such as `PSI trigger: not available, EROFS …`.
    public var description: String {
        let place = path.map { " (\($0))" } ?? ""
        switch availability {
        case .used: return "\(name): used\(place)"
        case .notAvailable(let reason): return "\(name): not available\(place), \(reason)"
        }
    }
}
