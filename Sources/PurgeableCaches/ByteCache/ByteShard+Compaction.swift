internal import JetsamSystem
internal import Synchronization

/// Compaction. Entries that are removed or replaced one by one leave gaps that no call to the kernel gives back. Where the gaps
/// come to more than an eighth of what lives, the segment with most of them is emptied into another, a few entries with each
/// removal. Its memory is then used for new entries or goes back.
extension ByteShard {
    /// The progress of a compaction.
    struct Compaction {
        /// The segment that is being emptied, as long as it is not evicted, and how far.
        var segment = SegmentRecord.none
        var offset = 0
        /// As long as no more bytes than these are idle, there is nothing to gain.
        var restsUntil = 0
    }

    /// Entries that are gone through with one removal, and bytes that are moved.
    private static let entriesOfStep = 32
    private static let bytesOfStep = 64 << 10
    /// Bytes that go back to the kernel at a time.
    private static let bytesOfDiscard = 1 << 20

    /// Makes a step where one is due. To be called after an entry was removed or replaced.
    @inline(__always)
    mutating func compact() {
        let idle = segments.residentBytes - contents.liveBytes
        if idle <= max(contents.liveBytes / 8, segments.segmentBytes) {
            compaction.restsUntil = 0
        } else if idle > compaction.restsUntil {
            compactSome(idle)
        }
    }

    @inline(never)
    private mutating func compactSome(_ idle: Int) {
        if compaction.segment == SegmentRecord.none, !beginCompaction() {
            if !discardSpare() { rest(idle) }
        } else if !moveSome() {
            rest(idle)
        }
    }

    private mutating func rest(_ idle: Int) {
        compaction.restsUntil = idle + segments.segmentBytes / 4
    }

    /// Chooses the segment that keeps most memory for nothing; false where there is none that is worth its while.
    private mutating func beginCompaction() -> Bool {
        var most = 0
        for first in [segments.young.first, segments.kept.first] {
            var id = first
            while id != SegmentRecord.none {
                let record = unsafe segments.record(id)
                let resident = unsafe Int(record.pointee.resident)
                let gain = unsafe resident - Int(record.pointee.liveBytes)
                if gain > max(most, resident / 8), id != eviction.segment, !segments.isPinned(id) {
                    most = gain
                    compaction.segment = id
                }
                id = unsafe record.pointee.next
            }
        }
        compaction.offset = 0
        return compaction.segment != SegmentRecord.none
    }

    /// Moves some entries; false where there is no room for them.
    private mutating func moveSome() -> Bool {
        let id = compaction.segment
        let record = unsafe segments.record(id)
        let kind = unsafe record.pointee.kind
        var moved = 0
        for _ in 0..<Self.entriesOfStep where moved < Self.bytesOfStep {
            guard unsafe record.pointee.liveCount > 0, unsafe compaction.offset < Int(record.pointee.used) else {
                recycle(id)
                if segments.spare.count > 1 { _ = discardSpare() }
                return true
            }
            let entry = unsafe ByteEntry(at: record.pointee.base + compaction.offset)
            if let place = unsafe place(of: entry, in: id, at: compaction.offset) {
                guard let target = segmentWithoutEviction(for: kind, entry.byteCount) else {
                    compaction.segment = SegmentRecord.none
                    return false
                }
                let slot = unsafe ByteSlot(word: place.pointee)
                unsafe move(entry, place, slot, from: id, to: target, frequency: slot.frequency)
                moved += entry.byteCount
            }
            compaction.offset += entry.byteCount
        }
        return true
    }

    /// Gives memory of an empty segment back to the kernel, no more than takes a moment; false where none went.
    mutating func discardSpare() -> Bool {
        let id = segments.spare.first
        guard id != SegmentRecord.none else { return false }
        let record = unsafe segments.record(id)
        let resident = unsafe Int(record.pointee.resident)
        let piece = unsafe record.pointee.hasHugePages ? resident : min(resident, Self.bytesOfDiscard)
        let given = unsafe memory.discard(record.pointee.base + (resident - piece), piece)
        guard given > 0 else { return false }
        tally.releasedBytes += given
        segments.residentBytes -= given
        unsafe record.pointee.resident -= UInt32(given)
        if unsafe record.pointee.resident == 0 {
            segments.dequeue(id)
            segments.enqueue(id, as: .free)
        }
        return true
    }
}
