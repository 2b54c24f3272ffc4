internal import MemoryPressure
internal import SystemPackage

/// A temporary directory, its files, and their removal.
struct KernelTreeFiles {
    let directory: String
    private var made: [String] = []
    private var folders: [String] = []
    private(set) var isRemoved = false

    init() throws(Errno) {
        directory = try Syscalls.makeTemporaryDirectory("\(ThisProcess.variable("TMPDIR") ?? "/tmp")/kernel-tree-")
    }

    /// Makes the folder and those above it.
    mutating func makeFolder(_ path: String) throws(Errno) {
        var sofar = ""
        for component in path.split(separator: "/") {
            sofar += "/\(component)"
            if folders.contains(sofar) { continue }
            try Syscalls.makeDirectory(directory + sofar, mode: FilePermissions(rawValue: 0o755))
            folders.append(sofar)
        }
    }

    /// Writes the file in place: who has it open sees the new bytes. A shorter text is followed by empty lines, so that
    /// no reader ever meets the end of an older one.
    mutating func write(_ path: String, _ text: String) throws(Errno) {
        let descriptor = try Syscalls.openToWrite(directory + path, mode: FilePermissions(rawValue: 0o644))
        defer { Syscalls.close(descriptor) }
        if !made.contains(path) { made.append(path) }
        let old = try FileFacts(of: descriptor).size
        var bytes = Array(text.utf8)
        bytes += Array(repeating: UInt8(ascii: "\n"), count: max(0, old - bytes.count))
        guard try Syscalls.pwrite(descriptor, bytes[...], at: 0) == bytes.count else { throw .noSpace }
    }

    /// Leaves the file with no bytes in it.
    func empty(_ path: String) {
        try? Syscalls.truncate(directory + path, to: 0)
    }

    mutating func delete(_ path: String) {
        try? Syscalls.removeFile(directory + path)
        made.removeAll { $0 == path }
    }

    /// Deletes everything that was made, and what a test put beside it is left alone.
    mutating func deleteAll() {
        for path in made { try? Syscalls.removeFile(directory + path) }
        for path in folders.reversed() { try? Syscalls.removeDirectory(directory + path) }
        try? Syscalls.removeDirectory(directory)
        made = []
        folders = []
        isRemoved = true
    }
}
