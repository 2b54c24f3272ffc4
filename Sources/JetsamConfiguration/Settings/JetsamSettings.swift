public import Jetsam

/// Everything that a file, the environment or code can say about Jetsam, as plain values.
///
/// The parts are what `ResourceManager` and `BackgroundTaskRegistry` are made with:
///
/// ```swift
/// let settings = try JetsamSettings(reader: ConfigReader(provider: EnvironmentVariablesProvider()))
/// let manager = try ResourceManager(configuration: settings.manager, logger: logger)
/// ```
public struct JetsamSettings: Sendable, Equatable {
    /// The configuration that a manager is made with.
    public var manager = ManagerConfiguration()
    /// The configuration that a registry of background tasks is made with.
    public var backgroundTasks = BackgroundTaskConfiguration()

    /// The documented defaults.
    public init() {}

    /// Every setting that is out of range or contradicts another; empty where the settings can be used.
    public var problems: [ConfigurationError] {
        manager.problems.map(explained) + backgroundTaskProblems
    }

    /// Checks every value, and the values against each other.
    ///
    /// - Throws: `ConfigurationError` for the first setting that is out of range or contradicts another.
    public func validate() throws(ConfigurationError) {
        if let first = problems.first { throw first }
    }

    /// A budget of 0 bytes is one that nobody gave, most likely.
    private func explained(_ problem: ConfigurationError) -> ConfigurationError {
        guard problem.setting == "footprint.budgetBytes", manager.footprint?.budgetBytes == 0 else { return problem }
        var problem = problem
        problem.allowed = "more than 0: without a budget there is no footprint rule to set"
        return problem
    }

    /// A registry holds them to their ranges without a word; a file had better be told.
    private var backgroundTaskProblems: [ConfigurationError] {
        let bounds = [
            ("backgroundTasks.lead", backgroundTasks.lead, Duration.seconds(60)),
            ("backgroundTasks.grace", backgroundTasks.grace, Duration.seconds(3600)),
        ]
        var problems = bounds.filter { $0.1 < .zero || $0.1 > $0.2 }.map { name, value, most in
            ConfigurationError(setting: name, value: value.description, allowed: "between 0.0 seconds and \(most)")
        }
        if let time = backgroundTasks.longHeldAfter, time < .seconds(1) || time > .seconds(3600) {
            problems.append(
                ConfigurationError(
                    setting: "backgroundTasks.longHeldAfter", value: time.description,
                    allowed: "between 1.0 seconds and 3600.0 seconds"))
        }
        return problems
    }
}
