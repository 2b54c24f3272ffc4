internal import JetsamSystem

/// What is asked of one task, or done to it, by its identifier.
extension TaskTable {
    func held(_ identifier: Identifier) -> HeldBackgroundTask? {
        let now = now
        guard let (shard, index, generation) = locate(identifier) else { return nil }
        // A copy without its handler: that must not be let go of here by chance.
        let copy: (entry: TaskEntry, progressed: UInt32?)? = shard.withLock { shard in
            guard let entry = unsafe shard.slab.entry(index, generation: generation) else { return nil }
            let copy = unsafe TaskEntry(
                handler: nil, due: entry.pointee.due, leadAndMarks: entry.pointee.leadAndMarks,
                began: entry.pointee.began, next: 0, previous: 0, generation: generation,
                origin: entry.pointee.origin, owner: entry.pointee.owner, place: 0, priority: entry.pointee.priority,
                phase: entry.pointee.phase)
            return (copy, shard.slab.progress(index, generation: generation))
        }
        return copy.map { describe($0.entry, progressed: $0.progressed, at: now) }
    }

    /// Returns whether the task has ended or is overdue.
    func isGone(_ identifier: Identifier) -> Bool {
        guard let (shard, index, generation) = locate(identifier) else { return true }
        return shard.withLock { shard in
            guard let entry = unsafe shard.slab.entry(index, generation: generation) else { return true }
            return unsafe entry.pointee.phase == .overdue || entry.pointee.phase == .ended
        }
    }

    func remaining(_ identifier: Identifier) -> Duration? {
        let now = now
        guard let (shard, index, generation) = locate(identifier) else { return .zero }
        return shard.withLock { shard in
            guard let entry = unsafe shard.slab.entry(index, generation: generation) else { return .zero }
            return unsafe remaining(entry.pointee, at: now)
        }
    }

    func extend(_ identifier: Identifier, by nanoseconds: Int64) -> Bool {
        guard nanoseconds > 0, let (shard, index, generation) = locate(identifier) else { return false }
        let running = running(now)
        return shard.withLock { shard in
            guard let entry = unsafe shard.slab.entry(index, generation: generation),
                unsafe entry.pointee.phase == .held, unsafe entry.pointee.due != .max,
                unsafe entry.pointee.due > running, !shard.isPastDeadline
            else { return false }
            shard.unlink(index)
            let lead = unsafe entry.pointee.lead
            let (sum, overflow) = unsafe (entry.pointee.due + lead).addingReportingOverflow(nanoseconds)
            unsafe entry.pointee.due = overflow ? .max : sum - lead
            shard.link(index)
            return true
        }
    }

    /// The work of the task moves. Nothing happens where it has ended.
    func noteProgress(_ identifier: Identifier) {
        guard let (shard, index, generation) = locate(identifier) else { return }
        let time = UInt32(truncatingIfNeeded: unit) & ~TaskEntry.handleBit
        shard.withLock { shard in
            guard unsafe shard.slab.entry(index, generation: generation) != nil else { return }
            shard.slab.noteProgress(index, generation: generation, at: time)
        }
    }

    /// Returns the reason why the task expires; nil where it was not told yet, and where it has ended.
    func expiryReason(_ identifier: Identifier) -> BackgroundTaskExpiry.Reason? {
        guard let (shard, index, generation) = locate(identifier) else { return nil }
        return shard.withLock { shard in
            guard let entry = unsafe shard.slab.entry(index, generation: generation) else { return nil }
            let wasTold = unsafe entry.pointee.phase == .expiring || entry.pointee.phase == .overdue
            return unsafe wasTold ? entry.pointee.reason : nil
        }
    }

    /// The task expires now for that reason, if nobody has told it yet. Returns whether it would not have expired now by itself.
    func makeDue(_ identifier: Identifier, _ reason: BackgroundTaskExpiry.Reason) -> Bool {
        let running = running(now)
        guard let (shard, index, generation) = locate(identifier) else { return false }
        return shard.withLock { shard in
            guard let entry = unsafe shard.slab.entry(index, generation: generation),
                unsafe entry.pointee.phase == .held
            else { return false }
            let isDue = unsafe entry.pointee.due <= running
            shard.unlink(index)
            unsafe entry.pointee.due = running
            unsafe entry.pointee.leadAndMarks &= ~TaskEntry.leadMask
            unsafe entry.pointee.reason = reason
            shard.link(index)
            return !isDue
        }
    }
}
