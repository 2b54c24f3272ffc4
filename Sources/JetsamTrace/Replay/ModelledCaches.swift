internal import Jetsam

/// The caches of a trial, together: those of the recording, and by how much they would have differed.
struct ModelledCaches: Sendable {
    /// Bytes by which the trial's have more than the recorded ones; negative where they gave more.
    private(set) var difference = 0
    /// The bytes that they may have, as steps and regrowth have set them; nil where nothing limits them.
    private var limitBytes: Int?
    var areLimited: Bool { limitBytes != nil }
    /// The bytes that the recorded caches had at the last reading.
    private var reportedBytes = 0
    /// A step that both made has lowered the limits to what the next reading reports.
    private var isLimitLowered = false
    /// The bytes that recorded caches have given since the beginning of a step that the trial did not make; nil while there is
    /// none.
    private var seenBytes: Int?
    /// The bytes that recorded caches gave in such steps, and are still reported to have: what caches say is asked for now and
    /// then.
    private var outstandingBytes = 0
    private var growth = RefillRate()

    /// What they have.
    private var bytes: Int { max(0, reportedBytes - outstandingBytes + difference) }

    /// Takes what the recorded ones have at a reading.
    mutating func note(_ reportedBytes: Int, _ elapsed: Int64, isModel: Bool) {
        let given = max(0, self.reportedBytes - reportedBytes)
        self.reportedBytes = reportedBytes
        if isLimitLowered { limitBytes = reportedBytes }
        isLimitLowered = false
        let refilled = growth.note(reportedBytes, elapsed)
        guard isModel else { return }
        if let seen = seenBytes {
            // As it is seen to go: the trial may make a step of its own before the other's end is known.
            seenBytes = seen + given
            difference += given
        } else {
            outstandingBytes -= min(outstandingBytes, given)
        }
        // Recorded caches that filled up again after a release that the trial did not make were full here already.
        if difference > 0 { difference -= min(difference, refilled.recorded) }
        if difference < 0 { difference += min(-difference, refilled.expected) }
    }

    /// Those that are full do not grow where the recorded ones could.
    mutating func keepToLimit() {
        if let limitBytes { difference = min(difference, limitBytes - (reportedBytes - outstandingBytes)) }
    }

    /// The trial makes a step: they give what they have, and may have no more than what is left.
    mutating func give(_ targetBytes: Int) -> Int {
        let given = min(targetBytes, bytes)
        difference -= given
        limitBytes = bytes
        return given
    }

    /// A step is over that both made.
    mutating func followedStep() {
        isLimitLowered = true
    }

    /// A recorded step begins that the trial does not make: what it brings, the trial's still have.
    mutating func beginMissedStep() {
        seenBytes = 0
    }

    mutating func endMissedStep(promisedBytes: Int) {
        let unseen = max(0, promisedBytes - (seenBytes ?? 0))
        difference += unseen
        outstandingBytes += unseen
        seenBytes = nil
    }

    /// Only where they fill their limits do they get higher ones.
    mutating func apply(_ regrowth: RegrowthRecord) {
        guard let limit = limitBytes else { return }
        let isFull = bytes >= limit - limit / 8
        let raise = max(regrowth.raiseBytes, regrowth.elseRaiseBytes)
        if regrowth.raiseBytes == 0, !isFull || raise == 0 { return limitBytes = nil }
        if isFull { limitBytes = limit + raise }
    }
}

/// How fast caches fill up, from how the recorded ones grew.
private struct RefillRate: Sendable {
    private var last: Int?
    private var grownBytes = 0.0
    private var grownTime = 0.0

    /// By how much the recorded caches grew since the last reading, and by how much ones with room would have.
    mutating func note(_ reportedBytes: Int, _ elapsed: Int64) -> (recorded: Int, expected: Int) {
        defer { last = reportedBytes }
        guard let last, elapsed > 0 else { return (0, 0) }
        let grown = max(0, reportedBytes - last)
        if grown > 0 {
            grownBytes += Double(grown)
            grownTime += Double(elapsed)
        }
        let rate = grownTime > 0 ? grownBytes / grownTime : 0
        return (grown, Int(min(1e15, rate * Double(elapsed))))
    }
}
