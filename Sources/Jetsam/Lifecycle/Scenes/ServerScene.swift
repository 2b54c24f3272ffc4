internal import MemoryPressure

/// One unit of the server's work with a life of its own: a tenant, a room, a model.
///
/// It is made by ``SceneManager/connect(_:by:expectedBytes:priority:targets:restoration:on:observer:)``. When it is
/// ``SceneState/disconnected`` it stays so; every request is then refused.
public final class ServerScene: Sendable, CustomStringConvertible {
    private struct State {
        /// The manager holds its scenes, and a scene that somebody keeps must not hold it.
        weak var manager: SceneManager?
        var machine = SceneMachine()
        var observer: (any SceneObserver)?
        var declaredBytes: Int
        /// Room for it was made.
        var hasRoom = false
        /// The state that it goes to when the process comes back from the state that took the scene down.
        var resumesTo: SceneState?
    }

    /// The identifier of the scene.
    public let identifier: SceneIdentifier
    /// Its priority.
    public let priority: ResourcePriority
    /// The targets that it is activated for.
    public let targets: SceneTargets

    let parts: SceneParts
    /// Changes of its state, one at a time.
    let turn = AsyncTurn()
    let calls: SceneCalls
    let saving: SceneSaving
    let belongings: SceneBelongings
    private let age: UInt64
    private let state: Lock<State>

    init(_ connection: SceneConnection, age: UInt64, parts: SceneParts, manager: SceneManager) {
        identifier = connection.identifier
        priority = connection.priority
        targets = connection.targets
        self.age = age
        self.parts = parts
        calls = SceneCalls(identifier, on: connection.executor, parts: parts)
        belongings = SceneBelongings(identifier, parts: parts, calls: calls)
        saving = SceneSaving(identifier, priority: priority, parts: parts, calls: calls) { [weak manager] in
            guard let manager else { return }
            Task { await manager.catchUp() }
        }
        state = Lock(State(manager: manager, observer: connection.observer, declaredBytes: connection.expectedBytes))
    }

    /// Nil where it is gone.
    var manager: SceneManager? { state.withLock { $0.manager } }

    /// Its state now.
    public var sceneState: SceneState { state.withLock { $0.machine.state } }

    /// The cost of the scene, in bytes: the bytes that its caches report and those that it declares.
    public var footprintBytes: Int {
        declaredBytes.addingSaturating(belongings.reportedBytes)
    }

    /// Says what it takes outside of its caches now, in place of what it was expected to take. Negative values count as 0.
    public func declare(bytes: Int) {
        state.withLock { $0.declaredBytes = max(0, bytes) }
    }

    /// The bytes that it declares; at first those that it was expected to take.
    public var declaredBytes: Int { state.withLock { $0.declaredBytes } }

    /// Indicates whether its state would be lost with it: the state has changed since it was stored, or could not be stored.
    public var isUnsaved: Bool { saving.isUnsaved }

    /// Makes it serve. Returns when its observer has been called.
    ///
    /// - Throws: ``SceneRefusal`` where the process does not allow it, the scene is gone, or this is called from inside one of its
    ///   callbacks.
    public func activate() async throws(SceneRefusal) {
        try await request(.active)
    }

    /// Makes it stop serving for a while; its state is saved.
    ///
    /// - Throws: ``SceneRefusal``, as ``activate()`` does.
    public func deactivate() async throws(SceneRefusal) {
        try await request(.inactive)
    }

    /// Sends it to the background: its state is saved and its caches are cut.
    ///
    /// - Throws: ``SceneRefusal``, as ``activate()`` does.
    public func enterBackground() async throws(SceneRefusal) {
        try await request(.background)
    }

    /// Suspends it: its state is saved, its caches are emptied, its background tasks expire.
    ///
    /// - Throws: ``SceneRefusal``, as ``activate()`` does.
    public func suspend() async throws(SceneRefusal) {
        try await request(.suspended)
    }

    /// Ends it in order: it resigns, is saved, enters the background and is gone.
    ///
    /// - Parameter discardsState: True to forget its stored state. Otherwise it can be connected again from there, and is among
    ///   the scenes that a later launch restores.
    /// - Throws: ``SceneRefusal``, as ``activate()`` does.
    public func disconnect(discardingState discardsState: Bool = false) async throws(SceneRefusal) {
        _ = try reachableManager()
        try refuseInside()
        await turn.acquire()
        defer { turn.release() }
        try await move(to: .disconnected, cause: .client)
        // By its stamp: what a new scene of this name has stored meanwhile is not its own.
        if discardsState { await saving.forget(ifStampIs: saving.stamp) }
    }

    /// Its identifier and state.
    public var description: String { "scene '\(identifier)' (\(sceneState))" }

    private func reachableManager() throws(SceneRefusal) -> SceneManager {
        guard let manager else { throw .notConnected }
        return manager
    }

    /// Brings the scene to a state that a client asks for: refused where the process does not allow it now.
    private func request(_ target: SceneState) async throws(SceneRefusal) {
        let manager = try reachableManager()
        try refuseInside()
        await turn.acquire()
        defer { turn.release() }
        if let refusal = manager.ceiling.refusal(of: target) { throw refusal }
        resumesTo = nil
        try await move(to: target, cause: .client)
    }

    /// Refuses what would wait for the callback that asks for it.
    func refuseInside() throws(SceneRefusal) {
        if CallbackToken.isInside(self) { throw .insideCallback }
    }
}

/// What changes of the scene do to its state. Who calls these has the scene's turn.
extension ServerScene {
    /// Nil where it is gone.
    var observer: (any SceneObserver)? { state.withLock { $0.observer } }

    /// Lets the observer of a scene that is gone go: the application may keep the scene itself for long.
    func releaseObserver() {
        let observer = state.withLock { state in
            defer { state.observer = nil }
            return state.observer
        }
        _ = observer
        saving.forgetWaiting()
    }

    /// Its state, and the changes from it to `target`; nil where none lead there.
    func path(to target: SceneState) -> (from: SceneState, path: [SceneState]?) {
        state.withLock { ($0.machine.state, $0.machine.path(to: target)) }
    }

    /// Begins a change.
    ///
    /// - Returns: The state that it leaves, and what is to be done for the change, in order.
    func begin(_ target: SceneState, cause: SceneCause) throws(SceneRefusal) -> (SceneState, [SceneMachine.Action]) {
        try state.withLock { state throws(SceneRefusal) in
            (state.machine.state, try state.machine.begin(target, cause: cause))
        }
    }

    /// Completes the change that was begun.
    func commit() -> (left: SceneState, entered: SceneState) {
        state.withLock { ($0.machine.commit(), $0.machine.state) }
    }

    /// It could not be connected: it is disconnected from here on, and nobody was told.
    func giveUp() {
        state.withLock { state in
            state.machine.abandon()
            if (try? state.machine.begin(.disconnected, cause: .system)) != nil { _ = state.machine.commit() }
        }
    }

    /// The state that it goes to when the process comes back.
    var resumesTo: SceneState? {
        get { state.withLock { $0.resumesTo } }
        set { state.withLock { $0.resumesTo = newValue } }
    }

    /// Notes that the process takes it down from a state. It resumes to the highest from which it was taken.
    func resume(to state: SceneState) {
        self.state.withLock { $0.resumesTo = $0.resumesTo ?? state }
    }

    /// Returns the state that it comes up to now that the process allows `ceiling`; nil where it stays. What it still has to
    /// come up to after that is kept.
    func takeResumption(under ceiling: SceneState) -> SceneState? {
        state.withLock { state in
            guard let resumesTo = state.resumesTo, let own = SceneOrder.rank(state.machine.state),
                let wanted = SceneOrder.rank(resumesTo)
            else { return nil }
            let reach = min(wanted, SceneOrder.rank(ceiling) ?? 0)
            if reach == wanted { state.resumesTo = nil }
            return own < reach ? SceneState.allCases.first { SceneOrder.rank($0) == reach } : nil
        }
    }

    /// Notes that room for it was made.
    func noteRoom() {
        state.withLock { $0.hasRoom = true }
    }

    /// The bytes that it is expected to take, where room was made for them and it has not taken them yet.
    var awaitedBytes: Int {
        state.withLock { $0.hasRoom && $0.machine.state == .unattached ? $0.declaredBytes : 0 }
    }

    /// - Parameter canSave: True where states can be stored now.
    func facts(canSave: Bool) -> SceneOrder.Facts {
        SceneOrder.Facts(
            identifier: identifier, state: sceneState, priority: priority, footprintBytes: footprintBytes,
            missedDeadline: calls.missedDeadline, isUnsaved: isUnsaved && !canSave, age: age)
    }
}
