/// The orders in which scenes are lost, restored, and chosen for a target. Pure.
enum SceneOrder {
    /// The facts that the orders use of one scene.
    struct Facts: Sendable, Equatable {
        var identifier: SceneIdentifier
        var state: SceneState
        var priority: ResourcePriority
        /// Bytes of its caches and what it declares.
        var footprintBytes: Int
        /// It missed a transition's deadline.
        var missedDeadline = false
        /// Its state would be lost with it, because it cannot be stored now.
        var isUnsaved = false
        /// The order in which it connected; earlier ones are lower.
        var age: UInt64 = 0
    }

    /// Returns the distance of a state from being lost; nil where a scene is not there to be lost.
    static func rank(_ state: SceneState) -> Int? {
        switch state {
        case .suspended: 0
        case .background: 1
        case .inactive: 2
        case .active: 3
        case .unattached, .disconnected: nil
        }
    }

    /// The order of loss, first lost first; without what is not there to be lost.
    static func byLoss(_ scenes: [Facts]) -> [Facts] {
        scenes.filter { rank($0.state) != nil }.sorted(by: isLost)
    }

    /// The one that is lost first; nil where none is there to be lost.
    static func firstLost(_ scenes: [Facts]) -> Facts? {
        scenes.lazy.filter { rank($0.state) != nil }.min(by: isLost)
    }

    /// Returns whether `first` is lost before `second`. Scenes that cannot be saved come last. Otherwise the order is by state;
    /// within a state by priority; within a priority those that missed a deadline first, then the largest.
    private static func isLost(_ first: Facts, before second: Facts) -> Bool {
        if first.isUnsaved != second.isUnsaved { return second.isUnsaved }
        if first.state != second.state { return (rank(first.state) ?? 0) < (rank(second.state) ?? 0) }
        if first.priority != second.priority { return first.priority < second.priority }
        if first.missedDeadline != second.missedDeadline { return first.missedDeadline }
        if first.footprintBytes != second.footprintBytes { return first.footprintBytes > second.footprintBytes }
        return (first.age, first.identifier) < (second.age, second.identifier)
    }

    /// Returns whether `scene` ranks lower than a newcomer that is to be in `state` with `priority`.
    static func ranks(_ scene: Facts, below state: SceneState, _ priority: ResourcePriority) -> Bool {
        guard let own = rank(scene.state), let other = rank(state), !scene.isUnsaved else { return false }
        return own != other ? own < other : scene.priority < priority
    }

    /// The order of restoration: by priority, then the smallest first, so that as many as possible are there early.
    static func byRestoration(_ scenes: [StoredScene]) -> [StoredScene] {
        scenes.sorted { first, second in
            if first.priority != second.priority { return first.priority > second.priority }
            if first.expectedBytes != second.expectedBytes { return first.expectedBytes < second.expectedBytes }
            return first.identifier < second.identifier
        }
    }

    /// Returns the scene to activate for a target: the one that prefers it, else one that names it, else one that takes any.
    /// Between equals it is the higher priority, then the one that is nearest to active. Nil where none takes it.
    static func match(_ target: String, _ scenes: [(facts: Facts, targets: SceneTargets)]) -> SceneIdentifier? {
        let candidates = scenes.compactMap { scene -> (fit: Int, facts: Facts)? in
            guard let fit = scene.targets.fit(target), rank(scene.facts.state) != nil else { return nil }
            return (fit, scene.facts)
        }
        return candidates.max { first, second in
            first.fit != second.fit ? first.fit < second.fit : isActivated(second.facts, before: first.facts)
        }?.facts.identifier
    }

    /// Returns whether `first` is activated before `second`, where nothing else decides.
    static func isActivated(_ first: Facts, before second: Facts) -> Bool {
        if first.priority != second.priority { return first.priority > second.priority }
        if first.state != second.state { return (rank(first.state) ?? -1) > (rank(second.state) ?? -1) }
        return (first.age, first.identifier) < (second.age, second.identifier)
    }
}
