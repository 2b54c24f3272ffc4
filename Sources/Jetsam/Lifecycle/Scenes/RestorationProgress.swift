/// The progress of the restoration of stored scenes. Pure.
struct RestorationProgress: Sendable {
    private enum Phase: Sendable {
        /// Nothing is under way; what is stored was listed, or nobody has asked for it.
        case settled
        /// What is stored has to be listed, now or, where that fails, later.
        case due
        /// The scenes that were left for later are tried; then they may be left once more.
        case trying
    }

    private var phase = Phase.settled
    /// The scenes that were left for later.
    private(set) var postponed: [StoredScene] = []

    /// Indicates whether scenes were left for later, or may be left for later by those that are tried now.
    var hasPostponed: Bool { !postponed.isEmpty || isTrying }

    /// Indicates whether the scenes that were left for later are tried now.
    var isTrying: Bool { phase == .trying }

    /// Indicates whether what is stored has to be listed first.
    var isListingDue: Bool { phase == .due }

    /// Indicates whether there is anything to do when the process comes up.
    var isDue: Bool { phase == .due || !postponed.isEmpty }

    /// Begins the restoration of all that is stored.
    mutating func begin() {
        phase = .due
    }

    /// Notes that what is stored was listed: what was left for later is in the list.
    mutating func wasListed() {
        phase = .settled
        postponed = []
    }

    /// Leaves scenes for later.
    mutating func postpone(_ scenes: [StoredScene]) {
        postponed += scenes
    }

    /// Begins to try the scenes that were left for later.
    ///
    /// - Returns: The scenes; nil where what is stored has to be listed first.
    mutating func takePostponed() -> [StoredScene]? {
        guard phase != .due else { return nil }
        phase = .trying
        defer { postponed = [] }
        return postponed
    }

    /// Notes that all scenes that were taken have been tried.
    mutating func wasTried() {
        phase = .settled
    }
}
