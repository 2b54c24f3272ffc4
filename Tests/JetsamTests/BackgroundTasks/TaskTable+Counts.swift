@testable import BackgroundTasks
@testable import Jetsam

extension TaskTable {
    /// How many slots are taken: by what is held, expiring or overdue, and by what has ended and is still in a handle.
    var takenSlots: Int {
        (0..<shardCount).reduce(0) { sum, shard in unsafe sum + shards[shard].withLock { $0.slab.taken } }
    }

    /// How many chunks all slabs keep, and how many of these are empty.
    var chunks: (kept: Int, empty: Int) {
        (0..<shardCount).reduce((0, 0)) { sum, number in
            unsafe shards[number].withLock { shard in
                var (kept, empty) = sum
                for chunk in 0..<shard.slab.chunkCount {
                    let entries = unsafe shard.slab.entries(ofChunk: chunk)
                    guard let first = entries.baseAddress else { continue }
                    kept += 1
                    // By their addresses: the handler of a free slot is gone, and a copy of the entry would retain it.
                    let isEmpty = (0..<entries.count).allSatisfy { slot in
                        unsafe (first + slot).pointee.phase == .free
                    }
                    if isEmpty { empty += 1 }
                }
                return (kept, empty)
            }
        }
    }
}

extension HeldBackgroundTask.State {
    /// Whether it is overdue, for however long.
    var isOverdue: Bool { if case .overdue = self { true } else { false } }
}
