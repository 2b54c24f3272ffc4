/// A stage of the ladder: they are entered in this order, each only when the one before has nothing left to give. Others may be added: give a
/// `switch` a `default`.
public enum ReclaimStage: Sendable, Comparable, CustomStringConvertible {
    /// Registered caches were asked, and the allocator was trimmed.
    case caches
    /// Held background tasks were notified that they expire.
    case backgroundTasks
    /// A scene was disconnected.
    case scenes
    /// The application's hook was called.
    case lastResort

    /// The stage's name.
    public var description: String {
        switch self {
        case .caches: "caches"
        case .backgroundTasks: "background tasks"
        case .scenes: "scenes"
        case .lastResort: "last resort"
        }
    }
}
