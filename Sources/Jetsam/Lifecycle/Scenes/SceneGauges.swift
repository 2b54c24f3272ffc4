internal import MemoryPressure
internal import Synchronization

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
        let rounds = (count + SceneManager.lanes - 1) / SceneManager.lanes
        return .nanoseconds(measured > 0 ? measured : 10_000_000) * rounds
    }

    func noteStoringTime(_ time: Duration) {
        let old = storingTime.load(ordering: .relaxed)
        let new = max(1, time.nanoseconds)
        // Two at once may lose one of the two figures.
        storingTime.store(old == 0 ? new : old + (new - old) / 8, ordering: .relaxed)
    }
}
