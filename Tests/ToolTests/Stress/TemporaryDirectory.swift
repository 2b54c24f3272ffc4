import MemoryPressure
import SystemPackage

@testable import _StressPatterns
@testable import jetsam_stress

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A directory for one test, removed with its files when the test lets go of it.
final class TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        path = "/tmp/jetsam-tooltest-\(System.processIdentifier)-\(UInt32.random(in: 0 ... .max))"
        try Syscalls.makeDirectory(path, mode: .ownerReadWriteExecute)
    }

    deinit {
        for name in names { unsafe unlink(path + "/" + name) }
        try? Syscalls.removeDirectory(path)
    }

    var isEmpty: Bool { names.isEmpty }

    private var names: [String] {
        guard let directory = unsafe opendir(path) else { return [] }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
