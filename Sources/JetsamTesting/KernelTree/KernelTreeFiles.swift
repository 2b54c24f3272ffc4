internal import MemoryPressure
internal import SystemPackage

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A temporary directory, its files, and their removal.
struct KernelTreeFiles {
    let directory: String
    private var made: [String] = []
    private var folders: [String] = []
    private(set) var isRemoved = false

    init() throws(Errno) {
        let base = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
        var template = Array("\(base)/kernel-tree-XXXXXX".utf8CString)
        let isMade = unsafe template.withUnsafeMutableBufferPointer { unsafe mkdtemp($0.baseAddress!) != nil }
        guard isMade else { throw Errno(rawValue: errno) }
        directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Makes the folder and those above it.
    mutating func makeFolder(_ path: String) throws(Errno) {
        var sofar = ""
        for component in path.split(separator: "/") {
            sofar += "/\(component)"
            if folders.contains(sofar) { continue }
            if unsafe mkdir(directory + sofar, 0o755) != 0 { throw Errno(rawValue: errno) }
            folders.append(sofar)
        }
    }

    /// Writes the file in place: who has it open sees the new bytes. A shorter text is followed by empty lines, so that
    /// no reader ever meets the end of an older one.
    mutating func write(_ path: String, _ text: String) throws(Errno) {
        let descriptor = unsafe open(directory + path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw Errno(rawValue: errno) }
        defer { close(descriptor) }
        if !made.contains(path) { made.append(path) }
        let old = Int(lseek(descriptor, 0, SEEK_END))
        var bytes = Array(text.utf8)
        bytes += Array(repeating: UInt8(ascii: "\n"), count: max(0, old - bytes.count))
        let written = unsafe bytes.withUnsafeBytes { unsafe pwrite(descriptor, $0.baseAddress, $0.count, 0) }
        guard written == bytes.count else { throw Errno(rawValue: errno) }
    }

    /// Leaves the file with no bytes in it.
    func empty(_ path: String) {
        _ = unsafe truncate(directory + path, 0)
    }

    mutating func delete(_ path: String) {
        _ = unsafe unlink(directory + path)
        made.removeAll { $0 == path }
    }

    /// Deletes everything that was made, and what a test put beside it is left alone.
    mutating func deleteAll() {
        for path in made { _ = unsafe unlink(directory + path) }
        for path in folders.reversed() { _ = unsafe rmdir(directory + path) }
        _ = unsafe rmdir(directory)
        made = []
        folders = []
        isRemoved = true
    }
}
