internal import MemoryPressure

/// The newest level changes that nobody has told yet, in a fixed place: adding one does not allocate.
struct ChangeRing {
    private static let capacity = 16
    private var slots = [LevelChange?](repeating: nil, count: capacity)
    private var count: UInt64 = 0
    private var collected: UInt64 = 0

    mutating func append(_ change: LevelChange) {
        var change = change
        count += 1
        change.ordinal = count
        slots[Int(count % UInt64(Self.capacity))] = change
    }

    mutating func collect() -> [LevelChange] {
        let first = max(collected, count - min(count, UInt64(Self.capacity)))
        collected = count
        return (first..<count).compactMap { slots[Int(($0 + 1) % UInt64(Self.capacity))] }
    }
}
