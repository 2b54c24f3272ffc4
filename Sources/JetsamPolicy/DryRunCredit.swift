internal import MemoryPressure

/// The bytes that the steps of a dry run would have brought.
///
/// A dry run does nothing, so memory does not fall after its steps. If it decided by the readings alone, stage would follow
/// stage. Therefore the bytes that a step would have brought are credited, and the readings are judged as if those bytes had
/// come. The credit shrinks as memory really falls: those are the bytes that were credited.
package struct DryRunCredit {
    package private(set) var bytes = 0
    private var lastUnreclaimable: Int?

    package init(bytes: Int = 0) {
        self.bytes = bytes
    }

    package mutating func add(_ promisedBytes: Int) {
        bytes = bytes.addingSaturating(max(0, promisedBytes))
    }

    /// The observation as if what was credited had been given.
    package mutating func credited(_ observation: Decider.Observation) -> Decider.Observation {
        let unreclaimable = observation.reading.unreclaimableBytes
        if let last = lastUnreclaimable, unreclaimable < last { bytes = max(0, bytes - (last - unreclaimable)) }
        lastUnreclaimable = unreclaimable
        // Caches cannot have given more than they hold.
        bytes = min(bytes, max(0, observation.reportedBytes))
        guard bytes > 0 else { return observation }
        var credited = observation.shifted(by: -bytes)
        credited.creditBytes = bytes
        return credited
    }
}
