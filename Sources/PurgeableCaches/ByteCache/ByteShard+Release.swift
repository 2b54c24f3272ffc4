extension ByteShard {
    /// Detaches segments from the cache until so many bytes are on their way, without touching what is in them: empty ones
    /// first, then those that are read least. Gives them linked: they are in no queue of the shard's, and nobody reads them.
    ///
    /// - Parameters:
    ///   - isExact: Leave it at less rather than take a segment that is more than was asked for.
    ///   - sampling: The number of entries that are remembered.
    mutating func detach(_ bytes: Int, isExact: Bool, _ sampling: ReleaseSampling) -> SegmentQueue {
        var leaving = SegmentQueue()
        var missing = bytes
        while !segments.spare.isEmpty, detach(segments.spare.first, &missing, isExact, sampling, into: &leaving) {}
        var id = segments.unswept.first
        while id != SegmentRecord.none, missing > 0 {
            let record = unsafe segments.record(id)
            let next = unsafe record.pointee.next
            if unsafe record.pointee.resident > 0 { _ = detach(id, &missing, isExact, sampling, into: &leaving) }
            id = next
        }
        guard missing > 0 else { return leaving }
        let cut = cut(missing)
        // No array to go through: that would be allocated.
        for pass in 0..<4 {
            let isAtCut = pass > 1
            id = pass % 2 == 0 ? segments.young.first : segments.kept.first
            while id != SegmentRecord.none, missing > 0 {
                let next = unsafe segments.record(id).pointee.next
                let score = score(id)
                if isAtCut ? score == cut : score < cut { _ = detach(id, &missing, isExact, sampling, into: &leaving) }
                id = next
            }
        }
        guard cut >= SegmentScores.count else { return leaving }
        if fillingYoung != SegmentRecord.none { _ = detach(fillingYoung, &missing, isExact, sampling, into: &leaving) }
        if fillingKept != SegmentRecord.none { _ = detach(fillingKept, &missing, isExact, sampling, into: &leaving) }
        return leaving
    }

    /// Detaches one segment, unless it is more than is missing or somebody reads it.
    private mutating func detach(
        _ id: UInt32, _ missing: inout Int, _ isExact: Bool, _ sampling: ReleaseSampling,
        into leaving: inout SegmentQueue
    ) -> Bool {
        let record = unsafe segments.record(id)
        let bytes = unsafe Int(record.pointee.resident)
        guard missing > 0, !isExact || bytes <= missing, !segments.isPinned(id) else { return false }
        tally.evictions += unsafe Int(record.pointee.liveCount)
        remember(id, sampling)
        segments.dequeue(id)
        unlink(id)
        unsafe record.pointee.state = .leaving
        leaving.append(id, segments.view)
        missing -= bytes
        return true
    }

    /// Counts out the segments of releases that have come back: of each as many bytes as its `used` says.
    mutating func countOutLeft() {
        var id = left.removeAll()
        while id != SegmentRecord.none {
            let record = unsafe segments.record(id)
            let next = unsafe record.pointee.next
            let given = unsafe Int(record.pointee.used)
            unsafe record.pointee.used = 0
            tally.releasedBytes += given
            segments.finishDiscard(id, given: given)
            id = next
        }
    }

    /// Puts the oldest segments out of the cache, and the rest once that is all: what nobody reads stays as spare memory, the rest
    /// goes back with its last reader. Returns whether more are left: where it overwrites what goes, that is so many bytes, and at least
    /// one segment.
    mutating func removeSome(overwriting most: Int) -> Bool {
        var overwritten = 0
        for isYoung in [true, false] {
            while case let id = isYoung ? segments.young.first : segments.kept.first, id != SegmentRecord.none {
                guard !memory.isSensitive || overwritten < most else { return true }
                overwritten += unsafe Int(segments.record(id).pointee.used)
                recycle(id)
            }
        }
        for id in [fillingYoung, fillingKept] where id != SegmentRecord.none { recycle(id) }
        return false
    }

    /// Puts segments that are being read out of the cache, so that their memory goes back as soon as nobody reads them.
    mutating func deferPinned(_ bytes: Int, _ sampling: ReleaseSampling) {
        var missing = bytes
        for isYoung in [true, false] {
            var id = isYoung ? segments.young.first : segments.kept.first
            while id != SegmentRecord.none, missing > 0 {
                let next = unsafe segments.record(id).pointee.next
                missing -= deferPinned(segment: id, sampling)
                id = next
            }
        }
        for id in [fillingYoung, fillingKept] where id != SegmentRecord.none && missing > 0 {
            missing -= deferPinned(segment: id, sampling)
        }
    }

    private mutating func deferPinned(segment id: UInt32, _ sampling: ReleaseSampling) -> Int {
        let record = unsafe segments.record(id)
        guard segments.isPinned(id) else { return 0 }
        let bytes = unsafe Int(record.pointee.resident)
        tally.evictions += unsafe Int(record.pointee.liveCount)
        remember(id, sampling)
        recycle(id)
        return bytes
    }
}
