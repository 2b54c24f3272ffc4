internal import MemoryPressure

extension Reclaimer {
    /// The bytes that the allocator retains, where it can tell at once.
    var retainedAtOnce: Int? {
        allocator.canTrim && allocator.trimsAfterEveryStep ? allocator.statistics?.retainedBytes : nil
    }

    /// Asks the allocator what it retains, so that the next step knows.
    func lookAtAllocator() {
        guard let retained = retainedAtOnce else { return }
        state.withLock { state in
            state.trim.noteCounted(retained)
            channel.gauges.publish(state.trim)
        }
    }

    /// Returns the bytes that the allocator retains, before a step begins; nil where it would take too long to find out.
    func retainedBefore(_ demand: ReclaimDemand) -> Int? {
        if let retained = retainedAtOnce { return retained }
        // glibc walks its heaps to count. Once in an episode, with time to spare, and where a trim may follow, it may.
        guard allocator.canTrim, demand.step == 1, demand.level == .warning, !demand.isUrgent, demand.missingBytes > 0,
            state.withLock({ clock.now >= $0.trim.earliest })
        else { return nil }
        return allocator.countFreeBytes()
    }

    /// Returns the bytes that the allocator retains, where nobody is in a hurry.
    func countRetained() -> Int? {
        allocator.canTrim ? retainedAtOnce ?? allocator.countFreeBytes() : nil
    }

    /// Indicates whether a trim can be had that does not come too soon after the last.
    var mayTrim: Bool {
        let now = clock.now
        return allocator.canTrim && (allocator.trimsAfterEveryStep || state.withLock { now >= $0.trim.earliest })
    }

    /// Trims the allocator, and gives the headroom after it and by how much what it retained, or the footprint, fell.
    func trimAllocator() -> (headroomBytes: Int, trimmedBytes: Int) {
        let retained = retainedAtOnce
        let before = host.measure()
        let start = clock.now
        allocator.trim()
        let end = clock.now
        let left = retainedAtOnce
        let after = host.measure()
        state.withLock { state in
            state.trim.trimmed(from: start, to: end, leaving: left)
            channel.gauges.publish(state.trim)
        }
        let fall = if let retained, let left { retained - left } else { before.footprintBytes - after.footprintBytes }
        return (after.headroomBytes, max(0, fall))
    }

    /// Returns the bytes that the caches gave in a run and that went to the allocator, and not to the kernel at once.
    func freedIntoAllocator(_ run: ReclaimRun, _ clients: [UInt64: CacheClient]) -> Int {
        var sum = 0
        for outcome in run.outcomes
        where outcome.isRelease && clients[outcome.client]?.traits.contains(.unmapping) != true {
            sum = sum.addingSaturating(outcome.answer.promisedBytes)
        }
        return sum
    }
}
