/// The faults of a configuration, collected. A setting that is out of range is not compared with others as well: one fault, one
/// finding.
struct ConfigurationFindings {
    package private(set) var problems: [ConfigurationError] = []

    mutating func require(
        _ setting: String, _ value: some CustomStringConvertible, _ holds: Bool, _ allowed: @autoclosure () -> String
    ) {
        guard !holds, !problems.contains(where: { $0.setting == setting }) else { return }
        problems.append(ConfigurationError(setting: setting, value: value.description, allowed: allowed()))
    }

    mutating func range(_ setting: String, _ value: Int, _ range: ClosedRange<Int>) {
        require(setting, value, range.contains(value), "in \(range.lowerBound)…\(range.upperBound)")
    }

    mutating func bytes(_ setting: String, _ value: Int, _ range: ClosedRange<Int>) {
        guard range.upperBound == .max else { return self.range(setting, value, range) }
        let unit = setting.hasSuffix("Rate") ? " bytes a second" : ""
        require(setting, value, range.contains(value), "at least \(range.lowerBound)\(unit)")
    }

    mutating func path(_ setting: String, _ value: String) {
        let isGood = value.hasPrefix("/") && !value.utf8.contains(0) && value.utf8.count < 4096
        require(setting, value, isGood, "an absolute path of fewer than 4096 bytes")
    }

    mutating func time(_ setting: String, _ value: Duration, _ least: Duration) {
        // An hour is more than any of these can mean, and keeps the arithmetic in nanoseconds far from its edge.
        require(setting, value, value >= least && value <= .seconds(3600), "between \(least) and 3600.0 seconds")
    }

    mutating func below<Value: Comparable & CustomStringConvertible>(
        _ setting: String, _ value: Value, _ other: String, _ bound: Value
    ) {
        require(setting, value, value < bound || isFound(other), "less than \(other), which is \(bound)")
    }

    mutating func atMost<Value: Comparable & CustomStringConvertible>(
        _ setting: String, _ value: Value, _ other: String, _ bound: Value
    ) {
        require(setting, value, value <= bound || isFound(other), "no more than \(other), which is \(bound)")
    }

    mutating func atLeast<Value: Comparable & CustomStringConvertible>(
        _ setting: String, _ value: Value, _ other: String, _ bound: Value
    ) {
        require(setting, value, value >= bound || isFound(other), "no less than \(other), which is \(bound)")
    }

    private func isFound(_ setting: String) -> Bool { problems.contains { $0.setting == setting } }
}
