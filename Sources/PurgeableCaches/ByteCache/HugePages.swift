/// The choice whether a ``PurgeableByteCache`` asks the kernel for huge pages.
public enum HugePages: Sendable {
    /// Ordinary pages: memory becomes resident, and goes back, in the smallest portions.
    case never
    /// Huge pages for all but the first segments, where `/sys/kernel/mm/transparent_hugepage/enabled` says `madvise` or
    /// `always`: the kernel fills and takes them back many times faster and lookups miss the processor's address cache
    /// less, but each segment becomes resident at once.
    case whereAllowed
}
