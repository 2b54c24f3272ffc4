/// What became of a configuration that was given to a manager which runs.
public struct ConfigurationChange: Sendable, Equatable {
    /// The settings that are other now, such as `headroom.warningPercent`, in the order of the types.
    public var applied: [String] = []
    /// The settings that are other, but take effect only when a manager is made with them.
    public var atNextStart: [String] = []

    init(from old: ResourceManager.Configuration, to new: ResourceManager.Configuration) {
        for (before, after) in zip(Mirror(reflecting: old).children, Mirror(reflecting: new).children) {
            let part = before.label ?? "?"
            let names = Self.differences(before.value, after.value, in: part)
            if Self.fixedParts.contains(part) { atNextStart += names } else { applied += names }
        }
    }

    /// What is set up once: files and sockets, and deadlines that are running.
    private static let fixedParts: Set<String> = ["scenes", "lifecycle", "recorder", "control"]

    /// The settings of a part that differ; the part itself where it has none, or is there in one of the two only.
    private static func differences(_ old: Any, _ new: Any, in part: String) -> [String] {
        guard "\(old)" != "\(new)" else { return [] }
        let (before, after) = (settings(of: old), settings(of: new))
        guard !before.isEmpty, before.count == after.count else { return [part] }
        return zip(before, after).filter { $0.value != $1.value }.map { "\(part).\($0.0.name)" }
    }

    private static func settings(of part: Any) -> [(name: String, value: String)] {
        let mirror = Mirror(reflecting: part)
        if mirror.displayStyle == .optional {
            return mirror.children.first.map { settings(of: $0.value) } ?? []
        }
        return mirror.children.map { ($0.label ?? "?", "\($0.value)") }
    }
}

extension ResourceManager.Configuration {
    /// Takes back what cannot change while a manager runs.
    mutating func keepFixedParts(of old: Self) {
        scenes = old.scenes
        lifecycle = old.lifecycle
        recorder = old.recorder
        control = old.control
    }
}
