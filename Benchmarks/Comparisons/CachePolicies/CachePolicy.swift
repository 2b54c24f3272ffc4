/// What a cache of a fixed number of equally large entries does when a key is asked for, without any values.
///
/// Keys are numbers from 0 up, so that a policy keeps what it knows of them in arrays. Each key that is asked for and is not
/// there is put in.
package protocol CachePolicy {
    /// A cache of `capacity` entries, at least one, for keys below `keys`.
    init(capacity: Int, keys: Int)

    /// Whether the key was there.
    mutating func access(_ key: Int) -> Bool
}

extension CachePolicy {
    /// How many accesses that count find their key, beginning with an empty cache.
    package static func hits(of workload: Workload, capacity: Int) -> Int {
        var policy = Self(capacity: capacity, keys: workload.trace.keys)
        return workload.hits { policy.access($0) }
    }
}
