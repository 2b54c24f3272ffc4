import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

var processID: Int32 { getpid() }

/// Nil where it was made, else why not.
func makeDirectory(_ path: String) -> Errno? {
    unsafe mkdir(path, 0o755) == 0 ? nil : Errno(rawValue: errno)
}

func removeDirectory(_ path: String) -> Errno? {
    unsafe rmdir(path) == 0 ? nil : Errno(rawValue: errno)
}

/// A directory of the test's own, removed with all that is in it (files only).
final class TestDirectory: Sendable {
    let path: String

    init() throws(Errno) {
        let base = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
        var template = Array("\(base)/jetsam-test-XXXXXX".utf8CString)
        let isMade = unsafe template.withUnsafeMutableBufferPointer { unsafe mkdtemp($0.baseAddress!) != nil }
        guard isMade else { throw Errno(rawValue: errno) }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        for name in names(in: path) { _ = unsafe unlink("\(path)/\(name)") }
        _ = removeDirectory(path)
    }

    func makeFIFO(_ name: String) throws(Errno) -> String {
        let file = "\(path)/\(name)"
        guard unsafe mkfifo(file, 0o600) == 0 else { throw Errno(rawValue: errno) }
        return file
    }
}

/// Makes an empty file.
func makeFile(_ path: String) throws {
    try FileDescriptor.open(FilePath(path), .writeOnly, options: [.create], permissions: .ownerReadWrite).close()
}

func removeFile(_ path: String) { _ = unsafe unlink(path) }

/// The names of what is in a directory.
func names(in directory: String) -> [String] {
    guard let stream = unsafe opendir(directory) else { return [] }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while let entry = unsafe readdir(stream) {
        let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
            unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        if name != ".", name != ".." { names.append(name) }
    }
    return names
}

/// What the descriptors of this process point to.
func openPaths() -> [String] {
    names(in: "/proc/self/fd").compactMap { name in
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = unsafe buffer.withUnsafeMutableBytes { bytes in
            unsafe readlink("/proc/self/fd/\(name)", bytes.baseAddress!, bytes.count)
        }
        return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
    }
}
