package import MemoryPressure

/// The reason why there is no room for a limit that was announced. Others may be added: give a `switch` a `default`.
public enum LimitObstacle: Sendable {
    /// The number is not above 0, or it is above the present hard limit. No cache was asked.
    case outOfRange
    /// It is a dry run. Nobody was asked for anything.
    case dryRun
    /// Unmanaged memory takes too much: there would be no room even with empty caches. Where that is known from the start, no
    /// cache is asked for anything.
    case unmanagedMemory
    /// Caches hold enough by what they report, and did not give it, or what they gave did not come back.
    case caches
    /// Time ran out, or the calling task was cancelled, before caches had given enough.
    case time
}

/// Decides what caches are asked for until there is room for a limit that is about to be set.
///
/// There is room where what cannot be taken back leaves warning's entry of the new limit free. Caches are asked for a little more:
/// up to warning's exit, as in a step.
package struct LimitApproach {
    package enum Next: Equatable {
        /// Caches are asked for so many bytes, of which as many are missing. With 0 bytes only limits are set, and the allocator is
        /// trimmed where that is due.
        case ask(bytes: Int, missing: Int)
        /// A cache that was asked is still at it, and may give yet.
        case wait
        /// It is over; nil where there is room.
        case done(LimitObstacle?)
    }

    /// The part of what is missing that a step must bring, so that it counts as one that brought something.
    private static let leastPart = 64
    /// So many steps in a row that brought nothing are enough to know.
    private static let mostPoorSteps = 2

    /// The steps that were decided so far, and what came of them.
    private struct Record {
        let usedAtStart: Int
        /// The used and the missing bytes when the last step was decided.
        var last: (usedBytes: Int, missingBytes: Int)
        /// The number of steps in a row that brought nothing; nil before any cache was asked for bytes.
        var poorSteps: Int?

        /// Notes the used bytes after a step.
        mutating func note(usedBytes used: Int) {
            let gained = last.usedBytes.subtractingSaturating(used)
            let isPoor = gained < max(1, last.missingBytes / LimitApproach.leastPart)
            poorSteps = poorSteps.map { isPoor ? $0 + 1 : 0 }
        }

        /// It is the caches where there would be room, had all come back that they promised and gave they all that they report.
        func blame(_ used: Int, _ missing: Int, _ promisedBytes: Int, heldBytes: Int) -> LimitObstacle {
            let lost = max(0, promisedBytes.subtractingSaturating(max(0, usedAtStart.subtractingSaturating(used))))
            return lost.addingSaturating(heldBytes) >= missing ? .caches : .unmanagedMemory
        }
    }

    private enum Progress {
        /// Nothing was decided yet.
        case new
        /// A step was decided. The reading after it decides what comes next.
        case asking(Record)
        /// A call of a cache that took long was waited for. Caches are asked once more, whatever they are expected to give.
        case waiting(Record)
    }

    package let limitBytes: Int
    private let thresholds: HeadroomThresholds
    private var progress = Progress.new

    package init(limitBytes: Int, rule: ManagerConfiguration.HeadroomRule) {
        self.limitBytes = limitBytes
        thresholds = HeadroomThresholds(limitBytes: max(0, limitBytes), rule: rule)
    }

    /// The bytes that are to stay free under the new limit.
    package var marginBytes: Int { thresholds.warningEntry }

    /// Returns whether the new limit is lower than a present hard limit.
    package func isInRange(_ reading: MemoryReading) -> Bool {
        limitBytes > 0 && limitBytes <= reading.limitBytes
    }

    /// Returns the bytes that count against the new limit: unreclaimable memory of the cgroup; this process's footprint if the
    /// machine's memory is the bound, as the rest of the machine has no part in the new limit.
    package static func usedBytes(_ reading: MemoryReading) -> Int {
        reading.isLimited ? reading.unreclaimableBytes : reading.footprintBytes
    }

    /// Returns the bytes that are missing; 0 where there is room.
    package func missingBytes(_ reading: MemoryReading) -> Int {
        max(0, Self.usedBytes(reading).addingSaturating(thresholds.warningEntry).subtractingSaturating(limitBytes))
    }

    /// - Parameters:
    ///   - reportedBytes: Bytes that caches report.
    ///   - hollowBytes: The part of these bytes that is not expected to come back, by earlier results.
    ///   - retainedBytes: Bytes that a trim of the allocator can bring.
    ///   - promisedBytes: Bytes that caches have promised so far.
    ///   - isAnyBusy: True where a call of a cache has not come back.
    ///   - isTimeOver: True where nobody is asked any more.
    package mutating func next(
        _ reading: MemoryReading, reportedBytes: Int, hollowBytes: Int, retainedBytes: Int, promisedBytes: Int,
        isAnyBusy: Bool, isTimeOver: Bool
    ) -> Next {
        let expected = max(0, reportedBytes.subtractingSaturating(hollowBytes))
        let used = Self.usedBytes(reading)
        let missing = missingBytes(reading)
        let obtainable = expected.addingSaturating(max(0, retainedBytes))
        let aim = max(
            0, used.addingSaturating(thresholds.warningExit).subtractingSaturating(limitBytes))
        var record: Record
        let hasWaited: Bool
        switch progress {
        case .new:
            // Without a chance nobody is emptied for it; what the allocator retains is tried, as that costs nothing.
            record = Record(usedAtStart: used, last: (used, aim))
            return ask(missing <= obtainable ? aim : 0, missing: aim, used: used, &record)
        case .asking(let earlier): (record, hasWaited) = (earlier, false)
        case .waiting(let earlier): (record, hasWaited) = (earlier, true)
        }
        if missing == 0 { return .done(nil) }
        if isTimeOver { return .done(.time) }
        record.note(usedBytes: used)
        var obstacle: LimitObstacle?
        if missing > obtainable, !hasWaited {
            obstacle = record.blame(
                used, missing, promisedBytes, heldBytes: reportedBytes.addingSaturating(retainedBytes))
        } else if let poorSteps = record.poorSteps, poorSteps >= Self.mostPoorSteps {
            obstacle = .caches
        }
        guard let obstacle else { return ask(aim, missing: aim, used: used, &record) }
        guard obstacle == .caches, isAnyBusy else {
            progress = .asking(record)
            return .done(obstacle)
        }
        record.poorSteps = record.poorSteps.map { _ in 0 }
        progress = .waiting(record)
        return .wait
    }

    private mutating func ask(_ bytes: Int, missing: Int, used: Int, _ record: inout Record) -> Next {
        if bytes > 0, record.poorSteps == nil { record.poorSteps = 0 }
        record.last = (used, missing)
        progress = .asking(record)
        return .ask(bytes: bytes, missing: missing)
    }
}
