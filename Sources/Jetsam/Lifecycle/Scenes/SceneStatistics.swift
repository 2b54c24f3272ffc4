internal import MemoryPressure
internal import Synchronization

/// The figures of all scenes since the manager was made.
public struct SceneStatistics: Sendable, Equatable {
    /// Connected scenes by state.
    public var connected: [SceneState: Int] = [:]
    /// The cost of all connected scenes together, in bytes.
    public var footprintBytes = 0
    /// Connected scenes whose state is not stored as it is.
    public var unsaved = 0
    /// States that were stored.
    public var saves = 0
    /// States that could not be encoded or stored.
    public var failedSaves = 0
    /// Scenes that connected with a stored state.
    public var restores = 0
    /// Restorations that failed.
    public var failedRestores = 0
    /// Scenes that were not restored because earlier attempts crashed.
    public var skippedRestores = 0
    /// Connections that were refused.
    public var refused = 0
    /// Scenes that were disconnected because memory was short.
    public var lost = 0
    /// Scenes that a successor took over.
    public var handedOver = 0
    /// Callbacks that missed their deadline.
    public var missedDeadlines = 0
    /// The last sixteen of those.
    public var lateCallbacks: [LateSceneCallback] = []
    /// Indicates whether states can be stored now, as far as is known.
    public var isStoreAvailable = true

    mutating func note(_ late: LateSceneCallback) {
        missedDeadlines += 1
        if lateCallbacks.count == 16 { lateCallbacks.removeFirst() }
        lateCallbacks.append(late)
    }
}

/// A scene's callback that did not return in time.
public struct LateSceneCallback: Sendable, Equatable {
    /// The scene.
    public var scene: SceneIdentifier
    /// The callback's name, such as `willResignActive`.
    public var callback: String
}

/// A scene that was disconnected because memory was short.
public struct SceneLoss: Sendable, Equatable, CustomStringConvertible {
    /// The scene.
    public var scene: SceneIdentifier
    /// The state that it was in.
    public var state: SceneState
    /// Its priority.
    public var priority: ResourcePriority
    /// The cost of the scene, by its caches and by what it declared, in bytes.
    public var footprintBytes: Int
    /// Indicates whether it was given all its notices within the deadline.
    public var wasInTime: Bool
    /// Indicates whether its state was lost with it.
    public var lostState: Bool
    /// The time that its notices took.
    public var duration: Duration

    /// One line for a log.
    public var description: String {
        "'\(scene)' (\(state), \(priority), \(ByteCount(footprintBytes)))\(lostState ? ", its state with it" : "")"
    }
}

/// The figures of scenes for those who decide: reading one takes no lock and no walk.
final class SceneGauges: Sendable {
    private let candidates = Atomic<Int>(0)
    /// The time that storing one state took, in nanoseconds: a moving average. 0 before the first.
    private let storingTime = Atomic<Int64>(0)
    /// Indicates whether states are stored at all.
    private let isStored: Bool

    init(isStored: Bool = false) {
        self.isStored = isStored
    }

    /// The number of scenes that can be lost: connected, and not gone.
    var candidateCount: Int { candidates.load(ordering: .relaxed) }

    func noteCandidates(_ change: Int) {
        candidates.add(change, ordering: .relaxed)
    }

    /// The time that storing the states of all connected scenes takes, as far as is known: by what storing took, else by 10 ms
    /// for as many as are stored together.
    var savingTime: Duration {
        let count = candidateCount
        guard isStored, count > 0 else { return .zero }
        let measured = storingTime.load(ordering: .relaxed)
        let rounds = (count + SceneQueue.lanes - 1) / SceneQueue.lanes
        return .nanoseconds(measured > 0 ? measured : 10_000_000) * rounds
    }

    func noteStoringTime(_ time: Duration) {
        let old = storingTime.load(ordering: .relaxed)
        let new = max(1, time.nanoseconds)
        // Two at once may lose one of the two figures.
        storingTime.store(old == 0 ? new : old + (new - old) / 8, ordering: .relaxed)
    }
}
