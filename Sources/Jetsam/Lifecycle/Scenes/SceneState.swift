/// The states of a scene's life.
public enum SceneState: UInt8, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// Being connected: it has not begun.
    case unattached
    /// Connected but not serving: on its way to or from ``active``.
    case inactive
    /// Serving.
    case active
    /// Not serving; its state is saved and its caches are cut. It may hold background tasks.
    case background
    /// Nothing held: state saved, caches empty. It may end without notice.
    case suspended
    /// Gone. A scene that connects under the same identifier is a new one.
    case disconnected

    /// The state in one word.
    public var description: String {
        switch self {
        case .unattached: "unattached"
        case .inactive: "inactive"
        case .active: "active"
        case .background: "background"
        case .suspended: "suspended"
        case .disconnected: "disconnected"
        }
    }
}

/// The cause of a change of a scene's state.
public struct SceneCause: Sendable, Hashable, CustomStringConvertible {
    private enum Code: String, Sendable {
        case client, system, process, pressure, restoration, handOver
    }

    private let code: Code

    /// The application asked for it, on behalf of whoever the scene serves.
    public static let client = SceneCause(code: .client)
    /// The application connected it without a client.
    public static let system = SceneCause(code: .system)
    /// The process changed its own state, and the scene followed.
    public static let process = SceneCause(code: .process)
    /// Memory is short.
    public static let pressure = SceneCause(code: .pressure)
    /// It is being restored from its stored state.
    public static let restoration = SceneCause(code: .restoration)
    /// It is handed over to a successor, or came back because that failed.
    public static let handOver = SceneCause(code: .handOver)

    /// The cause in a word or two.
    public var description: String {
        code == .handOver ? "hand-over" : code.rawValue
    }
}

/// One change of a scene's state.
public struct SceneTransition: Sendable, Hashable, CustomStringConvertible {
    /// Its place among all notifications of the process.
    public var sequence: UInt64
    /// The scene.
    public var scene: SceneIdentifier
    /// The state that it leaves.
    public var from: SceneState
    /// The state that it enters.
    public var to: SceneState
    /// The cause of the change.
    public var cause: SceneCause

    /// One line for a log.
    public var description: String {
        "'\(scene)' \(from) → \(to) (\(cause))"
    }
}
