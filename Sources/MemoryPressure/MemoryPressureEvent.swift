/// The events that a ``MemoryPressureSource`` can report, as Apple's `DispatchSource.MemoryPressureEvent`.
public struct MemoryPressureEvent: OptionSet, Sendable, Hashable, CustomStringConvertible {
    /// The bits, with the values that Apple gives them.
    public let rawValue: UInt

    /// The events of these bits.
    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    /// Memory is no longer short.
    public static let normal = MemoryPressureEvent(rawValue: 1)
    /// Memory is becoming short: give back what is cheap to make again.
    public static let warning = MemoryPressureEvent(rawValue: 2)
    /// The process is close to being killed: give back all that can be given.
    public static let critical = MemoryPressureEvent(rawValue: 4)
    /// All of them.
    public static let all: MemoryPressureEvent = [.normal, .warning, .critical]

    init(_ level: PressureLevel) {
        switch level {
        case .normal: self = .normal
        case .warning: self = .warning
        case .critical: self = .critical
        }
    }

    /// The names of the events, such as `[warning, critical]`.
    public var description: String {
        let names = [(Self.normal, "normal"), (.warning, "warning"), (.critical, "critical")]
            .filter { contains($0.0) }.map(\.1)
        return "[\(names.joined(separator: ", "))]"
    }
}
