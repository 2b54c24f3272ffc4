import ComparisonSupport
import Glibc
import Jetsam

/// What this process takes, as the kernel counts it.
enum Process {
    /// Resident bytes. Unlike what is read elsewhere in these comparisons, nothing is trimmed for it.
    static var residentBytes: Int {
        guard let file = unsafe fopen("/proc/self/statm", "r") else { stop("/proc/self/statm cannot be read") }
        defer { unsafe _ = fclose(file) }
        var text = [CChar](repeating: 0, count: 128)
        guard unsafe fgets(&text, 128, file) != nil else { stop("/proc/self/statm is empty") }
        let fields = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }.split(separator: UInt8(ascii: " "))
        guard fields.count > 1, let pages = Int(String(decoding: fields[1], as: UTF8.self)) else {
            stop("/proc/self/statm cannot be understood")
        }
        return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    }
}

/// The allocator that serves this process.
enum Heap {
    static let allocator = SystemAllocator()

    /// The one that it has to be for a way.
    static func expected(_ way: String) -> String { way == "jetsam" ? "jemalloc" : way }
}
