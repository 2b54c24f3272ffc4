import MemoryPressure

@testable import Jetsam

/// A store in memory that can be told to fail.
final class MemoryStore: SceneStateStore {
    struct State {
        var states: [SceneIdentifier: (StoredScene, SceneStateData)] = [:]
        var marks: [SceneIdentifier: Int] = [:]
        var failure: SceneStateStoreError?
        var loadFailure: SceneStateStoreError?
        var saves = 0
    }

    let state = Lock(State())
    /// Where each end of a restoration is seen.
    let restorationEnds = Gate()
    let beforeSave: @Sendable () async -> Void
    /// Called when a mark was written, before that is answered.
    let afterMark: @Sendable () async -> Void

    init(
        beforeSave: @escaping @Sendable () async -> Void = {}, afterMark: @escaping @Sendable () async -> Void = {}
    ) {
        self.afterMark = afterMark
        self.beforeSave = beforeSave
    }

    func fail(with error: SceneStateStoreError?) {
        state.withLock { $0.failure = error }
    }

    subscript(identifier: SceneIdentifier) -> SceneStateData? {
        state.withLock { $0.states[identifier]?.1 }
    }

    func marks(_ identifier: SceneIdentifier) -> Int { state.withLock { $0.marks[identifier] ?? 0 } }

    /// As if the scene had been stored by an earlier run.
    func put(
        _ identifier: SceneIdentifier, priority: ResourcePriority = .normal, expectedBytes: Int = 0, marks: Int = 0,
        bytes: [UInt8] = [1, 2, 3]
    ) {
        state.withLock { state in
            let scene = StoredScene(
                identifier: identifier, priority: priority, expectedBytes: expectedBytes, stamp: 7)
            state.states[identifier] = (scene, SceneStateData(version: 1, bytes: bytes))
            if marks > 0 { state.marks[identifier] = marks }
        }
    }

    private func check() throws(SceneStateStoreError) {
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }

    func save(_ scene: StoredScene, _ data: SceneStateData) async throws(SceneStateStoreError) {
        await beforeSave()
        try check()
        state.withLock { state in
            state.states[scene.identifier] = (scene, data)
            state.saves += 1
        }
    }

    func load(_ scene: SceneIdentifier) async throws(SceneStateStoreError) -> (StoredScene, SceneStateData)? {
        if let failure = state.withLock({ $0.loadFailure }) { throw failure }
        return state.withLock { $0.states[scene] }
    }

    func remove(_ scene: SceneIdentifier, stamp: UInt64?) async throws(SceneStateStoreError) {
        try check()
        state.withLock { state in
            guard stamp == nil || state.states[scene]?.0.stamp == stamp else { return }
            state.states[scene] = nil
            state.marks[scene] = nil
        }
    }

    func list(limit: Int) async throws(SceneStateStoreError) -> [StoredScene] {
        if let failure = state.withLock({ $0.loadFailure }) { throw failure }
        return state.withLock { $0.states.values.map(\.0) }
    }

    func beginRestoration(of scene: SceneIdentifier) async throws(SceneStateStoreError) -> Int {
        try check()
        let before = state.withLock { state in
            defer { state.marks[scene, default: 0] += 1 }
            return state.marks[scene] ?? 0
        }
        await afterMark()
        return before
    }

    func unfinishedRestorations(of scene: SceneIdentifier) async throws(SceneStateStoreError) -> Int {
        marks(scene)
    }

    func endRestoration(of scene: SceneIdentifier) async throws(SceneStateStoreError) {
        state.withLock { $0.marks[scene] = nil }
        restorationEnds.arrive()
    }
}
