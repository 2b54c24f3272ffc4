internal import ArgumentParser

/// What keeps the cache of `serve` from taking all memory.
enum ServeWay: String, CaseIterable, ExpressibleByArgument {
    /// Nothing: it grows until every key is in it.
    case nothing
    /// A budget, past which what was not read for the longest time goes.
    case fixed
    /// A handler of memory pressure that drops everything.
    case cleared
    /// A `PurgeableByteCache` and a `ResourceManager`.
    case jetsam
}
