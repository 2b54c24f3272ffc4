public import MemoryPressure

/// The result of making room for a hard limit that is about to be set.
///
/// There is room if the new limit would leave enough headroom for the level to stay at `normal`.
public struct LimitPreparation: Sendable, CustomStringConvertible {
    /// The limit that was announced, in bytes.
    package var limitBytes: Int
    /// The bytes that are to stay free under it.
    package var marginBytes: Int
    /// The readings before the first cache was asked, and at the end.
    public var readings: (before: MemoryReading, after: MemoryReading)
    /// Bytes that are still too many; 0 where there is room.
    public var missingBytes: Int
    /// The reason why there is no room; nil where there is.
    public var obstacle: LimitObstacle?
    /// The steps that were taken, with what each cache gave. A step that only set limits has no parts.
    public var steps: [ReclaimStep] = []
    /// The time for which caches are held; nil where they are not.
    package var hold: Duration?
    /// Bytes that caches report at the end.
    package var cacheBytes = 0

    /// The bytes that count against the limit, before and at the end.
    package var usedBytes: (before: Int, after: Int) {
        (LimitApproach.usedBytes(readings.before), LimitApproach.usedBytes(readings.after))
    }

    /// One line, such as `room for 300 MiB: 390 MiB became 224 MiB; caches are held for 60 s`.
    public var description: String {
        let (before, after) = usedBytes
        let head = obstacle == nil ? "room for \(ByteCount(limitBytes))" : "no room for \(ByteCount(limitBytes))"
        let change = steps.isEmpty ? "\(ByteCount(before)) used" : "\(ByteCount(before)) became \(ByteCount(after))"
        let held = hold.map { "; caches are held for \($0.shortText)" } ?? ""
        let why = reason.map { "; \($0)" } ?? ""
        return "\(head): \(change)\(why)\(held)"
    }

    /// The obstacle in words; nil where there is none.
    package var reason: String? {
        let missing = "\(ByteCount(missingBytes)) too much to leave \(ByteCount(marginBytes)) free"
        switch obstacle {
        case nil: return nil
        case .outOfRange:
            return "the number must be above 0 and at most the present limit, \(ByteCount(readings.before.limitBytes))"
        case .dryRun: return "a dry run asks no cache and holds none; \(missing)"
        case .unmanagedMemory:
            return "\(missing), and caches hold \(ByteCount(cacheBytes)): the rest is unmanaged memory"
        case .caches:
            let held = "caches hold \(ByteCount(cacheBytes))"
            return "\(missing): \(held), and gave no more, or what they gave did not come back"
        case .time: return "\(missing) when the time was over"
        }
    }
}
