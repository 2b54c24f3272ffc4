/// The settings of a rule. A configuration keeps them by their type, so that the rule's own file declares them, and a property of
/// ``ManagerConfiguration`` for them.
protocol RuleSettings: Sendable, Equatable {
    /// The settings where nothing else is said.
    static var standard: Self { get }
    /// The parts that these settings can have.
    static var partTypes: [any ConfigurationPart.Type] { get }
    /// The parts that they have.
    var parts: [any ConfigurationPart] { get }
}

extension RuleSettings where Self: ConfigurationPart {
    static var partTypes: [any ConfigurationPart.Type] { [Self.self] }
    var parts: [any ConfigurationPart] { [self] }
}

/// A rule that is off unless it is given settings.
extension Optional: RuleSettings where Wrapped: ConfigurationPart {
    static var standard: Self { nil }
    static var partTypes: [any ConfigurationPart.Type] { [Wrapped.self] }
    var parts: [any ConfigurationPart] { map { [$0] } ?? [] }
}

/// The settings of the rules, as far as they are other than the standard.
struct RuleSettingsTable: Sendable, Equatable {
    private var given: [ObjectIdentifier: any RuleSettings] = [:]

    subscript<Settings: RuleSettings>(_ settings: Settings.Type) -> Settings {
        get {
            // Read at every reading, and nearly always the standard: a cast costs more than all else here.
            guard let value = given[ObjectIdentifier(settings)] else { return .standard }
            return value as? Settings ?? .standard
        }
        set { given[ObjectIdentifier(settings)] = newValue == .standard ? nil : newValue }
    }

    static func == (first: Self, second: Self) -> Bool {
        first.given.count == second.given.count && first.given.values.allSatisfy { $0.isSame(in: second) }
    }
}

extension RuleSettings {
    /// The name of the property, with which the names of the settings begin.
    static var name: String { String(partTypes.first?.settings.first?.name.prefix { $0 != "." } ?? "") }

    static func parts(in table: RuleSettingsTable) -> [any ConfigurationPart] { table[Self.self].parts }

    static func value(in table: RuleSettingsTable) -> Any { table[Self.self] }

    fileprivate func isSame(in table: RuleSettingsTable) -> Bool { table[Self.self] == self }
}
