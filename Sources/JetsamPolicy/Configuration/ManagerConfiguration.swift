/// Every threshold, delay and bound of a manager, as plain values, for a `ResourceManager`.
///
/// The defaults are listed, with their reasons, in <doc:Thresholds>; a test holds that page against this type.
/// A configuration is checked when a manager is made from it: see ``problems``.
public struct ManagerConfiguration: Sendable, Equatable {
    /// What differs in the settings of the rules. The file of each rule has their property.
    var ruleSettings = RuleSettingsTable()
    /// The settings for how the level falls and is repeated.
    public var level = LevelTiming()
    /// The settings for how often the signals are read.
    public var sampling = Sampling()
    /// The settings for how caches are asked to give memory back.
    public var reclaim = Reclaim()
    /// The settings for when glibc's allocator is asked to give memory back.
    public var trim = Trim()
    /// The settings for when the last resort is called, where there is one.
    public var lastResort = LastResort()
    /// The settings for the steps that follow when the caches have nothing left to give.
    public var ladder = Ladder()
    /// The settings for how scenes are connected, moved and lost.
    public var scenes = Scenes()
    /// The settings for how the process is launched, becomes active, idles and ends.
    public var lifecycle = Lifecycle()
    /// The settings for the records that are kept.
    public var recorder = Recorder()
    /// The local socket for the `jetsam` command.
    public var control = Control()
    /// Indicates whether the manager only decides, and does nothing by itself: it asks no cache, trims nothing and takes
    /// nothing. Calls of the application, and changes of the state of the process or a scene, still have their effect. Can be
    /// changed while a manager runs. Default false.
    ///
    /// Why: Set it to try Jetsam beside your present solution, before it takes anything.
    public var isDryRun = false

    /// The documented defaults.
    public init() {}
}

extension ManagerConfiguration {
    /// The parts, in the order of the settings: the rules', then those that are declared above.
    var parts: [any ConfigurationPart] { partsOfRules + otherParts }

    private var otherParts: [any ConfigurationPart] {
        [level, sampling, reclaim, trim, lastResort, ladder, scenes, lifecycle, recorder, control]
    }

    /// The types of ``parts``; also of those that are not there by default.
    static var partTypes: [any ConfigurationPart.Type] {
        partTypesOfRules + ManagerConfiguration().otherParts.map { type(of: $0) }
    }
}
