/// Bytes of segments by how much they are read, while it is chosen which of them go. Its memory is there from the start, because a
/// release may not allocate.
@safe struct SegmentScores: ~Copyable {
    /// Scores are 0 ..< this.
    static let count = 96

    private let sums = UnsafeMutablePointer<Int>.allocate(capacity: count)

    init() {
        unsafe sums.initialize(repeating: 0, count: Self.count)
    }

    deinit {
        unsafe sums.deallocate()
    }

    /// Returns how much is read what has so many hits among so many lookups: four steps a doubling, 0 where nobody reads it.
    static func score(hits: UInt32, lookups: UInt32) -> Int {
        guard hits > 0 else { return 0 }
        let rate = max(4, (UInt64(hits) << 20) / UInt64(max(1, lookups)))
        let exponent = 63 - rate.leadingZeroBitCount
        let step = Int(truncatingIfNeeded: rate >> UInt64(exponent - 2)) & 3
        return min(count - 1, 1 + (exponent - 2) * 4 + step)
    }

    mutating func clear() {
        unsafe sums.update(repeating: 0, count: Self.count)
    }

    mutating func add(_ bytes: Int, at score: Int) {
        unsafe sums[score] += bytes
    }

    /// The score up to which all have to go for so many bytes; ``count`` where all of them do.
    func cut(_ bytes: Int) -> Int {
        var sum = 0
        for score in 0..<Self.count {
            sum += unsafe sums[score]
            if sum >= bytes { return score }
        }
        return Self.count
    }
}
