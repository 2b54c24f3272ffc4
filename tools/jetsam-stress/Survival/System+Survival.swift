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
        let path = "\(parent)/jetsam-stress-\(processIdentifier)-\(UInt32.random(in: 0 ... .max))"
        guard unsafe mkdir(path, 0o700) == 0 else {
            throw StressError("\(path): the directory cannot be made: \(lastError)")
        }
        return path
    }

    /// Removes a directory of files, none of them a directory.
    static func removeFiles(in path: String) {
        guard let directory = unsafe opendir(path) else { return }
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { unsafe unlink("\(path)/\(name)") }
        }
        unsafe closedir(directory)
        unsafe rmdir(path)
    }

    /// Makes a file anew in one step: whoever reads it finds the old text or the new one.
    static func replaceAtOnce(_ path: String, with text: String) throws(Errno) {
        let beside = "\(path).\(processIdentifier)"
        try replace(beside, with: text)
        guard unsafe rename(beside, path) == 0 else {
            let error = lastError
            unsafe unlink(beside)
            throw error
        }
    }
}
