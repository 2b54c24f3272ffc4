/// The targets that a scene is activated for, such as the identifiers of the documents that it shows.
public struct SceneTargets: Sendable, Hashable {
    /// Targets that this scene should be activated for before any other.
    public var preferred: Set<String>
    /// Targets that it can be activated for.
    public var accepted: Set<String>
    /// Indicates whether it can be activated for every other target too.
    public var acceptsAny: Bool

    /// - Parameters:
    ///   - preferred: Targets that this scene should be activated for before any other.
    ///   - accepted: Targets that it can be activated for.
    ///   - acceptsAny: True where it can be activated for every other target too.
    public init(preferred: Set<String> = [], accepted: Set<String> = [], acceptsAny: Bool = true) {
        self.preferred = preferred
        self.accepted = accepted
        self.acceptsAny = acceptsAny
    }

    /// Returns how well a target fits; nil where it does not.
    func fit(_ target: String) -> Int? {
        if preferred.contains(target) { return 2 }
        if accepted.contains(target) { return 1 }
        return acceptsAny ? 0 : nil
    }
}
