internal import CLinuxShims

/// Into how many shards and segments of what size a byte cache is divided.
struct ByteCacheSizes: Equatable {
    static let smallestSegment = 64 << 10
    static let largestSegment = 64 << 20
    static let usualSegment = 1 << 20
    /// The policy that chooses what stays needs so many segments a shard to tell entries apart.
    private static let segmentsOfShard = 16
    /// A number for each of the most shards that there may be.
    typealias OfShards = InlineArray<64, Int>
    private static let mostShards = OfShards.count
    /// As long as a cache is no larger, it does without huge pages.
    private static let smallBytes = 32 << 20

    var segmentBytes: Int
    var shardCount: Int
    /// The first segment of a shard that gets huge pages.
    var firstHuge: Int

    /// - Parameters:
    ///   - limit: Bytes that the cache may hold, nil for as many as there are.
    ///   - wanted: The size of a segment that was asked for, nil for one that suits the limit.
    ///   - hugePageBytes: The size of a huge page where they are wanted and to be had, else nil.
    init(limit: Int?, wanted: Int?, hugePageBytes: Int?, processors: Int) {
        var segment = Self.usualSegment
        if let wanted {
            segment = Self.smallestSegment
            while segment < min(wanted, Self.largestSegment) { segment *= 2 }
        }
        var shards = 8
        while shards < min(4 * processors, Self.mostShards) { shards *= 2 }
        if let limit {
            while wanted == nil, segment > Self.smallestSegment, shards * segment * Self.segmentsOfShard > limit {
                segment /= 2
            }
            while shards > 1, shards * segment * Self.segmentsOfShard > limit { shards /= 2 }
        }
        firstHuge = .max
        if let hugePageBytes, limit ?? .max > Self.smallBytes {
            segment = max(segment, hugePageBytes)
            firstHuge = max(1, Self.smallBytes / shards / segment)
        }
        segmentBytes = segment
        shardCount = shards
    }
}
