/// Keys and values that left the cache under its lock, to be let go of after it: that may run code of the cache's user.
@usableFromInline
struct CacheRemains<Key, Value> {
    // Most often there is one, which then needs no array.
    @usableFromInline var first: (Key, Value)?
    @usableFromInline var others: [(Key, Value)] = []

    /// The number of entries that are let go of together where there are many.
    @usableFromInline static var batch: Int { 32 }

    @inlinable
    init() {}

    @inlinable
    mutating func append(_ key: consuming Key, _ value: consuming Value) {
        guard first != nil else {
            first = (key, value)
            return
        }
        if others.isEmpty { others.reserveCapacity(Self.batch) }
        others.append((key, value))
    }
}

/// The entries in the remains of a release that are samples, and their costs.
@usableFromInline
struct ReleasedSamples {
    @usableFromInline private(set) var count = 0
    private var places: InlineArray<32, UInt8> = InlineArray(repeating: 0)
    private var costs: InlineArray<32, Int> = InlineArray(repeating: 0)

    @usableFromInline
    init() {}

    /// - Parameter place: In the remains, from 0; less than ``CacheRemains/batch``.
    @usableFromInline
    mutating func append(_ place: Int, cost: Int) {
        places[count] = UInt8(truncatingIfNeeded: place)
        costs[count] = cost
        count += 1
    }

    @usableFromInline
    subscript(index: Int) -> (place: Int, cost: Int) { (Int(places[index]), costs[index]) }
}
