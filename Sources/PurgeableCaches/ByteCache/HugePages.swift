internal import JetsamSystem
internal import SystemPackage

/// The choice whether a ``PurgeableByteCache`` asks the kernel for huge pages.
public enum HugePages: Sendable {
    /// Ordinary pages: memory becomes resident, and goes back, in the smallest portions.
    case never
    /// Huge pages for all but the first segments, where `/sys/kernel/mm/transparent_hugepage/enabled` says `madvise` or
    /// `always`: the kernel fills and takes them back many times faster and lookups miss the processor's address cache
    /// less, but each segment becomes resident at once.
    case whereAllowed
}

extension HugePages {
    /// The size of a huge page in bytes where this choice asks for them and the kernel allows it; else nil.
    ///
    /// - Parameter root: A prefix for the paths of the kernel's files.
    func bytes(in root: String = "") -> Int? {
        let directory = "\(root)/sys/kernel/mm/transparent_hugepage"
        guard self == .whereAllowed, let setting = Self.read("\(directory)/enabled"),
            setting.contains("[madvise]") || setting.contains("[always]"),
            let size = Self.read("\(directory)/hpage_pmd_size").flatMap({ Int($0.prefix { $0.isNumber }) }),
            size > 0, size & (size - 1) == 0, size <= ByteCacheSizes.largestSegment
        else { return nil }
        return size
    }

    private static func read(_ path: String) -> String? {
        (try? Syscalls.contents(of: path)).map { String(decoding: $0, as: UTF8.self) }
    }
}
