/// The states of one scene: which changes are allowed, and what has to be done for each. Pure.
struct SceneMachine: Sendable {
    /// One thing to do for a change, in the order in which they are given.
    enum Action: Sendable, Equatable {
        /// Call the observer.
        case tell(SceneCallback)
        /// The new state holds from here on.
        case commit
        /// From here on what is stored may be out of date.
        case noteUnsaved
        /// Ask for the state and store it.
        case save
        /// Have its caches give a part and grow no further, and empty those that are sensitive.
        case cutCaches
        /// Give its caches their limits back.
        case restoreLimits
        /// Empty its caches.
        case emptyCaches
        /// Expire the background tasks that it holds.
        case expireBackgroundTasks
        /// End its registrations and background tasks.
        case endBelongings
    }

    private(set) var state = SceneState.unattached
    /// Set from `begin` until the change is committed or given up.
    private(set) var pending: SceneState?

    static func allows(_ from: SceneState, _ to: SceneState) -> Bool {
        switch (from, to) {
        case (.unattached, .inactive), (.unattached, .background), (.unattached, .disconnected): true
        case (.inactive, .active), (.active, .inactive), (.inactive, .background): true
        case (.background, .inactive), (.background, .suspended), (.suspended, .background): true
        case (.inactive, .disconnected), (.background, .disconnected), (.suspended, .disconnected): true
        default: false
        }
    }

    /// The changes that lead to `target`, one after another; empty where it is there already, nil where none do.
    ///
    /// A scene that ends goes through the background first, so that it is told and saved; a suspended one ends at once.
    func path(to target: SceneState) -> [SceneState]? {
        guard state != target else { return [] }
        return switch (state, target) {
        case (.disconnected, _), (_, .unattached): nil
        case (.unattached, .active): [.inactive, .active]
        case (.unattached, .suspended): [.background, .suspended]
        case (.unattached, _): [target]
        case (.suspended, .inactive): [.background, .inactive]
        case (.suspended, .active): [.background, .inactive, .active]
        case (.suspended, _): [target]
        case (.background, .active): [.inactive, .active]
        case (.background, _): [target]
        case (.inactive, .suspended): [.background, .suspended]
        case (.inactive, .disconnected): [.background, .disconnected]
        case (.inactive, _): [target]
        case (.active, .inactive): [.inactive]
        case (.active, .background): [.inactive, .background]
        case (.active, .suspended): [.inactive, .background, .suspended]
        case (.active, _): [.inactive, .background, .disconnected]
        }
    }

    /// Begins one change. It holds once `commit` was called; until then `abandon` gives it up.
    mutating func begin(_ target: SceneState, cause: SceneCause) throws(SceneRefusal) -> [Action] {
        guard pending == nil, Self.allows(state, target) else { throw .transition(from: state, to: target) }
        pending = target
        return Self.actions(state, target, cause)
    }

    private static func actions(_ from: SceneState, _ to: SceneState, _ cause: SceneCause) -> [Action] {
        switch (from, to) {
        case (.unattached, .disconnected): [.commit, .endBelongings]
        case (.unattached, _): [.tell(.willConnect), .commit]
        case (_, .active): [.commit, .noteUnsaved, .tell(.didBecomeActive)]
        case (.active, _): [.tell(.willResignActive), .commit, .save]
        case (.inactive, .background): [.commit, .tell(.didEnterBackground), .save, .cutCaches]
        case (.background, .inactive): [.tell(.willEnterForeground), .restoreLimits, .commit]
        case (.suspended, .background): [.commit]
        case (_, .suspended): [.save, .commit, .expireBackgroundTasks, .emptyCaches]
        case (.suspended, _): [.commit, .endBelongings, .tell(.didDisconnect)]
        default: ending(cause)
        }
    }

    /// Returns the actions that end a scene. A scene that a client ended or that was handed over is told when that is over; one
    /// that is taken away is told before.
    private static func ending(_ cause: SceneCause) -> [Action] {
        let isWanted = cause == .client || cause == .handOver
        return isWanted
            ? [.commit, .emptyCaches, .endBelongings, .tell(.didDisconnect)]
            : [.tell(.willTerminate), .commit, .emptyCaches, .endBelongings]
    }

    /// Completes the change that was begun, and gives the state that was left. Does nothing where none was.
    mutating func commit() -> SceneState {
        let left = state
        if let pending { state = pending }
        pending = nil
        return left
    }

    mutating func abandon() {
        pending = nil
    }
}
