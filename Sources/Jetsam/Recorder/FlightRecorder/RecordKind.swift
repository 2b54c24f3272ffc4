/// The subject of a record of a recording.
///
/// A reader passes on kinds that it does not know as they are, so that new kinds do not make a new format.
package struct RecordKind: RawRepresentable, Sendable, Hashable {
    package var rawValue: UInt16

    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// A text in UTF-8, for people.
    package static let note = RecordKind(rawValue: 1)
    /// The activity that was under way: a ``FlightState``.
    package static let state = RecordKind(rawValue: 2)
    /// Names of background tasks that were held, the longest-running first, each with a line feed behind it.
    package static let held = RecordKind(rawValue: 4)
    /// The run ended: how, in a byte as ``RunState`` has it.
    package static let end = RecordKind(rawValue: 3)
}

/// The states of a run, as the header of its recording says.
package enum RunState: UInt32, Sendable, CaseIterable {
    /// It has not ended, or it was killed before it could record its end.
    case running = 1
    /// The manager came to its end.
    case clean = 2
    /// It came to its end after the last resort had been called.
    case pressureShutdown = 3
    /// A missed deadline ended the process, as configured.
    case watchdog = 4
    /// The manager threw, or was cancelled and not by the end of the grace period: a service of its group had failed.
    case failed = 5
    /// Shutdown had begun, and the manager was cancelled when the grace period was nearly over.
    case graceExceeded = 6

    /// With its complement in the upper half, so that a damaged word is not taken for another state.
    package var word: UInt64 { UInt64(rawValue) | UInt64(~rawValue) << 32 }

    init?(word: UInt64) {
        let value = UInt32(truncatingIfNeeded: word)
        guard UInt32(truncatingIfNeeded: word >> 32) == ~value else { return nil }
        self.init(rawValue: value)
    }
}
