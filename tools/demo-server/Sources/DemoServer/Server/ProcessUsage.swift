internal import SystemPackage

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// What this process has used so far.
struct ProcessUsage: Sendable {
    /// Seconds of CPU time of all its threads, in the kernel and outside.
    var cpuSeconds: Double
    /// Bytes of memory of its own: resident less shared, from `/proc/self/statm`; nil where there is no such file.
    var footprintBytes: Int?

    static func current() -> ProcessUsage {
        ProcessUsage(cpuSeconds: Double(clock()) / Double(CLOCKS_PER_SEC), footprintBytes: readFootprint())
    }

    private static func readFootprint() -> Int? {
        guard let file = try? FileDescriptor.open(FilePath("/proc/self/statm"), .readOnly) else { return nil }
        defer { try? file.close() }
        var bytes = [UInt8](repeating: 0, count: 128)
        let count = try? unsafe bytes.withUnsafeMutableBytes { try unsafe file.read(into: $0) }
        guard let count else { return nil }
        let fields = bytes.prefix(count).split(separator: UInt8(ascii: " ")).map {
            Int(String(decoding: $0, as: UTF8.self))
        }
        guard fields.count > 2, let resident = fields[1], let shared = fields[2] else { return nil }
        return (resident - shared) * Int(sysconf(Int32(_SC_PAGESIZE)))
    }
}
