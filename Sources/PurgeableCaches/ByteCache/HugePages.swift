/// The choice whether a ``PurgeableByteCache`` asks the kernel for huge pages.
public struct HugePages: Sendable, Hashable {
    private enum Choice { case never, whereAllowed }
    private let choice: Choice

    /// Ordinary pages: memory becomes resident, and goes back, in the smallest portions.
    public static let never = HugePages(choice: .never)
    /// Huge pages for all but the first segments, where `/sys/kernel/mm/transparent_hugepage/enabled` says `madvise` or
    /// `always`: the kernel fills and takes them back many times faster and lookups miss the processor's address cache
    /// less, but each segment becomes resident at once.
    public static let whereAllowed = HugePages(choice: .whereAllowed)
}
