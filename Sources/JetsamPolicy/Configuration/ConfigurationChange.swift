/// The result of giving a new configuration to a manager that runs.
public struct ConfigurationChange: Sendable, Equatable {
    /// The settings that are other now, such as `headroom.warningPercent`, in the order of the types.
    public var applied: [String] = []
    /// The settings that are other, but take effect only when a manager is made with them.
    public var atNextStart: [String] = []

    package init(from old: ManagerConfiguration, to new: ManagerConfiguration) {
        for setting in ManagerSetting.all {
            guard let name = setting.difference(old, new) else { continue }
            if setting.isFixed { atNextStart.append(name) } else { applied.append(name) }
        }
    }
}

extension ManagerConfiguration {
    /// Takes back what cannot change while a manager runs.
    package mutating func keepFixedParts(of old: Self) {
        scenes = old.scenes
        lifecycle = old.lifecycle
        recorder = old.recorder
        control = old.control
    }
}
