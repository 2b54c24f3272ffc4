internal import MemoryPressure

/// One unit of the server's work with a life of its own: a tenant, a room, a model.
///
/// It is made by ``SceneManager/connect(_:by:expectedBytes:priority:targets:restoration:on:observer:)``. When it is
/// ``SceneState/disconnected`` it stays so; every request is then refused.
public final class ServerScene: Sendable, CustomStringConvertible {
    struct State {
        var machine = SceneMachine()
        /// The manager holds its scenes, and a scene that somebody keeps must not hold it.
        weak var manager: SceneManager?
        var observer: (any SceneObserver)?
        var declaredBytes: Int
        /// Room for it was made.
        var hasRoom = false
        /// Indicates whether the stored state, if any, may be out of date.
        var isUnsaved = false
        /// The state that was encoded and could not be stored.
        var waitingState: SceneStateData?
        /// It was asked for its state and gave none that could be kept: that nothing has changed since does not mean that it
        /// is stored.
        var hasLostChange = false
        /// The stamp of the stored state.
        var stamp: UInt64?
        var missedDeadline = false
        /// The state that it goes to when the process comes back from the state that took the scene down.
        var resumesTo: SceneState?
        /// The limits that its caches had before they were cut, in bytes, by client.
        var limits: [UInt64: Int?] = [:]

        /// Takes a state that was encoded; one that is too long is not kept.
        mutating func take(_ encoded: SceneStateData, maximumBytes: Int) {
            hasLostChange = encoded.bytes.count > maximumBytes
            if !hasLostChange { waitingState = encoded }
        }
    }

    /// The identifier of the scene.
    public let identifier: SceneIdentifier
    /// Its band.
    public let priority: ScenePriority
    /// The targets that it is activated for.
    public let targets: SceneTargets

    let state: Lock<State>
    private let caches: SceneCaches
    let executor: (any TaskExecutor)?
    let age: UInt64
    /// Changes of its state, one at a time.
    let turn = AsyncTurn()
    let callbacks = SerialCalls()
    let storing = SerialCalls()
    let handlers = SerialCalls()

    init(
        _ identifier: SceneIdentifier, priority: ScenePriority, targets: SceneTargets, expectedBytes: Int, age: UInt64,
        observer: any SceneObserver, executor: (any TaskExecutor)?, manager: SceneManager
    ) {
        self.identifier = identifier
        self.priority = priority
        self.targets = targets
        self.age = age
        self.executor = executor
        caches = manager.caches
        state = Lock(State(manager: manager, observer: observer, declaredBytes: expectedBytes))
    }

    /// Its state now.
    public var sceneState: SceneState { state.withLock { $0.machine.state } }

    /// The cost of the scene, in bytes: the bytes that its caches report and those that it declares.
    public var footprintBytes: Int {
        let declared = state.withLock { $0.declaredBytes }
        return declared.addingSaturating(caches.reportedBytes(of: identifier))
    }

    /// Says what it takes outside of its caches now, in place of what it was expected to take. Negative values count as 0.
    public func declare(bytes: Int) {
        state.withLock { $0.declaredBytes = max(0, bytes) }
    }

    /// The bytes that it declares; at first those that it was expected to take.
    public var declaredBytes: Int { state.withLock { $0.declaredBytes } }

    /// Indicates whether its state would be lost with it: the state has changed since it was stored, or could not be stored.
    public var isUnsaved: Bool { state.withLock { $0.isUnsaved } }

    /// Makes it serve. Returns when its observer has been told.
    ///
    /// - Throws: ``SceneRefusal`` where the process does not allow it, the scene is gone, or this is called from inside one of its
    ///   callbacks.
    public func activate() async throws(SceneRefusal) {
        try await manager().request(self, .active)
    }

    /// Makes it stop serving for a while; its state is saved.
    ///
    /// - Throws: ``SceneRefusal``, as ``activate()`` does.
    public func deactivate() async throws(SceneRefusal) {
        try await manager().request(self, .inactive)
    }

    /// Sends it to the background: its state is saved and its caches are cut.
    ///
    /// - Throws: ``SceneRefusal``, as ``activate()`` does.
    public func enterBackground() async throws(SceneRefusal) {
        try await manager().request(self, .background)
    }

    /// Suspends it: its state is saved, its caches are emptied, its background tasks expire.
    ///
    /// - Throws: ``SceneRefusal``, as ``activate()`` does.
    public func suspend() async throws(SceneRefusal) {
        try await manager().request(self, .suspended)
    }

    /// Ends it in order: it resigns, is saved, enters the background and is gone.
    ///
    /// - Parameter discardsState: True to forget its stored state. Otherwise it can be connected again from there, and is among
    ///   the scenes that a later launch restores.
    /// - Throws: ``SceneRefusal``, as ``activate()`` does.
    public func disconnect(discardingState discardsState: Bool = false) async throws(SceneRefusal) {
        try await manager().disconnect(self, discardsState: discardsState)
    }

    /// Its identifier and state.
    public var description: String { "scene '\(identifier)' (\(sceneState))" }

    private func manager() throws(SceneRefusal) -> SceneManager {
        guard let manager = state.withLock({ $0.manager }) else { throw .notConnected }
        return manager
    }

    /// - Parameter canSave: True where states can be stored now.
    func facts(canSave: Bool) -> SceneOrder.Facts {
        let (sceneState, missedDeadline, isUnsaved) = state.withLock {
            ($0.machine.state, $0.missedDeadline, $0.isUnsaved)
        }
        return SceneOrder.Facts(
            identifier: identifier, state: sceneState, priority: priority, footprintBytes: footprintBytes,
            missedDeadline: missedDeadline, isUnsaved: isUnsaved && !canSave, age: age)
    }
}
