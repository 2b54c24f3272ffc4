internal import MemoryPressure
internal import SystemPackage
internal import _StressPatterns

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

extension System {
    /// How many processors are at work.
    static var processors: Int { Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

    static var memoryBytes: Int { Int(sysconf(Int32(_SC_PHYS_PAGES))) * pageSize }

    /// A new directory for this user alone.
    static func makeTemporaryDirectory() throws(StressError) -> String {
        let parent = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
        do throws(Errno) { return try Syscalls.makeTemporaryDirectory("\(parent)/jetsam-stress-") } catch {
            throw StressError("\(parent): no directory can be made in it: \(error)")
        }
    }

    /// Makes a file anew in one step: whoever reads it finds the old text or the new one.
    static func replaceAtOnce(_ path: String, with text: String) throws(Errno) {
        let beside = "\(path).\(processIdentifier)"
        try replace(beside, with: text)
        do throws(Errno) { try Syscalls.rename(beside, to: path) } catch {
            try? Syscalls.removeFile(beside)
            throw error
        }
    }
}
