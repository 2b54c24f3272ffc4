import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A directory that is gone again, with all that is in it, when the value is let go.
final class TemporaryDirectory: Sendable {
    let path: FilePath

    /// - Parameter isQuick: In memory where there is such a place: for tests that flush thousands of files.
    init(isQuick: Bool = false) throws {
        let isThere = unsafe isQuick && access("/dev/shm", W_OK) == 0
        var template = Array("\(isThere ? "/dev/shm" : "/tmp")/jetsam-scenes-XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else { throw Errno(rawValue: errno) }
        path = FilePath(String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }

    deinit {
        Self.remove(path)
    }

    static func remove(_ path: FilePath) {
        guard let stream = unsafe opendir(path.string) else {
            _ = unsafe unlink(path.string)
            return
        }
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            guard name != ".", name != ".." else { continue }
            var info = stat()
            let child = path.appending(name)
            let isDirectory = unsafe lstat(child.string, &info) == 0 && info.st_mode & S_IFMT == S_IFDIR
            if isDirectory { remove(child) } else { _ = unsafe unlink(child.string) }
        }
        unsafe closedir(stream)
        _ = unsafe rmdir(path.string)
    }

    /// The names in a directory, sorted.
    static func names(_ path: FilePath) throws -> [String] {
        guard let stream = unsafe opendir(path.string) else { throw Errno(rawValue: errno) }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    static func mode(_ path: FilePath) throws -> UInt32 {
        var info = stat()
        guard unsafe lstat(path.string, &info) == 0 else { throw Errno(rawValue: errno) }
        return info.st_mode & 0o7777
    }

    static func write(_ bytes: [UInt8], to path: FilePath) throws {
        let file = try FileDescriptor.open(
            path, .writeOnly, options: [.create, .truncate], permissions: [.ownerReadWrite])
        try file.closeAfter { _ = try file.writeAll(bytes) }
    }

    static func read(_ path: FilePath) throws -> [UInt8] {
        let file = try FileDescriptor.open(path, .readOnly)
        return try file.closeAfter {
            var bytes = [UInt8](repeating: 0, count: 1 << 21)
            let count = try unsafe bytes.withUnsafeMutableBytes { unsafe try file.read(into: $0) }
            return Array(bytes[..<count])
        }
    }
}
