/// What came of the calls to one part of a byte cache, for its statistics alone.
struct ByteShardTally {
    var insertions = 0
    var refusals = 0
    var evictions = 0
    var expirations = 0
    var releasedBytes = 0
}

/// The entries of one part of a byte cache, and the bytes that they take in segments.
struct ByteShardContents {
    private(set) var entries = 0
    private(set) var liveBytes = 0

    @inline(__always)
    mutating func add(bytes: Int) {
        entries += 1
        liveBytes += bytes
    }

    @inline(__always)
    mutating func remove(entries count: Int = 1, bytes: Int) {
        entries -= count
        liveBytes -= bytes
    }
}
