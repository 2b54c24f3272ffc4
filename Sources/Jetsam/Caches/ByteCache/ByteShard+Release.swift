extension ByteShard {
    /// A segment on its way out: in no queue, and nobody reads it.
    struct Leaving {
        var id: UInt32
        var base: UInt
        var bytes: Int
    }

    /// Takes segments out of the cache until so many bytes are on their way, without touching what is in them: empty ones
    /// first, then those that are read least. Gives how many there are in `leaving`; it takes no more than fit there.
    ///
    /// - Parameter isExact: Leave it at less rather than take a segment that is more than was asked for.
    mutating func take(_ bytes: Int, isExact: Bool, into leaving: UnsafeMutableBufferPointer<Leaving>) -> Int {
        var missing = bytes
        var count = 0
        func fits(_ id: UInt32) -> Bool {
            guard missing > 0, count < leaving.count else { return false }
            return unsafe !isExact || Int(segments.record(id).pointee.resident) <= missing
        }
        while !segments.spare.isEmpty, fits(segments.spare.first) {
            unsafe leaving[count] = leave(segments.spare.first)
            missing -= unsafe leaving[count].bytes
            count += 1
        }
        guard missing > 0, count < leaving.count else { return count }
        let cut = cut(missing)
        for (isYoung, isAtCut) in [(true, false), (false, false), (true, true), (false, true)] {
            var id = isYoung ? segments.young.first : segments.kept.first
            while id != SegmentRecord.none {
                let next = unsafe segments.record(id).pointee.next
                let score = score(id)
                if isAtCut ? score == cut : score < cut, fits(id), unsafe !segments.record(id).pointee.isPinned {
                    evictions += unsafe Int(segments.record(id).pointee.liveCount)
                    unsafe leaving[count] = leave(id)
                    missing -= unsafe leaving[count].bytes
                    count += 1
                }
                id = next
            }
        }
        for id in [fillingYoung, fillingKept] where id != SegmentRecord.none && fits(id) {
            guard cut >= Self.scores, unsafe !segments.record(id).pointee.isPinned else { continue }
            evictions += unsafe Int(segments.record(id).pointee.liveCount)
            unsafe leaving[count] = leave(id)
            missing -= unsafe leaving[count].bytes
            count += 1
        }
        return count
    }

    private mutating func leave(_ id: UInt32) -> Leaving {
        segments.dequeue(id)
        unlink(id)
        let record = unsafe segments.record(id)
        unsafe record.pointee.state = .deferred
        return unsafe Leaving(id: id, base: UInt(bitPattern: record.pointee.base), bytes: Int(record.pointee.resident))
    }

    /// Counts out what was given back.
    mutating func left(_ leaving: Leaving, given: Int) {
        releasedBytes += given
        segments.finishDiscard(leaving.id, given: given)
    }

    /// Puts everything out of the cache: what nobody reads stays as spare memory, the rest goes back with its last reader.
    mutating func removeAll() {
        for isYoung in [true, false] {
            while case let id = isYoung ? segments.young.first : segments.kept.first, id != SegmentRecord.none {
                recycle(id)
            }
        }
        for id in [fillingYoung, fillingKept] where id != SegmentRecord.none { recycle(id) }
    }

    /// Puts segments that are being read out of the cache, so that their memory goes back as soon as nobody reads them.
    mutating func deferPinned(_ bytes: Int) {
        var missing = bytes
        for isYoung in [true, false] {
            var id = isYoung ? segments.young.first : segments.kept.first
            while id != SegmentRecord.none, missing > 0 {
                let next = unsafe segments.record(id).pointee.next
                missing -= deferPinned(segment: id)
                id = next
            }
        }
        for id in [fillingYoung, fillingKept] where id != SegmentRecord.none && missing > 0 {
            missing -= deferPinned(segment: id)
        }
    }

    private mutating func deferPinned(segment id: UInt32) -> Int {
        let record = unsafe segments.record(id)
        guard unsafe record.pointee.isPinned else { return 0 }
        let bytes = unsafe Int(record.pointee.resident)
        evictions += unsafe Int(record.pointee.liveCount)
        recycle(id)
        return bytes
    }
}
