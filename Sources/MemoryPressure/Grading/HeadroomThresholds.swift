internal import JetsamSystem

/// The headroom under one limit below which memory counts as short, in bytes.
package struct HeadroomThresholds: Equatable, Sendable {
    /// The point where a vote begins: at a share of the limit, held between two sizes.
    package struct Entry: Equatable, Sendable {
        package var percent: Int
        /// Bytes; without effect under small limits, of which it would take half.
        package var minimum: Int
        /// Bytes.
        package var maximum: Int

        package init(percent: Int, minimum: Int, maximum: Int) {
            self.percent = percent
            self.minimum = minimum
            self.maximum = maximum
        }

        package static let warning = Entry(percent: 20, minimum: 48 << 20, maximum: 2 << 30)
        package static let critical = Entry(percent: 10, minimum: 24 << 20, maximum: 1 << 30)

        func bytes(of limit: Int) -> Int {
            let share = min(limit / 100 * percent + limit % 100 * percent / 100, maximum)
            return limit < HeadroomThresholds.smallLimitBytes ? share : max(share, minimum)
        }
    }

    package var warningEntry: Int
    package var warningExit: Int
    package var criticalEntry: Int
    package var criticalExit: Int

    /// The distance above its entry at which a vote ends, in percent of the limit.
    package static let exitPoints = 5

    /// Limits below this use the percentages alone.
    package static let smallLimitBytes = 128 << 20

    /// - Parameters:
    ///   - limitBytes: The limit that headroom is measured to.
    ///   - warning: The point where `warning` begins.
    ///   - critical: The point where `critical` begins.
    ///   - exitPoints: The distance above its entry at which a vote ends, in percent of the limit.
    package init(limitBytes: Int, warning: Entry = .warning, critical: Entry = .critical, exitPoints: Int = exitPoints)
    {
        // Scaled with the entry, which is the plain sum of points wherever neither bound holds: five points of a
        // large machine would be more than the entry itself.
        func exit(_ entry: Int, _ percent: Int) -> Int {
            let (distance, isTooMuch) = (entry / percent).multipliedReportingOverflow(by: exitPoints)
            return isTooMuch ? .max : entry.addingSaturating(distance)
        }
        warningEntry = warning.bytes(of: limitBytes)
        warningExit = exit(warningEntry, warning.percent)
        criticalEntry = critical.bytes(of: limitBytes)
        criticalExit = exit(criticalEntry, critical.percent)
    }
}

extension HeadroomThresholds {
    /// Indicates whether the kernel can page out for a while yet before it kills.
    package func leavesRoomToPageOut(_ reading: MemoryReading) -> Bool { reading.usableSwapBytes > criticalEntry }

    /// Returns the level that nearness to the limit calls for: while the kernel can page out it is no more than a warning, unless
    /// tasks wait for memory besides.
    package func eased(_ level: PressureLevel, _ reading: MemoryReading, isStalled: Bool) -> PressureLevel {
        level == .critical && !isStalled && leavesRoomToPageOut(reading) ? .warning : level
    }
}

extension MemoryReading {
    /// Returns whether headroom is below `percent` of the limit; at least 1.
    package func isHeadroomBelow(percent: Int) -> Bool {
        headroomBytes / percent < limitBytes / 100
    }
}
