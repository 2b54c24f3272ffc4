internal import Synchronization

extension ByteShard {
    /// Scores are 0 ..< this.
    static let scores = 96

    /// Returns how much a segment is read, by the lookups of the shard: four steps a doubling, 0 where nobody reads it.
    func score(_ id: UInt32) -> Int {
        let record = unsafe segments.record(id)
        let span = unsafe max(1024, lookups &- record.pointee.stamp)
        return unsafe Self.score(hits: record.pointee.hits.load(ordering: .relaxed), lookups: span)
    }

    /// The same from the numbers.
    static func score(hits: UInt32, lookups: UInt32) -> Int {
        guard hits > 0 else { return 0 }
        let rate = max(4, (UInt64(hits) << 20) / UInt64(max(1, lookups)))
        let exponent = 63 - rate.leadingZeroBitCount
        let step = Int(truncatingIfNeeded: rate >> UInt64(exponent - 2)) & 3
        return min(scores - 1, 1 + (exponent - 2) * 4 + step)
    }

    /// The score up to which sealed segments have to go for so many bytes; `scores` where all of them do.
    mutating func cut(_ bytes: Int) -> Int {
        unsafe sums.update(repeating: 0, count: Self.scores)
        for pass in 0..<2 {
            var id = pass == 0 ? segments.young.first : segments.kept.first
            while id != SegmentRecord.none {
                age(id)
                let record = unsafe segments.record(id)
                if !segments.isPinned(id) { unsafe sums[score(id)] += Int(record.pointee.resident) }
                id = unsafe record.pointee.next
            }
        }
        var sum = 0
        for score in 0..<Self.scores {
            sum += unsafe sums[score]
            if sum >= bytes { return score }
        }
        return Self.scores
    }

    /// Halves what is long ago, so that what was popular once does not stay for ever.
    private func age(_ id: UInt32) {
        let record = unsafe segments.record(id)
        let span = unsafe lookups &- record.pointee.stamp
        guard span > UInt32(clamping: max(4096, entries * 4)) else { return }
        unsafe record.pointee.hits.store(record.pointee.hits.load(ordering: .relaxed) / 2, ordering: .relaxed)
        unsafe record.pointee.stamp = lookups &- span / 2
    }
}
