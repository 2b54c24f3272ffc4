#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

extension HugePages {
    /// The size of a huge page in bytes where this choice asks for them and the kernel allows it; else nil.
    var bytes: Int? {
        guard self == .whereAllowed, let setting = Self.read("/sys/kernel/mm/transparent_hugepage/enabled") else {
            return nil
        }
        guard setting.contains("[madvise]") || setting.contains("[always]") else { return nil }
        let size = Self.read("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size").flatMap {
            Int($0.prefix { $0.isNumber })
        }
        guard let size, size > 0, size & (size - 1) == 0, size <= ByteCacheSizes.largestSegment else { return nil }
        return size
    }

    private static func read(_ path: String) -> String? {
        #if os(Linux)
            let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return nil }
            defer { close(descriptor) }
            return unsafe withUnsafeTemporaryAllocation(byteCount: 128, alignment: 1) { buffer -> String? in
                let count = unsafe pread(descriptor, buffer.baseAddress, buffer.count, 0)
                guard count > 0 else { return nil }
                return unsafe String(decoding: buffer[..<count], as: UTF8.self)
            }
        #else
            return nil
        #endif
    }
}
