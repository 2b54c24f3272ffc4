/// One sample of the memory signals at one instant.
///
/// All figures are plain integers, so that a reading can be kept, compared and replayed without allocating.
public struct MemoryReading: Sendable, Equatable {
    /// The parts that were read afresh for a reading.
    public enum Depth: Sendable {
        /// Usage and the process's footprint only; the rest is carried over or estimated from the last full reading.
        case cheap
        /// Everything, `memory.stat` and stall times included.
        case full
    }

    /// Counts up by one with every reading of one reader, from 1.
    public var sequence: UInt64 = 0
    /// The instant at which it was taken.
    public var instant = MonotonicInstant(nanoseconds: 0)
    /// The parts that were read afresh.
    public var depth = Depth.full

    /// Bytes: the hard limit of the level that is tightest (`memory.max`, or v1 `memory.limit_in_bytes`); the machine's
    /// memory (MemTotal) where there is no limit anywhere.
    public var limitBytes = 0
    /// Indicates whether `limitBytes` is a cgroup's hard limit rather than the machine's memory.
    public var isLimited = false
    /// The level of the hierarchy that is tightest: 0 is the process's own cgroup, 1 its parent, and so on; -1 is the machine.
    public var tightestLevel = -1
    /// Bytes charged to the tightest level, page cache included.
    public var usageBytes = 0
    /// Bytes at the tightest level that cannot be taken back for free: on v2 anon + shmem + unevictable + kernel −
    /// slab_reclaimable + sock, on v1 total_rss + total_shmem + kernel usage; on the machine MemTotal − MemAvailable.
    public var unreclaimableBytes = 0
    /// Bytes until the tightest hard limit is reached: the smallest, over the process's cgroup and its ancestors, of
    /// (hard limit − unreclaimable of that same level), never more than MemAvailable and never negative.
    public var headroomBytes = 0
    /// Bytes that the kernel says can be had without swapping (MemAvailable); nil where `/proc/meminfo` cannot be read.
    public var availableBytes: Int?
    /// Bytes that may still be swapped out: SwapFree, and no more than the process's cgroup and its ancestors are allowed
    /// (`memory.swap.max`, on v1 `memory.memsw.limit_in_bytes`). Never part of `headroomBytes`.
    public var usableSwapBytes = 0
    /// The number of processes at the tightest level, without those of groups below it; nil where it has none, cannot be asked,
    /// or is the machine.
    public var processes: Int?
    /// Bytes between what cannot be taken back for free and the nearest `memory.high`, both of one level; negative above
    /// it, nil where none is set.
    public var distanceToHighBytes: Int?
    /// The `memory.high` that `distanceToHighBytes` is measured to, in bytes; nil where none is set.
    public var highBytes: Int?

    /// Bytes that this process costs: resident − shared, plus swapped-out and resident shared memory of its own.
    public var footprintBytes = 0

    /// Microseconds since boot in which some task waited for memory (`some total=`); nil where this reading has none.
    public var stallSomeMicroseconds: UInt64?
    /// Microseconds since boot in which all tasks waited for memory (`full total=`); nil where this reading has none.
    public var stallFullMicroseconds: UInt64?

    /// Counters of `memory.events` summed over the levels that can be seen, or v1's failcnt; nil where neither exists.
    public var events: MemoryEventCounters?

    /// Pages of the tightest level that were read back after they had been reclaimed (`workingset_refault_*`), since the cgroup
    /// was made; of the machine since boot (`/proc/vmstat`). Nil where that cannot be read. If this grows, pages are being
    /// thrashed, or files are read from end to end.
    public var refaultedPages: UInt64?
    /// Of ``refaultedPages``, those of files that the kernel takes for no working set, as those of a file that is read from end to end:
    /// neither `workingset_activate_file` nor `workingset_restore_file` counts them. On v1 those that came back since the first reading,
    /// by the machine's count (`/proc/vmstat`). 0 where that cannot be told.
    package var scannedPages = 0

    /// An empty reading, to be filled in.
    public init() {}
}
