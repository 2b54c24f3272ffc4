internal import Dispatch
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
    /// A file's first bytes as memory that other processes that map it share.
    static func mapShared(_ file: FileDescriptor, bytes: Int) throws(Errno) -> UnsafeMutableRawPointer {
        guard let start = unsafe mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.rawValue, 0),
            unsafe start != UnsafeMutableRawPointer(bitPattern: -1)
        else { throw lastError }
        return unsafe start
    }

    /// The whole of a file.
    static func bytes(of path: String) throws(Errno) -> [UInt8] {
        try typed {
            let file = try FileDescriptor.open(FilePath(path), .readOnly, options: .closeOnExec)
            return try file.closeAfter {
                var bytes: [UInt8] = []
                var piece = [UInt8](repeating: 0, count: 1 << 16)
                while true {
                    let count = try unsafe piece.withUnsafeMutableBytes { try unsafe file.read(into: $0) }
                    guard count > 0 else { return bytes }
                    bytes += piece[..<count]
                }
            }
        }
    }

    static func makePrivateDirectory(_ path: String) throws(Errno) {
        try check(unsafe mkdir(path, 0o700))
    }

    /// The names of the files in a directory.
    static func files(in path: String) throws(Errno) -> [String] {
        guard let directory = unsafe opendir(path) else { throw lastError }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            guard unsafe Int(entry.pointee.d_type) == Int(DT_REG) else { continue }
            names.append(
                unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                    unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
                })
        }
        return names
    }

    /// Removes a directory of our own with all that is in it. Follows no link.
    static func removeTree(_ path: String) {
        for name in directories(in: path) { removeTree("\(path)/\(name)") }
        for name in (try? files(in: path)) ?? [] { _ = unsafe unlink("\(path)/\(name)") }
        _ = unsafe rmdir(path)
    }
}
