internal import MemoryPressure
internal import SystemPackage

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The directory of recordings, and the few things that are done in it. Names are always names inside it.
struct RingDirectory: ~Copyable {
    static let prefix = "jetsam-"
    static let suffix = ".ring"
    /// Ends the name of a file that has no header yet.
    static let unfinished = ".new"
    private static let mostAttempts = 100
    /// More are not looked at.
    private static let mostNames = 4096

    let descriptor: CInt

    /// Opens the directory.
    ///
    /// - Parameter isMade: Whether it is made where its parent exists, and must be safe to write to.
    init(_ path: String, isMade: Bool) throws(FlightRecorderError) {
        // Behind a slash at its end the last name is followed whatever is asked for.
        var path = path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        var making: Errno?
        if isMade, unsafe mkdir(path, 0o700) != 0 { making = Errno(rawValue: errno) }
        let descriptor = unsafe openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else {
            let error = Errno(rawValue: errno)
            if error == .noSuchFileOrDirectory, let making { throw .system(making, doing: "making the directory") }
            // What is asked of a link that is to be a directory is answered with ENOTDIR.
            var information = stat()
            let isLink = unsafe lstat(path, &information) == 0 && information.st_mode & S_IFMT == S_IFLNK
            throw .system(isLink ? .tooManySymbolicLinkLevels : error, doing: "opening the directory")
        }
        if isMade {
            do throws(FlightRecorderError) {
                try Self.checkSafety(descriptor)
            } catch {
                Syscalls.close(descriptor)
                throw error
            }
        }
        self.descriptor = descriptor
    }

    deinit { Syscalls.close(descriptor) }

    private static func checkSafety(_ descriptor: CInt) throws(FlightRecorderError) {
        var information = stat()
        guard unsafe fstat(descriptor, &information) == 0 else {
            throw .system(Errno(rawValue: errno), doing: "looking at the directory")
        }
        guard information.st_mode & 0o022 == 0 else {
            let mode = String(information.st_mode & 0o7777, radix: 8)
            let who = information.st_mode & 0o002 == 0 ? "its group" : "everybody"
            throw .insecure(
                "\(who) may write to the directory (mode \(mode)), so that a recording could be anybody's; 0700 and 0755 are right"
            )
        }
        guard information.st_uid == geteuid() || information.st_uid == 0 else {
            throw .insecure(
                "the directory belongs to user \(information.st_uid), not to this one (\(geteuid())) or root")
        }
    }

    /// The recordings in it, in no order.
    func names(ending: String = RingDirectory.suffix) throws(FlightRecorderError) -> [String] {
        let file = unsafe openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard file >= 0 else { throw .system(Errno(rawValue: errno), doing: "listing the directory") }
        guard let stream = unsafe fdopendir(file) else {
            let error = Errno(rawValue: errno)
            Syscalls.close(file)
            throw .system(error, doing: "listing the directory")
        }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while names.count < Self.mostNames, let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasPrefix(Self.prefix), name.hasSuffix(ending) { names.append(name) }
        }
        return names
    }

    /// Makes a file that nobody else has, locked for as long as its descriptor is open. It is no recording before it is published.
    func make(_ stem: String) throws(FlightRecorderError) -> (file: CInt, name: String) {
        let flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        for attempt in 0..<Self.mostAttempts {
            let name = Self.name(stem, attempt) + Self.unfinished
            let file = unsafe openat(descriptor, name, flags, 0o600)
            if file < 0, errno == EEXIST { continue }
            guard file >= 0 else { throw .system(Errno(rawValue: errno), doing: "making the file") }
            Self.lock(file)
            var information = stat()
            // Whoever tidies up may have come before the lock; then the file has no name any more.
            if unsafe fstat(file, &information) == 0, information.st_nlink > 0 { return (file, name) }
            Syscalls.close(file)
        }
        throw .system(.fileExists, doing: "making the file")
    }

    /// Gives a file whose header is whole the name of a recording.
    func publish(_ unfinished: String, _ stem: String) throws(FlightRecorderError) -> String {
        for attempt in 0..<Self.mostAttempts {
            let name = Self.name(stem, attempt)
            if unsafe linkat(descriptor, unfinished, descriptor, name, 0) == 0 {
                remove(unfinished)
                return name
            }
            if errno == EEXIST { continue }
            // Where the file system has no second names.
            if unsafe renameat(descriptor, unfinished, descriptor, name) == 0 { return name }
            throw .system(Errno(rawValue: errno), doing: "naming the file")
        }
        throw .system(.fileExists, doing: "naming the file")
    }

    // Two containers may have processes of the same number that began at the same tick, or one before and after a reboot.
    private static func name(_ stem: String, _ attempt: Int) -> String {
        prefix + stem + (attempt == 0 ? "" : "-\(attempt)") + suffix
    }

    /// Opens a recording to read it.
    func open(_ name: String) -> CInt? {
        let file = unsafe openat(descriptor, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else { return nil }
        var information = stat()
        guard unsafe fstat(file, &information) == 0, information.st_mode & S_IFMT == S_IFREG else {
            Syscalls.close(file)
            return nil
        }
        return file
    }

    func remove(_ name: String) {
        _ = unsafe unlinkat(descriptor, name, 0)
    }

    /// Whether nobody writes to a file any more; nil where the file system has no locks. Those who ask do not hinder each other.
    static func isAbandoned(_ file: CInt) -> Bool? {
        while flock(file, LOCK_SH | LOCK_NB) != 0 {
            if errno == EINTR { continue }
            return errno == EWOULDBLOCK ? false : nil
        }
        return true
    }

    /// Takes the lock that a writer holds for as long as it lives.
    private static func lock(_ file: CInt) {
        while flock(file, LOCK_EX) != 0, errno == EINTR {}
    }

    /// The first bytes of a file; fewer where it ends or cannot be read.
    static func read(_ file: CInt, limit: Int) throws(Errno) -> [UInt8] {
        var information = stat()
        guard unsafe fstat(file, &information) == 0 else { throw Errno(rawValue: errno) }
        let wanted = min(limit, max(0, Int(information.st_size)))
        var bytes = [UInt8](repeating: 0, count: wanted)
        var offset = 0
        while offset < wanted {
            let count = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe pread(file, buffer.baseAddress! + offset, wanted - offset, off_t(offset))
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Errno(rawValue: errno) }
            guard count > 0 else { break }
            offset += count
        }
        bytes.removeLast(wanted - offset)
        return bytes
    }
}
