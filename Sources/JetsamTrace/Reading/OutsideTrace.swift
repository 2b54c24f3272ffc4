package import Jetsam
package import MemoryPressure

/// The trace of another process, from readings that are taken from outside.
///
/// Its caches cannot be seen from outside, nor whether it has any: the decisions in it are those of a manager that has no
/// caches. A process that was there before is not changed by being looked at.
package struct OutsideTrace {
    /// The lines, not collected yet.
    package private(set) var writer = TraceLineWriter()
    /// The level that a manager would have.
    package var level: PressureLevel { decider.level }
    package private(set) var reading = MemoryReading()

    private let reader: KernelReader
    private var decider: Decider
    private var lastLimits: MonotonicInstant?

    /// Limits are resized in place.
    private static let limitsInterval = Int64(1_000_000_000)

    /// - Parameters:
    ///   - root: Whose process is looked at.
    ///   - configuration: What is decided by.
    ///   - wallClock: Nanoseconds since 1970.
    /// - Throws: `MemoryPressureError` where nothing can be read.
    package init(
        of root: KernelRoot, configuration: ManagerConfiguration, wallClock: Int64, at now: MonotonicInstant
    ) throws(MemoryPressureError) {
        reader = try KernelReader(root: root)
        decider = Decider(Decider.Setup(configuration: configuration))
        var header = TraceHeader(decider.setup)
        header.source = .outside
        header.wallClock = Int(wallClock)
        writer.append(header, at: now)
    }

    /// Takes one full reading, decides on it, and writes both.
    ///
    /// - Parameter includingStall: Whether the PSI file is read; triggers of unprivileged processes on it are held up by that.
    package mutating func recordReading(at now: MonotonicInstant, includingStall: Bool) {
        if lastLimits.isOlder(than: Self.limitsInterval, at: now) {
            lastLimits = now
            reader.refreshLimits()
            if reader.cgroupHasMoved() { reader.rediscover() }
        }
        reading = reader.read(.full, at: now, includingStall: includingStall)
        var observation = Decider.Observation(reading: reading)
        let decision = decider.decide(&observation, victims: { Decider.Victims() })
        writer.append(ReadingRecord(observation, interval: decision.interval), at: now)
        var records = ExpectedRecords()
        decision.show(observation.reading, to: &records)
        for event in records.events { event.write(to: &writer, at: now) }
        // There is nobody to carry a step out: it is over, and brought nothing.
        if let demand = decision.demand {
            let ended = Decider.Notice.stepEnded(demand.step, promisedBytes: 0, at: now)
            decider.handle(ended)
            writer.append(NoticeRecord(ended), at: now)
        }
        if let action = decision.ladder {
            let ended = Decider.Notice.ladderEnded(action, .nobody, at: now)
            decider.handle(ended)
            writer.append(NoticeRecord(ended), at: now)
        }
    }

    /// Forgets the lines that were written.
    package mutating func dropLines() {
        writer.drop()
    }
}
