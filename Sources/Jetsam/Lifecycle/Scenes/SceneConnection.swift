internal import MemoryPressure

/// All that is known of a scene that is to connect.
struct SceneConnection: Sendable {
    var identifier: SceneIdentifier
    var origin: SceneOrigin
    var expectedBytes = 0
    var priority = ResourcePriority.normal
    var targets = SceneTargets()
    var restoration = SceneRestorationPolicy.automatic
    /// The state that a predecessor hands over.
    var handedOver: SceneStateData?
    var executor: (any TaskExecutor)?
    var observer: any SceneObserver
    /// Indicates whether there is room already.
    var hasRoom = false
    /// The time when it must be connected, beside the deadlines of its steps.
    var latest: MonotonicInstant?

    func deadline(_ now: MonotonicInstant, _ step: Duration) -> MonotonicInstant {
        let own = now.advanced(by: step)
        return min(own, latest ?? own)
    }
}

/// The origin of a scene's connection: a client that wants the scene, or the system.
public struct SceneOrigin: Sendable, Hashable {
    let target: SceneState
    let cause: SceneCause

    /// A client wants it: it becomes active.
    public static let client = SceneOrigin(target: .active, cause: .client)
    /// Nobody waits for it: it stands in the background.
    public static let system = SceneOrigin(target: .background, cause: .system)
    static let restoration = SceneOrigin(target: .background, cause: .restoration)
    static let handOver = SceneOrigin(target: .background, cause: .handOver)
}

/// The treatment of a stored state when its scene connects.
public struct SceneRestorationPolicy: Sendable, Hashable {
    enum Code: Sendable { case automatic, evenAfterCrashes, none }

    let code: Code

    /// It is given to the observer. A scene whose restoration was under way in too many starts that crashed is refused.
    public static let automatic = SceneRestorationPolicy(code: .automatic)
    /// It is given to the observer, whatever happened before.
    public static let evenAfterCrashes = SceneRestorationPolicy(code: .evenAfterCrashes)
    /// The scene begins without it. It is kept until the scene stores another.
    public static let none = SceneRestorationPolicy(code: .none)
}

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
