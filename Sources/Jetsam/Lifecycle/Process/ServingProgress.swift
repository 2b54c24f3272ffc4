/// The servers of the group, as far as they are known. Pure.
struct ServingProgress: Sendable {
    private enum Gate: Sendable {
        /// Nobody asked for it: the manager knows of no group.
        case none
        /// It was asked for: becoming active waits until it runs.
        case starts(ServingSignal)
        /// Every service before it was started.
        case runs(ServingSignal)
    }

    private var gate = Gate.none
    /// The servers take connections, as far as was told or seen.
    private(set) var areListening = false

    var haveGate: Bool {
        if case .none = gate { false } else { true }
    }

    var isGateRunning: Bool {
        if case .runs = gate { true } else { false }
    }

    /// The signal by which it is learnt that they listen.
    var signal: ServingSignal {
        switch gate {
        case .none: .started
        case .starts(let signal), .runs(let signal): signal
        }
    }

    /// Indicates whether there are servers that do not take connections yet.
    var areAwaited: Bool {
        switch gate {
        case .none: false
        case .starts: true
        case .runs(let signal): !areListening && signal != .started
        }
    }

    mutating func askForGate(_ signal: ServingSignal) {
        gate = isGateRunning ? .runs(signal) : .starts(signal)
    }

    mutating func gateRuns() {
        gate = .runs(signal)
    }

    /// The servers take connections.
    ///
    /// - Returns: True the first time.
    mutating func listen() -> Bool {
        defer { areListening = true }
        return !areListening
    }
}
