internal import MemoryPressure

/// The connected scenes by name, and the states that the process allows them. Pure.
struct SceneRegistry: Sendable {
    /// The states that the process allows its scenes.
    enum Ceiling: Sendable, Equatable {
        /// The process runs, and scenes may be in this state or below it.
        case running(SceneState)
        /// The process ends and has come down to this state; nothing connects any more.
        case ending(SceneState)

        /// The highest state that the process allows.
        var state: SceneState {
            switch self {
            case .running(let state), .ending(let state): state
            }
        }

        /// Indicates whether the process ends.
        var isEnding: Bool {
            if case .ending = self { true } else { false }
        }

        /// The highest state that a scene can be brought up to: a process that ends brings none up.
        var reach: SceneState {
            switch self {
            case .running(let state): state
            case .ending: .background
            }
        }

        /// Returns the refusal of a state that the process does not allow; nil where it allows it.
        func refusal(of target: SceneState) -> SceneRefusal? {
            guard target == .active || target == .inactive else { return nil }
            if isEnding { return .processState("shutting down") }
            let isAllowed = (SceneOrder.rank(state) ?? -1) >= SceneOrder.rank(target)!
            return isAllowed ? nil : .processState(state.description)
        }
    }

    private(set) var ceiling = Ceiling.running(.active)
    private var scenes: [SceneIdentifier: ServerScene] = [:]
    /// The age of the scene that was connected last.
    private var lastAge: UInt64 = 0

    /// Indicates whether any scene was ever connected.
    var hasConnected: Bool { lastAge > 0 }
    var count: Int { scenes.count }
    /// The scenes in no order.
    var all: [ServerScene] { Array(scenes.values) }

    subscript(identifier: SceneIdentifier) -> ServerScene? { scenes[identifier] }

    /// Lowers the ceiling. A process that has begun to end does not take that back on its way down.
    mutating func goDown(to state: SceneState, isFinal: Bool) {
        ceiling = isFinal || ceiling.isEnding ? .ending(state) : .running(state)
    }

    /// Raises the ceiling: the process has come up to a state.
    mutating func comeUp(to state: SceneState) {
        ceiling = .running(state)
    }

    /// Takes a scene in.
    ///
    /// - Parameters:
    ///   - target: The state that it is connected for.
    ///   - maximum: The number of scenes that may be connected.
    ///   - make: Makes the scene, of the given age.
    mutating func enter(
        _ identifier: SceneIdentifier, for target: SceneState, atMost maximum: Int,
        _ make: (_ age: UInt64) -> ServerScene
    ) throws(SceneRefusal) -> ServerScene {
        if let refusal = ceiling.refusal(of: target) { throw refusal }
        if ceiling.isEnding { throw .processState("shutting down") }
        if scenes[identifier] != nil { throw .alreadyConnected }
        if scenes.count >= maximum { throw .tooManyScenes(maximum) }
        lastAge += 1
        let scene = make(lastAge)
        scenes[identifier] = scene
        return scene
    }

    /// Takes a scene out, if it is still the one of its name.
    ///
    /// - Returns: The scene that was taken out. It must be let go outside the lock.
    mutating func remove(_ scene: ServerScene) -> ServerScene? {
        guard scenes[scene.identifier] === scene else { return nil }
        return scenes.removeValue(forKey: scene.identifier)
    }
}
