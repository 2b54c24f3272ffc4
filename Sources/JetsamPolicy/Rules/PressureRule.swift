package import MemoryPressure

/// A named test on readings that votes for a level. Others may be added: give a `switch` a `default`.
///
/// Its ``description`` is the name that logs, traces and recordings have.
public struct PressureRule: Hashable, Sendable, CustomStringConvertible {
    /// Its number in recordings, and its place in ``all``.
    package let number: Int

    /// The name, such as `headroom`.
    public let description: String

    init(_ number: Int, _ name: String) {
        self.number = number
        description = name
    }

    /// Every rule, in the order of the numbers.
    package static let all = Rules.all.map { $0.rule }

    /// The type that votes by that name.
    var type: any Rule.Type { Rules.all[number] }

    /// Returns whether any rule can tell with these sources how much is left.
    package static func knowsRoom(
        _ isUsed: (MemorySignalSource) -> Bool, _ configuration: ManagerConfiguration
    ) -> Bool {
        Rules.all.contains { $0.knowsRoom(isUsed, configuration) }
    }
}
