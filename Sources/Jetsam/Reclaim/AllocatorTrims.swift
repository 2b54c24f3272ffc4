internal import MemoryPressure

/// The time of a trim within its run.
enum TrimTime {
    /// Nobody has been asked: what the trim brings shows in the headroom.
    case first(headroomBytes: Int, isProbe: Bool)
    case last
}

/// The trims of the allocator: what it retains, and giving that back. When one is due is part of the state that threads share.
struct AllocatorTrims: Sendable {
    private let allocator: any MemoryAllocator
    private let clock: any MonotonicClock
    private let host: any ReclaimHost
    private let state: ReclaimState

    init(allocator: any MemoryAllocator, clock: any MonotonicClock, host: any ReclaimHost, state: ReclaimState) {
        self.allocator = allocator
        self.clock = clock
        self.host = host
        self.state = state
    }

    /// The bytes that the allocator retains, where it can tell at once.
    var retainedAtOnce: Int? {
        allocator.canTrim && allocator.trimsAfterEveryStep ? allocator.statistics?.retainedBytes : nil
    }

    /// Asks the allocator what it retains, so that the next step knows.
    func look() {
        guard let retained = retainedAtOnce else { return }
        state.noteRetained(retained)
    }

    /// Returns the bytes that the allocator retains, before a run begins; nil where it would take too long to find out.
    func retained(before demand: ReclaimDemand, _ origin: RunOrigin) -> Int? {
        // Nobody is in a hurry while a limit is only announced.
        if origin.missingToLimit != nil {
            return allocator.canTrim ? retainedAtOnce ?? allocator.countFreeBytes() : nil
        }
        guard origin.isDemand else { return nil }
        if let retained = retainedAtOnce { return retained }
        // glibc walks its heaps to count. Once in an episode, with time to spare, and where a trim may follow, it may.
        guard allocator.canTrim, demand.step == 1, demand.level == .warning, !demand.isUrgent, demand.missingBytes > 0,
            clock.now >= state.earliestTrim
        else { return nil }
        return allocator.countFreeBytes()
    }

    /// Indicates whether a trim can be had that does not come too soon after the last.
    var isDue: Bool {
        allocator.canTrim && (allocator.trimsAfterEveryStep || clock.now >= state.earliestTrim)
    }

    /// Trims the allocator, and gives the headroom after it and by how much what it retained, or the footprint, fell.
    @discardableResult
    func trim() -> (headroomBytes: Int, trimmedBytes: Int) {
        let retained = retainedAtOnce
        let before = host.measure()
        let start = clock.now
        allocator.trim()
        let end = clock.now
        let left = retainedAtOnce
        let after = host.measure()
        state.noteTrim(from: start, to: end, leaving: left)
        let fall = if let retained, let left { retained - left } else { before.footprintBytes - after.footprintBytes }
        return (after.headroomBytes, max(0, fall))
    }

    /// Trims after an answer that came when its step was over: nobody else gives back what was freed after the step's own trim.
    func trim(after answer: CallAnswer, isUnmapped: Bool) {
        // Only a thread of ours counts what it frees.
        if !isUnmapped, answer.freedBytes ?? 0 > 0, allocator.canTrim, allocator.trimsAfterEveryStep { trim() }
    }
}
