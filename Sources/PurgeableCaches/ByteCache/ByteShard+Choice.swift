internal import Synchronization

extension ByteShard {
    /// Returns how much a segment is read, by the lookups of the shard: four steps a doubling, 0 where nobody reads it.
    func score(_ id: UInt32) -> Int {
        let record = unsafe segments.record(id)
        let span = unsafe max(1024, lookups &- record.pointee.stamp)
        return unsafe SegmentScores.score(hits: record.pointee.hits.load(ordering: .relaxed), lookups: span)
    }

    /// The score up to which sealed segments have to go for so many bytes; ``SegmentScores/count`` where all of them do.
    mutating func cut(_ bytes: Int) -> Int {
        scores.clear()
        for pass in 0..<2 {
            var id = pass == 0 ? segments.young.first : segments.kept.first
            while id != SegmentRecord.none {
                age(id)
                let record = unsafe segments.record(id)
                if !segments.isPinned(id) { unsafe scores.add(Int(record.pointee.resident), at: score(id)) }
                id = unsafe record.pointee.next
            }
        }
        return scores.cut(bytes)
    }

    /// Halves what is long ago, so that what was popular once does not stay for ever.
    private func age(_ id: UInt32) {
        let record = unsafe segments.record(id)
        let span = unsafe lookups &- record.pointee.stamp
        guard span > UInt32(clamping: max(4096, contents.entries * 4)) else { return }
        unsafe record.pointee.hits.store(record.pointee.hits.load(ordering: .relaxed) / 2, ordering: .relaxed)
        unsafe record.pointee.stamp = lookups &- span / 2
    }
}
