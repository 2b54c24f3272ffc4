/// The counters of a cgroup's `memory.events`, which only ever grow while the cgroup exists.
public struct MemoryEventCounters: Sendable, Equatable {
    /// The number of times that usage went over `memory.high` and was throttled.
    public var high: UInt64 = 0
    /// The number of times that usage touched `memory.max` (v1: `memory.failcnt`). Page cache touches it too: evidence of
    /// reclaim, no more.
    public var max: UInt64 = 0
    /// The number of times that the limit was reached and an allocation was about to fail.
    public var oom: UInt64 = 0
    /// The number of processes of the cgroup that the OOM killer ended.
    public var oomKill: UInt64 = 0

    /// Counters at zero.
    public init() {}
}
