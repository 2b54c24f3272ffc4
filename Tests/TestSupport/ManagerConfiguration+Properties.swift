package import JetsamPolicy

extension ManagerConfiguration {
    /// Every property by its name, in the order of the settings: those of the rules, then those that are stored.
    package var properties: [(name: String, value: Any)] {
        let stored = Mirror(reflecting: self).children.map { (name: $0.label ?? "?", value: $0.value) }
        return ruleProperties + stored.filter { $0.name != "ruleSettings" }
    }
}
