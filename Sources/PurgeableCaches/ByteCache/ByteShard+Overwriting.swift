internal import Synchronization

/// The overwriting of a sensitive cache, which leaves nothing behind of what is gone: at once where nobody reads the segment,
/// else with its last reader.
extension ByteShard {
    /// Overwrites an entry that no slot speaks of any more.
    func overwrite(_ entry: ByteEntry, in id: UInt32) {
        if !segments.isPinned(id) { return entry.overwrite() }
        let record = unsafe segments.record(id)
        let isFirst = unsafe !record.pointee.hasRemains
        unsafe record.pointee.hasRemains = true
        unsafe record.pointee.remainsOffset = 0
        unsafe record.pointee.isDeferred.store(true, ordering: .sequentiallyConsistent)
        // Either the last body to end sees it, or it is seen here that all have ended.
        segments.stripes.synchronize()
        guard !segments.isPinned(id) else { return }
        entry.overwrite()
        // Where others wait as well, the last body to end has seen that.
        if isFirst { unsafe endRemains(record) }
    }

    /// Bytes that the removal of all overwrites in one hold of the locks.
    static let overwrittenOfHold = 1 << 20

    /// Overwrites everything that was written to a segment that nobody reads.
    func overwriteAll(_ id: UInt32) {
        let record = unsafe segments.record(id)
        unsafe record.pointee.base.initializeMemory(as: UInt8.self, repeating: 0, count: Int(record.pointee.used))
    }

    /// A body that read the segment has ended, and saw that somebody waits for that. Returns whether there is more to do, in another
    /// hold of the locks.
    mutating func readerLeft(_ id: UInt32) -> Bool {
        let record = unsafe segments.record(id)
        tally.releasedBytes += unsafe segments.finishDeferred(record)
        guard unsafe record.pointee.state != .deferred else { return false }
        if unsafe record.pointee.hasRemains { return overwriteRemains(id) }
        unsafe record.pointee.isDeferred.store(false, ordering: .sequentiallyConsistent)
        return false
    }

    /// Entries that are looked at for remains in one hold of the locks.
    private static let remainsOfHold = 2048

    /// Overwrites some of what is left of entries that are gone, unless somebody reads the segment: its last reader will do it. Returns
    /// whether there is more to do.
    private func overwriteRemains(_ id: UInt32) -> Bool {
        let record = unsafe segments.record(id)
        guard !segments.isPinned(id) else { return false }
        let end = unsafe Int(record.pointee.used)
        var offset = unsafe Int(record.pointee.remainsOffset)
        var left = Self.remainsOfHold
        while offset < end, left > 0 {
            let entry = unsafe ByteEntry(at: record.pointee.base + offset)
            if unsafe place(of: entry, in: id, at: offset) == nil { entry.overwrite() }
            offset += entry.byteCount
            left -= 1
        }
        unsafe record.pointee.remainsOffset = UInt32(truncatingIfNeeded: offset)
        guard offset >= end else { return true }
        unsafe endRemains(record)
        return false
    }

    private func endRemains(_ record: UnsafeMutablePointer<SegmentRecord>) {
        unsafe record.pointee.hasRemains = false
        unsafe record.pointee.isDeferred.store(false, ordering: .sequentiallyConsistent)
    }
}
