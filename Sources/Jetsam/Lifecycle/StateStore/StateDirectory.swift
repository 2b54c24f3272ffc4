internal import CLinuxShims
internal import MemoryPressure
internal import SystemPackage

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A directory that nobody else can read or write, and the few things that the store does in it. Paths are always names
/// inside it, so that no link in between leads elsewhere.
struct StateDirectory: ~Copyable, Sendable {
    let descriptor: CInt

    /// Opens the directory, and makes it where its parent exists.
    init(_ path: FilePath) throws(SceneStateStoreError) {
        let made = unsafe mkdir(path.string, 0o700)
        if made != 0, errno != EEXIST { throw .system(Errno(rawValue: errno), doing: "making the directory") }
        let descriptor = unsafe open(path.string, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { throw .system(Errno(rawValue: errno), doing: "opening the directory") }
        var info = stat()
        guard unsafe fstat(descriptor, &info) == 0 else {
            let error = Errno(rawValue: errno)
            Syscalls.close(descriptor)
            throw .system(error, doing: "looking at the directory")
        }
        guard info.st_mode & 0o077 == 0, info.st_uid == geteuid() else {
            Syscalls.close(descriptor)
            let mode = String(info.st_mode & 0o7777, radix: 8)
            throw .insecure("the directory has mode \(mode) and owner \(info.st_uid); it must be this user's, mode 700")
        }
        self.descriptor = descriptor
        if made == 0 { Self.syncParent(of: path) }
    }

    deinit {
        Syscalls.close(descriptor)
    }

    // A directory that is lost with the power is made again; all that is lost with it was not there before.
    private static func syncParent(of path: FilePath) {
        let parent = path.removingLastComponent()
        let descriptor = unsafe open(parent.isEmpty ? "." : parent.string, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        Syscalls.close(descriptor)
    }

    /// A file to be written in place of another.
    struct File: Sendable {
        var name: String
        var bytes: [UInt8]
    }

    /// Writes a file in place of another: when this returns it outlives a power failure, when it throws the other one is
    /// still there.
    func replace(_ name: String, with bytes: [UInt8]) throws(SceneStateStoreError) {
        try replace([File(name: name, bytes: bytes)])[0].get()
    }

    /// From so many on the file system is flushed.
    private static let manyFiles = 8

    private struct Written {
        var descriptor: CInt
        var name: String
    }

    /// Writes several files in place of others, each as ``replace(_:with:)`` does, and gives what became of each.
    ///
    /// All are written before anything is flushed. Many are flushed with their whole file system (syncfs(2)), a few one by one; the
    /// directory is flushed once.
    func replace(_ files: [File]) -> [Result<Void, SceneStateStoreError>] {
        var results: [Result<Void, SceneStateStoreError>] = []
        var written: [Written?] = []
        // Locked until they have their names, so that nobody takes them for what a crash has left.
        defer { for file in written { if let file { Syscalls.close(file.descriptor) } } }
        for file in files {
            let result = Result { () throws(SceneStateStoreError) in try write(file) }
            written.append(try? result.get())
            results.append(result.map { _ in })
        }
        // One flush of the disk for all: on a busy disk a fifth of what a flush for each costs. A few do not make others wait for it.
        let isSynced = files.count >= Self.manyFiles && jetsam_sync_file_system(descriptor)
        var isRenamed = false
        for (index, file) in written.enumerated() {
            guard let file else { continue }
            do throws(SceneStateStoreError) {
                // What was not written, or where that is not known, says so itself.
                guard isSynced && jetsam_is_written(file.descriptor) || fsync(file.descriptor) == 0 else {
                    throw .system(Errno(rawValue: errno), doing: "flushing the file")
                }
                try rename(file.name, to: files[index].name)
                isRenamed = true
            } catch {
                _ = unsafe unlinkat(descriptor, file.name, 0)
                results[index] = .failure(error)
            }
        }
        guard isRenamed else { return results }
        do throws(SceneStateStoreError) { try sync() } catch {
            for (index, result) in results.enumerated() {
                if case .success = result { results[index] = .failure(error) }
            }
        }
        return results
    }

    /// Whether there may be a descriptor once the others of the group are closed.
    static func isForWantOfDescriptors(_ result: Result<Void, SceneStateStoreError>) -> Bool {
        guard case .failure(let error) = result else { return false }
        return [Errno.tooManyOpenFiles, .tooManyOpenFilesInSystem].contains {
            error == .system($0, doing: making)
        }
    }

    private static let making = "making the file"

    /// A new file with its bytes, which are on their way to the disk.
    private func write(_ file: File) throws(SceneStateStoreError) -> Written {
        let (made, temporary) = try make(for: file.name)
        do throws(SceneStateStoreError) {
            try writeAll(made, file.bytes)
        } catch {
            _ = unsafe unlinkat(descriptor, temporary, 0)
            Syscalls.close(made)
            throw error
        }
        // Flushing waits for one after another; the disk need not.
        jetsam_start_writeback(made)
        return Written(descriptor: made, name: temporary)
    }

    /// A new file of a name that nobody else has, locked.
    private func make(for name: String) throws(SceneStateStoreError) -> (file: CInt, name: String) {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        while true {
            let number = StateFileName.hexadecimal(.random(in: .min ... .max))
            let temporary = "\(name).\(number)\(StateFileName.temporary)"
            let file = unsafe openat(descriptor, temporary, flags, 0o600)
            if file < 0, errno == EEXIST { continue }
            guard file >= 0 else { throw .system(Errno(rawValue: errno), doing: Self.making) }
            Self.lock(file, isPatient: true)
            var info = stat()
            // Whoever tidies up may have come before the lock; then the file has no name any more.
            if unsafe fstat(file, &info) == 0, info.st_nlink > 0 { return (file, temporary) }
            Syscalls.close(file)
        }
    }

    /// Whether the lock was had; nil where the file system has none.
    @discardableResult
    private static func lock(_ file: CInt, isPatient: Bool) -> Bool? {
        while flock(file, isPatient ? LOCK_EX : LOCK_EX | LOCK_NB) != 0 {
            if errno == EINTR { continue }
            return errno == EWOULDBLOCK ? false : nil
        }
        return true
    }

    /// A descriptor of the file with its lock, to be closed by the caller; nil where there is no such file.
    func lock(_ name: String) throws(SceneStateStoreError) -> CInt? {
        let file = unsafe openat(descriptor, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        if file < 0, errno == ENOENT { return nil }
        guard file >= 0 else { throw .system(Errno(rawValue: errno), doing: "opening the file") }
        Self.lock(file, isPatient: true)
        return file
    }

    /// Does something with a file that nobody works on any more. One that cannot be opened is none of ours.
    func ifAbandoned(_ name: String, _ body: () throws(SceneStateStoreError) -> Void) throws(SceneStateStoreError) {
        let file = unsafe openat(descriptor, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else { return }
        defer { Syscalls.close(file) }
        if Self.lock(file, isPatient: false) ?? Self.isOld(file) { try body() }
    }

    /// Whether it was written an hour ago: no write takes as long.
    private static func isOld(_ file: CInt) -> Bool {
        var info = stat()
        guard unsafe fstat(file, &info) == 0 else { return false }
        #if canImport(Darwin)
            let written = info.st_mtimespec.tv_sec
        #else
            let written = info.st_mtim.tv_sec
        #endif
        return time(nil) - written > 3600
    }

    private func writeAll(_ file: CInt, _ bytes: [UInt8]) throws(SceneStateStoreError) {
        var offset = 0
        while offset < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe systemWrite(file, buffer.baseAddress! + offset, buffer.count - offset)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                throw .system(count == 0 ? .noSpace : Errno(rawValue: errno), doing: "writing the file")
            }
            offset += count
        }
    }

    /// The first `limit` bytes of a file and its size; nil where there is none.
    func read(_ name: String, limit: Int) throws(SceneStateStoreError) -> (bytes: [UInt8], size: Int)? {
        let file = unsafe openat(descriptor, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        if file < 0, errno == ENOENT { return nil }
        if file < 0, errno == ELOOP { throw .damaged("it is a link") }
        guard file >= 0 else { throw .system(Errno(rawValue: errno), doing: "opening the file") }
        defer { Syscalls.close(file) }
        var info = stat()
        guard unsafe fstat(file, &info) == 0 else {
            throw .system(Errno(rawValue: errno), doing: "looking at the file")
        }
        guard info.st_mode & S_IFMT == S_IFREG else { throw .damaged("it is no ordinary file") }
        let wanted = min(limit, Int(info.st_size))
        var bytes = [UInt8](repeating: 0, count: wanted)
        var offset = 0
        while offset < wanted {
            let count = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe pread(file, buffer.baseAddress! + offset, wanted - offset, off_t(offset))
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .system(Errno(rawValue: errno), doing: "reading the file") }
            guard count > 0 else { break }
            offset += count
        }
        bytes.removeLast(wanted - offset)
        return (bytes, Int(info.st_size))
    }

    func rename(_ name: String, to other: String) throws(SceneStateStoreError) {
        guard unsafe renameat(descriptor, name, descriptor, other) == 0 else {
            throw .system(Errno(rawValue: errno), doing: "renaming the file")
        }
    }

    /// Gives a file its name back, unless there is one of that name, or the file is gone.
    func restore(_ name: String, as other: String) throws(SceneStateStoreError) {
        guard unsafe linkat(descriptor, name, descriptor, other, 0) == 0 || errno == EEXIST || errno == ENOENT else {
            throw .system(Errno(rawValue: errno), doing: "giving the file its name back")
        }
    }

    /// Whether there was one.
    @discardableResult
    func remove(_ name: String) throws(SceneStateStoreError) -> Bool {
        if unsafe unlinkat(descriptor, name, 0) == 0 { return true }
        if errno == ENOENT { return false }
        throw .system(Errno(rawValue: errno), doing: "removing the file")
    }

    func sync() throws(SceneStateStoreError) {
        guard fsync(descriptor) == 0 else { throw .system(Errno(rawValue: errno), doing: "flushing the directory") }
    }

    /// The names in it, in no order.
    func names() throws(SceneStateStoreError) -> [String] {
        let file = unsafe openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard file >= 0 else { throw .system(Errno(rawValue: errno), doing: "opening the directory") }
        guard let stream = unsafe fdopendir(file) else {
            let error = Errno(rawValue: errno)
            Syscalls.close(file)
            throw .system(error, doing: "listing the directory")
        }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}

// The type's methods of the same name would shadow the system's inside it.
@unsafe private func systemWrite(_ file: CInt, _ at: UnsafeRawPointer, _ count: Int) -> Int {
    unsafe write(file, at, count)
}
