/// What a name in a snapshot belongs to. A manager records a snapshot as the process enters the background: names and sizes of what it
/// holds, never keys, values or states. Others may be added: give a `switch` a `default`.
public enum SnapshotPart: Sendable {
    /// A registered cache.
    case cache
    /// A held background task.
    case backgroundTask
    /// A connected scene.
    case scene
}
