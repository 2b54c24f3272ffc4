internal import Jetsam
internal import MemoryPressure

/// The bytes that the caches of a trial would have fetched again after its releases: an estimate.
///
/// A part of the growth of the trial's caches counts: the part of the recorded growth that was fetched again, in the ten
/// seconds after recorded releases so far. Where there was no such growth, all of it counts.
struct ModelledRefetches: Sendable {
    /// In all, up to where the model begins as recorded.
    private(set) var total = 0
    private var recorded = Growth()
    private var recordedRelease: MonotonicInstant?
    /// The bytes that the trial's caches had at the last reading.
    private var cacheBytes: Int?

    private struct Growth: Sendable {
        var last: (cacheBytes: Int, refetchedBytes: Int)?
        var grownBytes = 0.0
        var refetchedBytes = 0.0

        /// The part of what grew that had been there before.
        var share: Double { grownBytes > 0 ? min(1, refetchedBytes / grownBytes) : 1 }
    }

    /// A recorded release has ended.
    mutating func released(at instant: MonotonicInstant) {
        recordedRelease = instant
    }

    /// Takes what was recorded with a reading.
    mutating func note(_ record: ReadingRecord, at instant: MonotonicInstant) {
        defer { recorded.last = (record.reportedBytes, record.refetchedBytes) }
        guard let last = recorded.last, let recordedRelease,
            recordedRelease.duration(to: instant) <= ReleaseAccount.window
        else { return }
        recorded.grownBytes += max(0, Double(record.reportedBytes) - Double(last.cacheBytes))
        recorded.refetchedBytes += max(0, Double(record.refetchedBytes) - Double(last.refetchedBytes))
    }

    /// Follows the trial to a reading, and gives what it had fetched again until then.
    mutating func follow(_ trialCacheBytes: Int, recordedBytes: Int, isModel: Bool) -> Int {
        defer { cacheBytes = trialCacheBytes }
        guard isModel else {
            total = recordedBytes
            return total
        }
        let grown = max(0, Double(trialCacheBytes) - Double(cacheBytes ?? trialCacheBytes))
        total = Int(min(Double(RecordBytes.mostSize), Double(total) + grown * recorded.share))
        return total
    }
}
