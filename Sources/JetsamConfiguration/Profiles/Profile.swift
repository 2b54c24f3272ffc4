/// Settings that were put together for a kind of process.
public struct Profile: Sendable {
    /// Its name, as commands take it.
    public var name: String
    /// The purpose of the profile and its changes, in one sentence.
    public var explanation: String
    /// The settings.
    public var settings: JetsamSettings
    /// The reasons for the settings that it changes, by setting.
    var reasons: [String: String]

    /// The profile as a configuration file with the reason of each setting.
    public var text: String {
        var writer = ConfigurationWriter()
        writer.heading = ["The profile \(name).", explanation]
        writer.comments = reasons
        return writer.text(of: settings)
    }

    /// The profile of that name; nil where there is none.
    public static func named(_ name: String) -> Profile? { all.first { $0.name == name } }

    /// Every profile, the defaults first.
    public static let all = [standard, smallContainer, keepCaches]

    /// `default`: the documented defaults.
    public static let standard = Profile(
        name: "default",
        explanation: "For a server in a container of half a gigabyte or more: every setting is as documented.",
        settings: JetsamSettings(), reasons: [:])

    /// `small-container`: for limits from 64 to 512 MiB.
    public static let smallContainer = Profile(
        name: "small-container",
        explanation:
            "For limits from 64 to 512 MiB: acts at smaller distances in bytes, but at larger ones in percent, and "
            + "takes more in each step, because a few hundred requests fill what is left.",
        changes: [
            ("headroom.warningPercent", "25", "A fifth of 128 MiB is filled by a hundred requests of 256 KiB."),
            ("headroom.criticalPercent", "12", "Half of warning."),
            (
                "headroom.warningMinimumBytes", "24MiB",
                "48 MiB would be more than a third of a container of 128 MiB: always under pressure."
            ),
            ("headroom.criticalMinimumBytes", "12MiB", "Half of warning's."),
            ("timeToLimit.headroomPercent", "60", "With so little in all, growth matters earlier."),
            ("reclaim.sharePercent", "10", "A twentieth of a few megabytes is not worth a step."),
            ("reclaim.warningSpacing", "100ms", "Small caches answer sooner, and little is left to wait with."),
            ("trim.minimumFreedBytes", "4MiB", "32 MiB would never come together."),
            ("recorder.capacityBytes", "256KiB", "It is locked in memory, which the limit counts."),
            ("scenes.maximumStateBytes", "256KiB", "A state is held whole while it is saved and restored."),
        ])

    /// `keep-caches`: for servers whose caches cost more to fill than a purge that comes late.
    public static let keepCaches = Profile(
        name: "keep-caches",
        explanation:
            "For servers whose caches are dear to fill and whose other memory grows slowly: uses more of the limit, "
            + "and takes less in a step; sudden growth is met later.",
        changes: [
            ("headroom.warningPercent", "12", "Caches may fill all but an eighth."),
            ("headroom.criticalPercent", "6", "Half of warning."),
            ("headroom.warningMaximumBytes", "1GiB", "Half of the default: what is kept free is not used."),
            ("headroom.criticalMaximumBytes", "512MiB", "Half of warning's."),
            ("headroom.exitPoints", "3", "Less has to be given up before the level falls."),
            ("timeToLimit.warning", "5s", "Growth for a moment empties no cache."),
            ("timeToLimit.warningExit", "10s", "Twice the entry."),
            ("reclaim.sharePercent", "3", "About half as much a step."),
            ("reclaim.warningSpacing", "500ms", "Time to see whether the last step was enough."),
            ("reclaim.regrowthPercent", "20", "Caches fill again sooner."),
        ])

    private init(name: String, explanation: String, settings: JetsamSettings, reasons: [String: String]) {
        (self.name, self.explanation, self.settings, self.reasons) = (name, explanation, settings, reasons)
    }

    private init(name: String, explanation: String, changes: [(key: String, value: String, reason: String)]) {
        var settings = JetsamSettings()
        for change in changes {
            let isTaken = Setting.named(change.key)?.assign(.text(change.value), &settings) ?? false
            precondition(isTaken, "profile \(name): \(change.key) cannot be \(change.value)")
        }
        let reasons = changes.map { ($0.key, $0.reason) }
        self.init(
            name: name, explanation: explanation, settings: settings, reasons: Dictionary(uniqueKeysWithValues: reasons)
        )
    }
}
