/// The grades of memory shortage: Apple's three, in order.
public enum PressureLevel: UInt8, Sendable, Comparable, CaseIterable, CustomStringConvertible {
    /// Memory is not short.
    case normal
    /// Memory is becoming short: give back what is cheap to make again.
    case warning
    /// The process is close to being killed: give back all that can be given.
    case critical

    /// Returns whether `lhs` is less severe than `rhs`.
    public static func < (lhs: PressureLevel, rhs: PressureLevel) -> Bool {
        lhs.rawValue < rhs.rawValue
    }

    /// The grade in lower case: "normal", "warning" or "critical".
    public var description: String {
        switch self {
        case .normal: "normal"
        case .warning: "warning"
        case .critical: "critical"
        }
    }
}
