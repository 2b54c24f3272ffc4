import MemoryPressure

@testable import Jetsam

/// An observer that writes down its calls and can be told what to do in them.
final class SceneRecord: SceneObserver {
    struct State {
        var calls: [String] = []
        var running = 0
        var overlapped = false
        var restored: SceneStateData?
        var encodes: [SceneStateData?] = []
        var transitions: [SceneTransition] = []
    }

    struct Failure: Error {}

    let state = Lock(State())
    /// Called in each callback, with its name.
    let during: @Sendable (String, ServerScene) async throws -> Void
    let counter: Lock<UInt32>
    let hasState: Bool

    init(hasState: Bool = true, _ during: @escaping @Sendable (String, ServerScene) async throws -> Void = { _, _ in })
    {
        self.hasState = hasState
        self.during = during
        counter = Lock(0)
    }

    var warnings: Int { calls.filter { $0 == "didReceiveMemoryWarning" }.count }
    var calls: [String] { state.withLock { $0.calls } }
    var restored: SceneStateData? { state.withLock { $0.restored } }
    var overlapped: Bool { state.withLock { $0.overlapped } }
    var transitions: [SceneTransition] { state.withLock { $0.transitions } }

    func collectCalls() -> [String] {
        state.withLock { state in
            defer { state.calls = [] }
            return state.calls
        }
    }

    private func call(_ name: String, _ scene: ServerScene, _ transition: SceneTransition? = nil) async throws {
        state.withLock { state in
            state.calls.append(name)
            if let transition { state.transitions.append(transition) }
            state.running += 1
            if state.running > 1 { state.overlapped = true }
        }
        defer { state.withLock { $0.running -= 1 } }
        try await during(name, scene)
    }

    func willConnect(_ scene: ServerScene, restoring data: SceneStateData?) async throws {
        state.withLock { $0.restored = data }
        try await call("willConnect", scene)
    }
    func didBecomeActive(_ scene: ServerScene, _ transition: SceneTransition) async {
        try? await call("didBecomeActive", scene, transition)
    }
    func willResignActive(_ scene: ServerScene, _ transition: SceneTransition) async {
        try? await call("willResignActive", scene, transition)
    }
    func didEnterBackground(_ scene: ServerScene, _ transition: SceneTransition) async {
        try? await call("didEnterBackground", scene, transition)
    }
    func willEnterForeground(_ scene: ServerScene, _ transition: SceneTransition) async {
        try? await call("willEnterForeground", scene, transition)
    }
    func willTerminate(_ scene: ServerScene, _ transition: SceneTransition) async {
        try? await call("willTerminate", scene, transition)
    }
    func didDisconnect(_ scene: ServerScene, _ transition: SceneTransition) async {
        try? await call("didDisconnect", scene, transition)
    }
    func didReceiveMemoryWarning(_ scene: ServerScene, _ change: LevelChange) async {
        try? await call("didReceiveMemoryWarning", scene)
    }
    func encodeState(of scene: ServerScene) async throws -> SceneStateData? {
        try await call("encodeState", scene)
        guard hasState else { return nil }
        let number = counter.withLock { counter in
            counter += 1
            return counter
        }
        return SceneStateData(version: number, bytes: Array("\(scene.identifier) \(number)".utf8))
    }
}
