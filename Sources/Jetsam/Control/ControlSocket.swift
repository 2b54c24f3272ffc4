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

/// Why there is no control socket.
struct ControlSocketError: Error, Sendable, CustomStringConvertible {
    var description: String

    init(_ description: String) {
        self.description = description
    }

    init(_ doing: String, _ error: Errno) {
        description = "\(doing): \(ErrnoText.name(error))"
    }
}

/// The listening socket `PID.sock` in a directory that nobody else can enter. It is removed when this is let go, if not before.
@safe final class ControlSocket: Sendable {
    let descriptor: CInt
    /// Where it is, as this process sees it.
    let path: String
    private let directory: StateDirectory
    private let name: String
    /// What is to be removed; nil once it was.
    private let identity: Lock<Identity?>

    /// What tells a file from another one of the same name.
    private struct Identity: Equatable {
        var device: UInt64
        var number: UInt64
    }

    private static let suffix = ".sock"
    /// Ends the name of a socket that does not listen yet. Nobody else takes it for one that nobody listens on any more.
    private static let unfinished = ".sock-new"
    /// So many may wait to be let in; the kernel holds it to net.core.somaxconn.
    private static let backlog: CInt = 128
    /// From this age on, in seconds, whoever was to listen there is gone.
    private static let mostUnfinishedAge = 60

    /// The directory that is meant where none is configured; nil where there is none for this user.
    static func defaultDirectory(_ variables: [String: String]) -> String? {
        guard let base = variables["XDG_RUNTIME_DIR"], base.hasPrefix("/") else { return nil }
        return base.hasSuffix("/") ? base + "jetsam" : base + "/jetsam"
    }

    /// Makes the directory where only its parent is there, removes sockets that nobody listens on any more, and listens.
    ///
    /// - Parameters:
    ///   - path: An absolute path.
    ///   - process: This process's number, as it sees it itself.
    init(directory path: String, process: Int32) throws(ControlSocketError) {
        let opened: StateDirectory
        do {
            opened = try StateDirectory(FilePath(path))
        } catch {
            throw ControlSocketError("\(path): \(error)")
        }
        name = "\(process)\(Self.suffix)"
        self.path = "\(path)/\(name)"
        try Self.removeStale(in: opened, own: name)
        let unfinished = "\(process)-\(UInt32.random(in: .min ... .max))\(Self.unfinished)"
        // By the descriptor: it is short however long the path is, and it is the directory that was looked at.
        let short = "/proc/self/fd/\(opened.descriptor)/\(unfinished)"
        do {
            let bound = try Syscalls.bindStream(to: short)
            let identity = Self.identity(of: unfinished, in: opened)
            self.identity = Lock(identity)
            do {
                guard unsafe fchmodat(opened.descriptor, unfinished, 0o600, 0) == 0 else {
                    throw Errno(rawValue: errno)
                }
                try Syscalls.listen(bound, backlog: Self.backlog)
                try opened.rename(unfinished, to: name)
            } catch {
                Self.remove(unfinished, identity, from: opened)
                Syscalls.close(bound)
                throw error
            }
            descriptor = bound
        } catch let error as SceneStateStoreError {
            throw ControlSocketError("\(path)/\(name): \(error)")
        } catch {
            throw ControlSocketError("\(path)/\(name)", (error as? Errno) ?? .invalidArgument)
        }
        directory = opened
    }

    deinit {
        removeName()
        Syscalls.close(descriptor)
    }

    /// Whether somebody else took the socket's name away, or gave it to another: nobody comes from then on.
    var isRemoved: Bool {
        let identity = identity.withLock { $0 }
        return identity != nil && Self.identity(of: name, in: directory) != identity
    }

    /// Takes the socket's name away: nobody comes from here on. Once only, as the next may be given the same file number.
    func removeName() {
        let identity = identity.withLock { identity in
            defer { identity = nil }
            return identity
        }
        Self.remove(name, identity, from: directory)
    }

    private static func removeStale(in directory: borrowing StateDirectory, own: String) throws(ControlSocketError) {
        guard let names = try? directory.names() else { return }
        for name in names where name.hasSuffix(unfinished) && isOld(name, in: directory) {
            let identity = identity(of: name, in: directory)
            if isServed(name, in: directory) == false { remove(name, identity, from: directory) }
        }
        for name in names where name.hasSuffix(suffix) {
            let number = name.dropLast(suffix.count)
            guard !number.isEmpty, number.allSatisfy({ $0.isASCII && $0.isNumber }) else { continue }
            // Another process of the same number may give its own socket this name between the two.
            let identity = identity(of: name, in: directory)
            switch isServed(name, in: directory) {
            case false: remove(name, identity, from: directory)
            case true where name == own:
                throw ControlSocketError("\(name) is served by another process of the same number")
            default: break
            }
        }
    }

    /// Whether somebody listens, by trying: numbers of processes say nothing where containers share a directory. Nil where
    /// it is no socket, or that cannot be told.
    private static func isServed(_ name: String, in directory: borrowing StateDirectory) -> Bool? {
        do throws(Errno) {
            Syscalls.close(try Syscalls.connect(to: "/proc/self/fd/\(directory.descriptor)/\(name)"))
            return true
        } catch .connectionRefused {
            var info = stat()
            let isThere = unsafe fstatat(directory.descriptor, name, &info, AT_SYMLINK_NOFOLLOW) == 0
            return isThere && info.st_mode & S_IFMT == S_IFSOCK ? false : nil
        } catch .resourceTemporarilyUnavailable {
            return true  // Somebody listens who is slow to answer.
        } catch {
            return nil
        }
    }

    private static func isOld(_ name: String, in directory: borrowing StateDirectory) -> Bool {
        var info = stat()
        guard unsafe fstatat(directory.descriptor, name, &info, AT_SYMLINK_NOFOLLOW) == 0 else { return false }
        #if canImport(Darwin)
            let made = info.st_ctimespec.tv_sec
        #else
            let made = info.st_ctim.tv_sec
        #endif
        return time(nil) - made > mostUnfinishedAge
    }

    private static func identity(of name: String, in directory: borrowing StateDirectory) -> Identity? {
        var info = stat()
        guard unsafe fstatat(directory.descriptor, name, &info, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
        return Identity(device: UInt64(truncatingIfNeeded: info.st_dev), number: UInt64(info.st_ino))
    }

    /// Only our own: another process of the same number, in another container, may have come to the same directory.
    private static func remove(_ name: String, _ identity: Identity?, from directory: borrowing StateDirectory) {
        guard let identity, self.identity(of: name, in: directory) == identity else { return }
        _ = try? directory.remove(name)
    }
}
