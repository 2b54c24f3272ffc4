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
        // By the descriptor: it is short however long the path is, and it is the directory that was looked at.
        let short = "/proc/self/fd/\(opened.descriptor)/\(name)"
        do {
            let bound = try Syscalls.bindStream(to: short)
            let identity = Self.identity(of: name, in: opened)
            self.identity = Lock(identity)
            guard unsafe fchmodat(opened.descriptor, name, 0o600, 0) == 0 else {
                let error = Errno(rawValue: errno)
                Self.remove(name, identity, from: opened)
                Syscalls.close(bound)
                throw error
            }
            do {
                try Syscalls.listen(bound, backlog: 8)
            } catch {
                Self.remove(name, identity, from: opened)
                Syscalls.close(bound)
                throw error
            }
            descriptor = bound
        } catch {
            throw ControlSocketError("\(path)/\(name)", (error as? Errno) ?? .invalidArgument)
        }
        directory = opened
    }

    deinit {
        removeName()
        Syscalls.close(descriptor)
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
        for name in names where name.hasSuffix(suffix) {
            let number = name.dropLast(suffix.count)
            guard !number.isEmpty, number.allSatisfy({ $0.isASCII && $0.isNumber }) else { continue }
            switch isServed(name, in: directory) {
            case false: _ = try? directory.remove(name)
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
