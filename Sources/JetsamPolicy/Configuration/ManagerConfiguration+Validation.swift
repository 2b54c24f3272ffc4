extension ManagerConfiguration {
    /// Checks every value, and the values against each other.
    ///
    /// - Throws: ``ConfigurationError`` for the first setting that is out of range or contradicts another.
    package func validate() throws(ConfigurationError) {
        if let first = problems.first { throw first }
    }

    /// Every setting that is out of range or contradicts another, part by part; empty where the configuration can be used.
    public var problems: [ConfigurationError] {
        var findings = ConfigurationFindings()
        for part in parts {
            for setting in type(of: part).settings { setting.check(self, &findings) }
            part.checkOrder(&findings)
        }
        return findings.problems
    }
}
