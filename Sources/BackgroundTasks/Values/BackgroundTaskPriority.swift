/// The importance of a background task. Under pressure, tasks of lower priority are refused first and expire first.
public struct BackgroundTaskPriority: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// 0…255; higher matters more.
    public var rawValue: UInt8

    /// A band of one's own between the named ones.
    @inlinable
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// 64: what can be done another time, such as prefetching. Refused at `warning` and while the process drains.
    @inlinable public static var low: BackgroundTaskPriority { BackgroundTaskPriority(rawValue: 64) }
    /// 128: ordinary work. Refused at `critical`.
    @inlinable public static var normal: BackgroundTaskPriority { BackgroundTaskPriority(rawValue: 128) }
    /// 192: what somebody would miss, such as an upload that was acknowledged. Refused only when the process ends.
    @inlinable public static var high: BackgroundTaskPriority { BackgroundTaskPriority(rawValue: 192) }

    /// Returns whether `lhs` is refused, and expires, before `rhs`.
    public static func < (lhs: BackgroundTaskPriority, rhs: BackgroundTaskPriority) -> Bool {
        lhs.rawValue < rhs.rawValue
    }

    /// The name, or the number where the band has none.
    public var description: String {
        switch self {
        case .low: "low"
        case .normal: "normal"
        case .high: "high"
        default: "\(rawValue)"
        }
    }
}

/// The time when a background task expires if it has not ended.
public struct BackgroundTaskExpiry: Sendable, Hashable {
    package let duration: Duration?

    /// No deadline while the process is active; the process's own once it drains.
    public static let atTermination = BackgroundTaskExpiry(duration: nil)

    /// So long after it began, and no later than the process's deadline. Time in which the process did not run (SIGSTOP,
    /// the freezer, a paused machine) does not count while a manager runs. Zero and less expire at once; what is more than
    /// the clock can hold, some 292 years, never does before the process.
    public static func after(_ duration: Duration) -> BackgroundTaskExpiry {
        BackgroundTaskExpiry(duration: duration)
    }
}
