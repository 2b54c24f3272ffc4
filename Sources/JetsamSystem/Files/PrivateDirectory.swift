package import SystemPackage

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A directory that others cannot change, and the few things that are done in it. Paths are always names inside it, so that no link
/// in between leads elsewhere.
package struct PrivateDirectory: ~Copyable, Sendable {
    package let descriptor: CInt

    /// The users that a directory must be safe from.
    package enum Safety: Sendable {
        /// Nobody but this user may read or change it (mode 0700).
        case ownUser
        /// Nobody but this user or root may change it.
        case ownUserOrRoot
        /// Anybody may: it is only read.
        case anybody
    }

    /// Opens a directory.
    ///
    /// - Parameters:
    ///   - path: The directory's path. A symbolic link in its last place is not followed.
    ///   - isMade: True to make the directory, with mode 0700, where its parent exists.
    ///   - isLasting: True where a directory that was made here must outlive a power failure.
    ///   - safety: The users that it must be safe from.
    /// - Throws: ``FileError/system(_:doing:)`` where it cannot be had, ``FileError/insecure(_:)`` where it is not safe.
    package init(_ path: String, isMade: Bool, isLasting: Bool = false, safety: Safety) throws(FileError) {
        // Behind a slash, or a slash and a dot, at its end the last name is followed whatever is asked for.
        var path = path
        while path.count > 1, path.hasSuffix("/") || path.hasSuffix("/.") { path.removeLast() }
        let isNew = unsafe isMade && mkdir(path, 0o700) == 0
        let obstacle = isMade && !isNew ? Errno(rawValue: errno) : nil
        let descriptor = unsafe systemOpen(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW, 0)
        guard descriptor >= 0 else {
            let error = Errno(rawValue: errno)
            if error == .noSuchFileOrDirectory, let obstacle { throw .system(obstacle, doing: "making the directory") }
            // What is asked of a link that is to be a directory is answered with ENOTDIR.
            var information = stat()
            let isLink = unsafe lstat(path, &information) == 0 && information.st_mode & S_IFMT == S_IFLNK
            throw .system(isLink ? .tooManySymbolicLinkLevels : error, doing: "opening the directory")
        }
        do throws(FileError) {
            try Self.check(descriptor, safety)
        } catch {
            Syscalls.close(descriptor)
            throw error
        }
        self.descriptor = descriptor
        if isLasting, isNew { Self.flushParent(of: path) }
    }

    deinit { Syscalls.close(descriptor) }

    private static func check(_ descriptor: CInt, _ safety: Safety) throws(FileError) {
        if case .anybody = safety { return }
        var information = stat()
        guard unsafe fstat(descriptor, &information) == 0 else {
            throw .system(Errno(rawValue: errno), doing: "looking at the directory")
        }
        let mode = String(information.st_mode & 0o7777, radix: 8)
        if case .ownUser = safety {
            guard information.st_mode & 0o077 == 0, information.st_uid == geteuid() else {
                throw .insecure(
                    "the directory has mode \(mode) and owner \(information.st_uid); it must be this user's, mode 700")
            }
            return
        }
        guard information.st_mode & 0o022 == 0 else {
            let who = information.st_mode & 0o002 == 0 ? "its group" : "everybody"
            throw .insecure(
                "\(who) may write to the directory (mode \(mode)), so that what is in it could be anybody's; 0700 and 0755 are right"
            )
        }
        guard information.st_uid == geteuid() || information.st_uid == 0 else {
            throw .insecure(
                "the directory belongs to user \(information.st_uid), not to this one (\(geteuid())) or root")
        }
    }

    // A directory that is lost with the power is made again; all that is lost with it was not there before.
    private static func flushParent(of path: String) {
        let parent = FilePath(path).removingLastComponent()
        let descriptor = unsafe systemOpen(
            AT_FDCWD, parent.isEmpty ? "." : parent.string, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        Syscalls.close(descriptor)
    }

    /// Gives the names in it, in no order.
    ///
    /// - Parameters:
    ///   - limit: After as many that are wanted no more are looked for.
    ///   - isWanted: A test for the names to return.
    package func names(
        limit: Int = .max, where isWanted: (String) -> Bool = { _ in true }
    ) throws(FileError) -> [String] {
        let file = unsafe systemOpen(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
        guard file >= 0 else { throw .system(Errno(rawValue: errno), doing: "listing the directory") }
        guard let stream = unsafe fdopendir(file) else {
            let error = Errno(rawValue: errno)
            Syscalls.close(file)
            throw .system(error, doing: "listing the directory")
        }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while names.count < limit, let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != "..", isWanted(name) { names.append(name) }
        }
        return names
    }

    /// Makes a file that nobody else has, with mode 0600, locked for as long as its descriptor is open; nil where the name is taken.
    package func make(_ name: String) throws(FileError) -> CInt? {
        let file = unsafe systemOpen(descriptor, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        if file < 0, errno == EEXIST { return nil }
        guard file >= 0 else { throw .system(Errno(rawValue: errno), doing: Self.making) }
        FileLock.lock(file)
        // Another process may have tidied up before the lock; then the file has no name any more.
        if let found = try? FileFacts(of: file), found.names > 0 { return file }
        Syscalls.close(file)
        return nil
    }

    static let making = "making the file"

    /// Opens an ordinary file to read it.
    package func open(_ name: String) throws(FileError) -> CInt? {
        let file = unsafe systemOpen(descriptor, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0)
        if file < 0, errno == ENOENT { return nil }
        if file < 0, errno == ELOOP { throw .damaged("it is a link") }
        guard file >= 0 else { throw .system(Errno(rawValue: errno), doing: "opening the file") }
        do throws(FileError) {
            let facts: FileFacts
            do throws(Errno) { facts = try FileFacts(of: file) } catch {
                throw .system(error, doing: "looking at the file")
            }
            guard facts.kind == .ordinary else { throw .damaged("it is no ordinary file") }
            return file
        } catch {
            Syscalls.close(file)
            throw error
        }
    }

    /// Reads the first `limit` bytes of a file, and its size; nil where there is none.
    package func read(_ name: String, limit: Int) throws(FileError) -> (bytes: [UInt8], size: Int)? {
        guard let file = try open(name) else { return nil }
        defer { Syscalls.close(file) }
        do throws(Errno) {
            return (try Syscalls.start(of: file, limit: limit), try FileFacts(of: file).size)
        } catch { throw .system(error, doing: "reading the file") }
    }

    /// Opens a file with its lock, to be closed by the caller; nil where there is no such file.
    package func lock(_ name: String) throws(FileError) -> CInt? {
        let file = openToLock(name)
        if file < 0, errno == ENOENT { return nil }
        guard file >= 0 else { throw .system(Errno(rawValue: errno), doing: "opening the file") }
        FileLock.lock(file)
        return file
    }

    /// Does something with a file that nobody works on any more. One that cannot be opened is none of ours.
    package func ifAbandoned(_ name: String, _ body: () throws(FileError) -> Void) throws(FileError) {
        let file = openToLock(name)
        guard file >= 0 else { return }
        defer { Syscalls.close(file) }
        if FileLock.tryLock(file) ?? Self.isOld(file) { try body() }
    }

    private func openToLock(_ name: String) -> CInt {
        unsafe systemOpen(descriptor, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0)
    }

    /// Returns whether the file was not written for an hour. Used where there are no locks: no write takes an hour.
    private static func isOld(_ file: CInt) -> Bool {
        guard let facts = try? FileFacts(of: file) else { return false }
        return Int(wallClockNanoseconds() / 1_000_000_000) - facts.written > 3600
    }

    /// Gives a file another name, in place of the one that has it.
    package func rename(_ name: String, to other: String) throws(FileError) {
        guard unsafe renameat(descriptor, name, descriptor, other) == 0 else {
            throw .system(Errno(rawValue: errno), doing: "renaming the file")
        }
    }

    /// Gives a file a second name.
    ///
    /// - Throws: EEXIST where there is one of that name.
    package func link(_ name: String, as other: String) throws(Errno) {
        guard unsafe linkat(descriptor, name, descriptor, other, 0) == 0 else { throw Errno(rawValue: errno) }
    }

    /// Removes a file.
    ///
    /// - Returns: True where there was one.
    @discardableResult
    package func remove(_ name: String) throws(FileError) -> Bool {
        if unsafe unlinkat(descriptor, name, 0) == 0 { return true }
        if errno == ENOENT { return false }
        throw .system(Errno(rawValue: errno), doing: "removing the file")
    }

    /// Changes who may do what with a file or socket.
    package func setMode(_ mode: FilePermissions, of name: String) throws(FileError) {
        guard unsafe fchmodat(descriptor, name, mode.rawValue, 0) == 0 else {
            throw .system(Errno(rawValue: errno), doing: "setting the file's mode")
        }
    }

    /// Tells what there is under a name, of a link itself; nil where that cannot be told.
    package func facts(of name: String) -> FileFacts? {
        var information = stat()
        guard unsafe fstatat(descriptor, name, &information, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
        return FileFacts(information)
    }

    /// Returns when the names in it outlive a power failure.
    package func flush() throws(FileError) {
        guard fsync(descriptor) == 0 else { throw .system(Errno(rawValue: errno), doing: "flushing the directory") }
    }
}

// The type's methods of the same name would shadow the system's inside it.
@unsafe private func systemOpen(_ at: CInt, _ name: String, _ flags: CInt, _ mode: mode_t) -> CInt {
    unsafe openat(at, name, flags, mode)
}
