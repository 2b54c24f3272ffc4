internal import Synchronization

/// The overwriting of a sensitive cache, which leaves nothing behind of what is gone: at once where nobody reads the segment,
/// else with its last reader.
extension ByteShard {
    /// Overwrites an entry that no slot speaks of any more.
    func overwrite(_ entry: ByteEntry, in id: UInt32) {
        if !segments.isPinned(id) { return entry.overwrite() }
        unsafe segments.record(id).pointee.hasRemains = true
        overwriteRemains(id)
    }

    /// Overwrites everything that was written to a segment that nobody reads.
    func overwriteAll(_ id: UInt32) {
        let record = unsafe segments.record(id)
        unsafe record.pointee.base.initializeMemory(as: UInt8.self, repeating: 0, count: Int(record.pointee.used))
    }

    /// A body that read the segment has ended, and saw that somebody waits for that.
    mutating func readerLeft(_ id: UInt32) {
        let record = unsafe segments.record(id)
        tally.releasedBytes += unsafe segments.finishDeferred(record)
        guard unsafe record.pointee.state != .deferred else { return }
        if unsafe record.pointee.hasRemains {
            overwriteRemains(id)
        } else {
            unsafe record.pointee.isDeferred.store(false, ordering: .sequentiallyConsistent)
        }
    }

    /// Overwrites what is left of entries that are gone, or has the last reader do it.
    func overwriteRemains(_ id: UInt32) {
        let record = unsafe segments.record(id)
        guard unsafe record.pointee.hasRemains else { return }
        unsafe record.pointee.isDeferred.store(true, ordering: .sequentiallyConsistent)
        // Either the last body to end sees it, or it is seen here that all have ended.
        segments.stripes.synchronize()
        guard !segments.isPinned(id) else { return }
        let end = unsafe Int(record.pointee.used)
        var offset = 0
        while offset < end {
            let entry = unsafe ByteEntry(at: record.pointee.base + offset)
            if unsafe place(of: entry, in: id, at: offset) == nil { entry.overwrite() }
            offset += entry.byteCount
        }
        unsafe record.pointee.hasRemains = false
        if unsafe record.pointee.state != .deferred {
            unsafe record.pointee.isDeferred.store(false, ordering: .sequentiallyConsistent)
        }
    }
}
