internal import MemoryPressure

/// One unit of the server's work with a life of its own: a tenant, a room, a model.
///
/// It is made by ``SceneManager/connect(_:by:expectedBytes:priority:targets:restoration:on:observer:)``. When it is
/// ``SceneState/disconnected`` it stays so; every request is then refused.
public final class ServerScene: Sendable, CustomStringConvertible {
    private struct State {
        var machine = SceneMachine()
        /// The manager holds its scenes, and a scene that somebody keeps must not hold it.
        weak var manager: SceneManager?
        var observer: (any SceneObserver)?
        var declaredBytes: Int
        /// Room for it was made.
        var hasRoom = false
        var saved = SavedState()
        var missedDeadline = false
        /// The state that it goes to when the process comes back from the state that took the scene down.
        var resumesTo: SceneState?
        /// The limits that its caches had before they were cut, by client.
        var limits: [UInt64: LoweredLimit] = [:]
    }

    /// The identifier of the scene.
    public let identifier: SceneIdentifier
    /// Its priority.
    public let priority: ResourcePriority
    /// The targets that it is activated for.
    public let targets: SceneTargets

    private let state: Lock<State>
    private let caches: SceneCaches
    let executor: (any TaskExecutor)?
    let age: UInt64
    /// Changes of its state, one at a time.
    let turn = AsyncTurn()
    let callbacks = SerialCalls()
    let storing = SerialCalls()
    let handlers = SerialCalls()

    init(
        _ identifier: SceneIdentifier, priority: ResourcePriority, targets: SceneTargets, expectedBytes: Int,
        age: UInt64,
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
    public var isUnsaved: Bool { state.withLock { $0.saved.isUnsaved } }

    /// Makes it serve. Returns when its observer has been called.
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
}

/// What the manager does with it. The order of these calls is the manager's: it has the scene's turn.
extension ServerScene {
    /// Nil where it is gone.
    var observer: (any SceneObserver)? { state.withLock { $0.observer } }

    /// Lets the observer of a scene that is gone go: the application may keep the scene itself for long.
    func releaseObserver() {
        let observer = state.withLock { state in
            defer {
                state.observer = nil
                state.saved.forgetWaiting()
            }
            return state.observer
        }
        _ = observer
    }

    /// Its state, and the changes from it to `target`; nil where none lead there.
    func path(to target: SceneState) -> (from: SceneState, path: [SceneState]?) {
        state.withLock { ($0.machine.state, $0.machine.path(to: target)) }
    }

    /// Begins a change.
    ///
    /// - Returns: The state that it leaves, and what is to be done for the change, in order.
    func begin(_ target: SceneState, cause: SceneCause) throws(SceneRefusal) -> (SceneState, [SceneMachine.Action]) {
        let begun = state.withLock { state -> Result<(SceneState, [SceneMachine.Action]), SceneRefusal> in
            let from = state.machine.state
            return Result { () throws(SceneRefusal) in (from, try state.machine.begin(target, cause: cause)) }
        }
        return try begun.get()
    }

    /// Completes the change that was begun.
    func commit() -> (left: SceneState, entered: SceneState) {
        state.withLock { ($0.machine.commit(), $0.machine.state) }
    }

    /// It could not be connected: it is disconnected from here on, and nobody was told.
    func abandon() {
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

    /// The process takes it down from a state. It resumes to the highest from which it was taken.
    func resume(to state: SceneState) {
        self.state.withLock { $0.resumesTo = $0.resumesTo ?? state }
    }

    /// Room for it was made.
    func noteRoom() {
        state.withLock { $0.hasRoom = true }
    }

    /// The bytes that it is expected to take, where room was made for them and it has not taken them yet.
    var awaitedBytes: Int {
        state.withLock { $0.hasRoom && $0.machine.state == .unattached ? $0.declaredBytes : 0 }
    }

    /// The limits that its caches had before they were cut, by client.
    var limitsBeforeCut: [UInt64: LoweredLimit] {
        get { state.withLock { $0.limits } }
        set { state.withLock { $0.limits = newValue } }
    }

    func noteMissedDeadline() {
        state.withLock { $0.missedDeadline = true }
    }

    /// What is known of its stored state.
    var saved: SavedState { state.withLock { $0.saved } }

    func changeSaved(_ change: (inout SavedState) -> Void) {
        state.withLock { change(&$0.saved) }
    }

    /// - Parameter canSave: True where states can be stored now.
    func facts(canSave: Bool) -> SceneOrder.Facts {
        let (sceneState, missedDeadline, isUnsaved) = state.withLock {
            ($0.machine.state, $0.missedDeadline, $0.saved.isUnsaved)
        }
        return SceneOrder.Facts(
            identifier: identifier, state: sceneState, priority: priority, footprintBytes: footprintBytes,
            missedDeadline: missedDeadline, isUnsaved: isUnsaved && !canSave, age: age)
    }
}

/// What is known of a scene's stored state.
struct SavedState {
    /// Indicates whether the stored state, if any, may be out of date.
    private(set) var isUnsaved = false
    /// The state that was encoded and could not be stored.
    private(set) var waiting: SceneStateData?
    /// The stamp of the stored state.
    private(set) var stamp: UInt64?
    /// It was asked for its state and gave none that could be kept: that nothing has changed since does not mean that it is
    /// stored.
    private var hasLostChange = false

    /// It may change from here on.
    mutating func mayChange(hasStore: Bool) {
        isUnsaved = hasStore
    }

    /// It was encoded. A state that is too long is not kept.
    mutating func wasEncoded(_ data: SceneStateData, maximumBytes: Int) {
        hasLostChange = data.bytes.count > maximumBytes
        if !hasLostChange { waiting = data }
    }

    mutating func wasNotEncoded() {
        hasLostChange = true
    }

    /// Nothing has changed since it was asked for last; what it gave then may be missing all the same.
    mutating func isUnchanged() {
        isUnsaved = hasLostChange
    }

    /// Keeps a state until somebody has it.
    mutating func keep(_ data: SceneStateData?) {
        waiting = data
    }

    mutating func willBeStored(_ data: SceneStateData) {
        waiting = data
        isUnsaved = true
    }

    mutating func wasNotStored() {
        isUnsaved = true
    }

    /// A state that was written late may have been overtaken by one that waits: it counts for nothing then.
    mutating func wasStored(_ data: SceneStateData, stamp: UInt64) {
        guard waiting == data else { return }
        waiting = nil
        isUnsaved = hasLostChange
        self.stamp = stamp
    }

    /// It was read from the store.
    mutating func wasRead(stamp: UInt64) {
        self.stamp = stamp
    }

    mutating func forgetWaiting() {
        waiting = nil
    }
}
