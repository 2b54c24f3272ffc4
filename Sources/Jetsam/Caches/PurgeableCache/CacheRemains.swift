/// Keys and values that left the cache under its lock, to be let go of after it: that may run code of the cache's user.
@usableFromInline
struct CacheRemains<Key, Value> {
    // Most often there is one, which then needs no array.
    @usableFromInline var first: (Key, Value)?
    @usableFromInline var others: [(Key, Value)] = []

    @inlinable
    init() {}

    @inlinable
    mutating func append(_ key: consuming Key, _ value: consuming Value) {
        if first == nil { first = (key, value) } else { others.append((key, value)) }
    }
}
