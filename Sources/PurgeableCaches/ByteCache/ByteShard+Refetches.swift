/// The number of entries, of the segments that a release takes, that are remembered as samples of all.
///
/// A segment goes without a look at its contents, which may be swapped out. So only the beginnings of some segments are gone
/// through: a page or two of each, and no more than ``most`` entries of a release.
struct ReleaseSampling {
    static let most = 512
    static let fewestOfSegment = 8

    /// In nanoseconds.
    let now: Int64
    /// Indicates whether to wait for a thread that is looking a sample up.
    let waits: Bool
    /// One in so many segments is gone through.
    let stride: Int
    /// And so many entries of it.
    let entries: Int

    /// - Parameter segments: The approximate number of segments that the release takes.
    init(segments: Int, now: Int64, waits: Bool) {
        self.now = now
        self.waits = waits
        entries = max(Self.fewestOfSegment, Self.most / max(1, segments))
        stride = max(1, segments / (Self.most / entries))
    }
}

extension ByteShard {
    /// Remembers some entries of a segment that a release takes, before it is unlinked. Each stands for its part of all that live in
    /// the segments of the release.
    mutating func remember(_ id: UInt32, _ sampling: ReleaseSampling) {
        let record = unsafe segments.record(id)
        let count = unsafe Int(record.pointee.liveCount)
        guard count > 0 else { return }
        releasedSegments &+= 1
        guard releasedSegments % sampling.stride == 0 else { return }
        let wanted = min(count, sampling.entries)
        let share = Double(count) / Double(wanted) * Double(sampling.stride)
        let end = unsafe Int(record.pointee.used)
        let generation = unsafe record.pointee.generation
        var (found, passed, offset) = (0, 0, 0)
        // Entries that were removed one by one lie between those that live.
        while found < wanted, passed < 4 * sampling.entries, offset < end {
            let entry = unsafe ByteEntry(at: record.pointee.base + offset)
            let hash = unsafe ByteHash(UnsafeRawBufferPointer(start: entry.key, count: entry.keyCount), seeds)
            if unsafe place(of: hash.index, segments.location(id, offset: offset), generation) == nil {
                passed += 1
            } else {
                found += 1
                if ghosts.wants(UInt32(truncatingIfNeeded: hash.whole >> 32)) {
                    let bytes = Int(Double(entry.byteCount) * share)
                    ghosts.add(hash.whole, bytes: bytes, now: sampling.now, waits: sampling.waits)
                }
            }
            offset += entry.byteCount
        }
    }
}
