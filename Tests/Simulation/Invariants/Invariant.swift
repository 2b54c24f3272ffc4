import Jetsam
import MemoryPressure

/// Something that is to hold in every world. It hears of everything that happens, and says where it does not hold.
protocol Invariant: AnyObject {
    func observe(_ event: WorldEvent, of server: SimulatedServer)
    /// An episode of releases is over.
    func episodeEnded(_ figures: ReleaseAccount.Figures, of server: SimulatedServer)
}

extension Invariant {
    func episodeEnded(_ figures: ReleaseAccount.Figures, of server: SimulatedServer) {}
}

/// The invariants by name.
package enum InvariantName: String, CaseIterable, Sendable {
    case survival, need, order, gates, regrowth, pace, normal, expiry, ledger, lastResort, softLimit

    func make() -> any Invariant {
        switch self {
        case .survival: SurvivalInvariant()
        case .need: NeedInvariant()
        case .order: OrderInvariant()
        case .gates: GatesInvariant()
        case .regrowth: RegrowthInvariant()
        case .pace: PaceInvariant()
        case .normal: NormalInvariant()
        case .expiry: ExpiryInvariant()
        case .ledger: LedgerInvariant()
        case .lastResort: LastResortInvariant()
        case .softLimit: SoftLimitInvariant()
        }
    }

    /// What it says, in one line.
    package var statement: String {
        switch self {
        case .survival: "never over the limit when enough was purgeable in time"
        case .need: "released at most 1.25 x needed + 5 points of the limit + 16 MiB in an episode"
        case .order: "lower bands before higher ones, tasks and scenes by their order"
        case .gates: "nothing is taken that a gate forbids"
        case .regrowth: "every cache that wants more grows again once there is room"
        case .pace: "at most 20 steps in a second, and 5 that ask for nothing; at most 100 calls of a handler"
        case .normal: "back to normal once the load is gone"
        case .expiry: "no background task expires early, twice or never"
        case .ledger: "every byte that was promised is in the ledger, and none is in flight at rest"
        case .lastResort:
            "the last resort is called once: with nothing left to take, or when leaving takes longer than memory lasts"
        case .softLimit: "no longer than five seconds beyond a budget or memory.high while caches have enough"
        }
    }
}

extension World {
    /// Whether a gate was open when what happens now was decided. It is done on another thread, and a neighbour may have given
    /// memory back meanwhile.
    var isEmergency: Bool {
        isEmergencyNow || emergencyAt.map { conductor.now - $0 < 10_000_000 } == true
    }

    /// What the manager's gates go by: headroom below the critical entry, or a kill a short time ago.
    var isEmergencyNow: Bool {
        // A hundredth of the limit for what moves between the reading and the call.
        let thresholds = HeadroomThresholds(limitBytes: cgroup.limitBytes)
        if cgroup.headroomBytes < thresholds.criticalEntry + cgroup.limitBytes / 100 { return true }
        return killedAt > .min && conductor.now - killedAt < 10_000_000_000
    }

    var now: Int64 { conductor.now }
}
