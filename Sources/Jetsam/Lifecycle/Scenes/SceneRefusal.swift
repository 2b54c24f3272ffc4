internal import MemoryPressure

/// The reason why a scene was not connected, or did not change its state.
public struct SceneRefusal: Error, Sendable, Equatable, CustomStringConvertible {
    private enum Code: Sendable, Equatable {
        case alreadyConnected, notConnected, insideCallback
        case transition(SceneState, SceneState)
        case processState(String)
        case noRoom(needed: Int, available: Int)
        case negativeBytes(Int)
        case tooManyScenes(Int)
        case missedDeadline(String)
        case observerThrew(String)
        case crashLoop(Int)
        case store(SceneStateStoreError)
        case handOffFailed(String)
    }

    private let code: Code

    /// A scene with this identifier is connected.
    public static let alreadyConnected = SceneRefusal(code: .alreadyConnected)
    /// No scene with this identifier is connected, or it is gone.
    public static let notConnected = SceneRefusal(code: .notConnected)
    /// The call came from inside a callback of the same scene, which the change would have to wait for.
    public static let insideCallback = SceneRefusal(code: .insideCallback)

    static func transition(from: SceneState, to: SceneState) -> SceneRefusal { .init(code: .transition(from, to)) }
    static func processState(_ state: String) -> SceneRefusal { .init(code: .processState(state)) }
    static func noRoom(needed: Int, available: Int) -> SceneRefusal {
        .init(code: .noRoom(needed: needed, available: available))
    }
    static func negativeBytes(_ bytes: Int) -> SceneRefusal { .init(code: .negativeBytes(bytes)) }
    static func tooManyScenes(_ limit: Int) -> SceneRefusal { .init(code: .tooManyScenes(limit)) }
    static func missedDeadline(_ callback: SceneCallback) -> SceneRefusal {
        .init(code: .missedDeadline(callback.rawValue))
    }
    static func observerThrew(_ error: any Error) -> SceneRefusal {
        .init(code: .observerThrew(String(String(describing: error).prefix(200))))
    }
    static func crashLoop(_ starts: Int) -> SceneRefusal { .init(code: .crashLoop(starts)) }
    static func store(_ error: SceneStateStoreError) -> SceneRefusal { .init(code: .store(error)) }
    static func handOffFailed(_ error: Any) -> SceneRefusal {
        .init(code: .handOffFailed(String(String(describing: error).prefix(200))))
    }

    /// Indicates whether memory is too short for the bytes that the scene expects to take: worth another try later.
    public var isForWantOfRoom: Bool {
        if case .noRoom = code { true } else { false }
    }

    /// Indicates whether the process is in a state that does not allow it, such as draining.
    public var isForProcessState: Bool {
        if case .processState = code { true } else { false }
    }

    /// Indicates whether restoring this scene was under way in too many starts that crashed. It can still be asked for: see
    /// ``SceneRestorationPolicy``.
    public var isForCrashLoop: Bool {
        if case .crashLoop = code { true } else { false }
    }

    /// The error of the state store, where that is the reason.
    public var storeError: SceneStateStoreError? {
        if case .store(let error) = code { error } else { nil }
    }

    /// The problem, in a sentence.
    public var description: String {
        switch code {
        case .alreadyConnected: "a scene with this identifier is connected"
        case .notConnected: "no scene with this identifier is connected"
        case .insideCallback: "a scene's state cannot be changed from inside one of its own callbacks"
        case .transition(let from, let to): "a scene cannot go from \(from) to \(to)"
        case .processState(let state): "the process is \(state)"
        case .noRoom(let needed, let available):
            "the scene needs \(ByteCount(needed)), and there is room for \(ByteCount(available))"
        case .negativeBytes(let bytes): "a scene cannot expect \(bytes) bytes"
        case .tooManyScenes(let limit):
            "\(limit) \(limit == 1 ? "scene is" : "scenes are") connected, and no more may be"
        case .missedDeadline(let callback): "\(callback) did not return before its deadline"
        case .observerThrew(let error): "the scene's observer threw: \(error.onOneLine)"
        case .crashLoop(let starts):
            "restoring this scene was under way in \(starts) starts that crashed; ask for it explicitly"
        case .store(let error): "the state store: \(error)"
        case .handOffFailed(let error): "the successor did not take the scene: \(error.onOneLine)"
        }
    }
}
