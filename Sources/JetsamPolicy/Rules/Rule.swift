internal import MemoryPressure

/// A rule: how it votes, what it remembers, and what others have to know of it.
protocol Rule: Sendable {
    /// The name and number that others know it by.
    static var rule: PressureRule { get }
    /// Its settings, where it has any.
    static var settings: [any RuleSettings.Type] { get }
    /// Indicates whether it says that memory is short, but not by how much. A step then asks for a share of what caches hold.
    static var namesNoBytes: Bool { get }
    /// Indicates whether what it looks at is used by other processes too, so that each gives its share.
    static var isShared: Bool { get }
    /// Returns whether it votes by how much is left, and can tell that with these sources. A manager needs such a rule.
    static func knowsRoom(_ isUsed: (MemorySignalSource) -> Bool, _ configuration: ManagerConfiguration) -> Bool
    /// Returns the bytes that are missing for its vote to end; not positive where none are, and 0 where it does not say. Missing
    /// headroom is reckoned whatever rule calls.
    static func missingBytes(_ reading: MemoryReading, _ configuration: ManagerConfiguration) -> Int
    /// Returns whether memory is close to a limit that only this rule looks at, or beyond it. What is missing is then asked for also
    /// where another rule votes higher.
    static func isPassed(_ reading: MemoryReading, _ configuration: ManagerConfiguration) -> Bool

    init()
    /// Votes on one reading; nil where it has nothing to say, as without its signal.
    mutating func vote(_ context: RuleContext, _ configuration: ManagerConfiguration) -> Vote?
    /// Takes over what is told beside the readings, such as that the process did not run for a while.
    mutating func hear(_ notice: RuleNotice)
}

extension Rule {
    static var settings: [any RuleSettings.Type] { [] }
    static var namesNoBytes: Bool { false }
    static var isShared: Bool { false }
    static func knowsRoom(
        _ isUsed: (MemorySignalSource) -> Bool, _ configuration: ManagerConfiguration
    ) -> Bool { false }
    static func missingBytes(_ reading: MemoryReading, _ configuration: ManagerConfiguration) -> Int { 0 }
    static func isPassed(_ reading: MemoryReading, _ configuration: ManagerConfiguration) -> Bool { false }
    mutating func hear(_ notice: RuleNotice) {}
}
