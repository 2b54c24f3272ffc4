/// The states of the process: which changes are allowed for which causes, and what has to be done for each. Pure.
struct ProcessMachine: Sendable, Equatable {
    /// One thing to do for a change, in the order in which they are given.
    enum Action: Sendable, Equatable {
        /// The new state holds from here on.
        case commit
        /// Readiness becomes true, or false.
        case setReady(Bool)
        /// Call the observers, and wait for them until the deadline.
        case tell(LifecycleCallback)
        /// Take scenes down to what the new state allows, and wait for them.
        case lowerScenes
        /// Let scenes come up to what the new state allows.
        case raiseScenes
        /// Empty the sensitive caches, before the recorder takes its snapshot.
        case emptySensitive
        /// Tell the caches' side of the new state.
        case noteCaches
        /// Empty the caches and trim the allocator.
        case giveBack
    }

    /// The place of the process among its states.
    private enum Place: Sendable, Equatable {
        /// The state holds, and no change is under way.
        case at(ProcessState)
        /// A change was requested, and is not committed.
        case between(ProcessState, ProcessState)
        /// The process was running and is so no longer: nothing follows.
        case ended
    }

    /// The end of the process, as far as it has begun.
    private enum End: Sendable, Equatable {
        /// The process may come to the foreground, and stay there.
        case isFar
        /// Nothing leads to the foreground. There is no grace period: the start failed, the manager's task was cancelled, or a
        /// request had the shutdown for its cause.
        case hasBegun
        /// Nothing leads to the foreground, and the grace period runs.
        case hasGrace(ProcessEnding)
    }

    /// Indicates whether the process ends instead of suspending.
    let exitsOnSuspend: Bool
    private var place = Place.at(.notRunning)
    private var end = End.isFar
    /// Indicates whether the process takes work. An active process alone does, and none that shuts down.
    private(set) var isReady = false

    init(exitsOnSuspend: Bool = false) {
        self.exitsOnSuspend = exitsOnSuspend
    }

    /// The state that holds. A change that is under way leaves it.
    var state: ProcessState {
        switch place {
        case .at(let state), .between(let state, _): state
        case .ended: .notRunning
        }
    }

    /// The state that the change that is under way leads to.
    var pending: ProcessState? {
        if case .between(_, let target) = place { target } else { nil }
    }

    /// The process was running and is so no longer: nothing follows.
    var hasEnded: Bool { place == .ended }

    /// Shutdown has begun: from here on nothing leads to the foreground.
    var isShuttingDown: Bool { end != .isFar }

    /// Nil until an end with a grace period begins.
    var ending: ProcessEnding? {
        if case .hasGrace(let ending) = end { ending } else { nil }
    }

    /// The causes for which a change is allowed; empty where it is not allowed at all.
    static func causes(_ from: ProcessState, _ to: ProcessState) -> [LifecycleCause] {
        switch (from, to) {
        case (.notRunning, .inactive), (.notRunning, .background): [.launch]
        case (.inactive, .active): [.launch, .operator, .resume]
        case (.active, .inactive): [.shutdown, .operator, .pressure]
        case (.inactive, .background): [.shutdown, .operator, .idle, .pressure]
        case (.background, .inactive), (.suspended, .background): [.operator, .resume]
        case (.background, .suspended): [.operator, .idle, .pressure, .expiration]
        // A launch that failed ends where it stands; so does a process that ends instead of suspending.
        case (.inactive, .notRunning): [.launch, .shutdown, .operator, .pressure]
        case (.background, .notRunning): [.launch, .shutdown, .operator, .idle, .pressure, .expiration]
        case (.suspended, .notRunning): [.shutdown, .pressure]
        default: []
        }
    }

    /// Returns whether the process, asked for `target`, ends instead of getting there.
    ///
    /// - Throws: ``LifecycleRefusal`` where `cause` could not lead there either.
    func leaves(for target: ProcessState, cause: LifecycleCause) throws(LifecycleRefusal) -> Bool {
        guard exitsOnSuspend, !isShuttingDown, target == .background || target == .suspended else { return false }
        guard state == .active || state == .inactive || state == .background, let next = path(to: target).first else {
            return false
        }
        guard Self.causes(state, next).contains(cause) else { throw .cause(state, next, cause) }
        return true
    }

    /// From here on nothing leads to the foreground. A change that has begun is still completed.
    mutating func beginShutdown() {
        isReady = false
        if case .isFar = end { end = .hasBegun }
    }

    /// Begins an end with its grace period, as ``beginShutdown()`` does. Only the first is.
    ///
    /// - Returns: The end that has begun earlier; nil where this one begins.
    mutating func begin(_ ending: ProcessEnding) -> ProcessEnding? {
        beginShutdown()
        if let earlier = self.ending { return earlier }
        end = .hasGrace(ending)
        return nil
    }

    /// Makes the process ready, or not. One that is not active, or shuts down, does not become ready.
    ///
    /// - Returns: The readiness from here on.
    mutating func setReady(_ isReady: Bool) -> Bool {
        self.isReady = isReady && state == .active && !isShuttingDown
        return self.isReady
    }

    /// Begins one change; it holds once `commit` was called.
    mutating func request(to target: ProcessState, cause: LifecycleCause) throws(LifecycleRefusal) -> [Action] {
        let state: ProcessState
        switch place {
        case .at(let present): state = present
        case .between: throw .changeUnderWay
        case .ended: throw .ended
        }
        let causes = Self.causes(state, target)
        guard !causes.isEmpty else { throw .transition(state, target) }
        guard causes.contains(cause) else { throw .cause(state, target, cause) }
        let isForeground = target == .active || (state == .background && target == .inactive)
        guard !(isShuttingDown && isForeground) else { throw .shuttingDown }
        if cause == .shutdown { beginShutdown() }
        place = .between(state, target)
        return Self.actions(state, target, cause)
    }

    /// Completes the change that was begun. Does nothing where none was.
    mutating func commit() {
        guard let pending else { return }
        place = pending == .notRunning ? .ended : .at(pending)
        if pending != .active { isReady = false }
    }

    /// The changes that lead to `target`, one after another; empty where it is there already.
    ///
    /// On the way up and down no state is left out; only a suspended process ends at once.
    func path(to target: ProcessState) -> [ProcessState] {
        guard state != target else { return [] }
        return switch (state, target) {
        case (.suspended, .inactive): [.background, .inactive]
        case (.suspended, .active): [.background, .inactive, .active]
        case (.background, .active), (.notRunning, .active): [.inactive, .active]
        case (.inactive, .suspended), (.notRunning, .suspended): [.background, .suspended]
        case (.active, .background): [.inactive, .background]
        case (.active, .suspended): [.inactive, .background, .suspended]
        case (.active, .notRunning): [.inactive, .background, .notRunning]
        default: [target]
        }
    }

    private static func actions(_ from: ProcessState, _ to: ProcessState, _ cause: LifecycleCause) -> [Action] {
        switch (from, to) {
        case (.notRunning, _): [.tell(.willFinishLaunching), .commit, .raiseScenes]
        case (_, .active): [.commit, .setReady(true), .tell(.didBecomeActive), .raiseScenes, .noteCaches]
        case (.active, _): [.setReady(false), .lowerScenes, .tell(.willResignActive), .commit]
        case (.inactive, .background):
            [.lowerScenes, .commit, .emptySensitive, .tell(.didEnterBackground), .noteCaches]
        case (.background, .inactive): [.tell(.willEnterForeground), .commit, .raiseScenes, .noteCaches]
        case (.background, .suspended): [.lowerScenes, .commit, .giveBack]
        case (.suspended, .background): [.commit, .raiseScenes]
        case (.background, .notRunning): [.lowerScenes, .tell(.willTerminate), .commit]
        case (.inactive, .notRunning) where cause != .launch: [.lowerScenes, .tell(.willTerminate), .commit]
        default: [.lowerScenes, .commit]
        }
    }
}
