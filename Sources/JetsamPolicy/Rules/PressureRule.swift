package import MemoryPressure

/// A named test on readings that votes for a level. Others may be added: give a `switch` a `default`.
///
/// The names and raw values are part of the formats of traces and recordings.
public struct PressureRule: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The number.
    public let rawValue: UInt8

    /// The rule of that number; nil where there is none.
    public init?(rawValue: UInt8) {
        guard let rule = Self.all.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = rule
    }

    /// The name, such as `headroom`.
    public let description: String

    init(_ number: UInt8, _ name: String) {
        rawValue = number
        description = name
    }

    /// Every rule, in the order of the numbers.
    package static let all = Rules.all.map { $0.rule }

    /// The type that votes by that name.
    var type: any Rule.Type { Rules.all[Int(rawValue)] }

    /// Returns whether any rule can tell with these sources how much is left.
    package static func knowsRoom(
        _ isUsed: (MemorySignalSource) -> Bool, _ configuration: ManagerConfiguration
    ) -> Bool {
        Rules.all.contains { $0.knowsRoom(isUsed, configuration) }
    }
}
