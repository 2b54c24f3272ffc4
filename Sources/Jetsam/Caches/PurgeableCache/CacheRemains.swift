/// Keys and values that left the cache under its lock, to be let go of after it: that may run code of the cache's user.
@usableFromInline
struct CacheRemains<Key, Value> {
    // Most often there is one, which then needs no array.
    @usableFromInline var first: (Key, Value)?
    @usableFromInline var others: [(Key, Value)] = []

    /// How many are let go of together where there are many.
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
