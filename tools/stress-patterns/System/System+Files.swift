internal import MemoryPressure
package import SystemPackage

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

extension System {
    /// The whole of a small file.
    package static func text(of path: String) throws(Errno) -> String {
        String(decoding: try Syscalls.contents(of: path), as: UTF8.self)
    }

    /// Writes to a file that exists, in one write as control files want it.
    package static func write(_ text: String, to path: String) throws(Errno) {
        try typed {
            let file = try FileDescriptor.open(FilePath(path), .writeOnly, options: .closeOnExec)
            _ = try file.closeAfter { try file.writeAll(text.utf8) }
        }
    }

    /// Makes a file anew with this text, over an earlier one.
    package static func replace(_ path: String, with text: String) throws(Errno) {
        try typed {
            let file = try FileDescriptor.open(
                FilePath(path), .writeOnly, options: [.create, .truncate, .closeOnExec],
                permissions: [.ownerReadWrite, .groupRead, .otherRead]
            )
            _ = try file.closeAfter { try file.writeAll(text.utf8) }
        }
    }

    package static func isExecutableFile(_ path: String) -> Bool {
        var information = stat()
        guard unsafe stat(path, &information) == 0, information.st_mode & S_IFMT == S_IFREG else { return false }
        return unsafe access(path, X_OK) == 0
    }

    /// The names of the directories in a directory; none where it cannot be read.
    package static func directories(in path: String) -> [String] { (try? names(in: path, ofType: Int(DT_DIR))) ?? [] }

    /// The names of the files in a directory.
    package static func files(in path: String) throws(Errno) -> [String] { try names(in: path, ofType: Int(DT_REG)) }

    private static func names(in path: String, ofType type: Int) throws(Errno) -> [String] {
        guard let directory = unsafe opendir(path) else { throw lastError }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            guard unsafe Int(entry.pointee.d_type) == type else { continue }
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Removes a directory of our own with all that is in it. Follows no link.
    package static func removeTree(_ path: String) {
        for name in directories(in: path) { removeTree("\(path)/\(name)") }
        for name in (try? files(in: path)) ?? [] { try? Syscalls.removeFile("\(path)/\(name)") }
        try? Syscalls.removeDirectory(path)
    }

    /// Opens a directory and takes its advisory lock, which ends with the process; nil where somebody else holds it.
    package static func lockDirectory(_ path: String) throws(Errno) -> FileDescriptor? {
        let directory = try typed {
            try FileDescriptor.open(FilePath(path), .readOnly, options: [.closeOnExec, .directory])
        }
        guard flock(directory.rawValue, LOCK_EX | LOCK_NB) == 0 else {
            let error = lastError
            try? directory.close()
            guard error == .wouldBlock else { throw error }
            return nil
        }
        return directory
    }

    /// A file in `directory` that has lost its name already, so that it goes when its last descriptor does.
    package static func makeNamelessFile(in directory: String) throws(Errno) -> FileDescriptor {
        let path = "\(directory)/jetsam-stress-\(processIdentifier)-\(UInt32.random(in: 0 ... .max))"
        let file = try typed {
            try FileDescriptor.open(
                FilePath(path), .readWrite, options: [.create, .exclusiveCreate, .closeOnExec],
                permissions: .ownerReadWrite
            )
        }
        do throws(Errno) { try Syscalls.removeFile(path) } catch {
            try? file.close()
            throw error
        }
        return file
    }
}
