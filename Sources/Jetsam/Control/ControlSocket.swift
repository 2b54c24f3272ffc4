internal import MemoryPressure
internal import SystemPackage

/// The reason why there is no control socket.
struct ControlSocketError: Error, Sendable, CustomStringConvertible {
    var description: String

    init(_ description: String) {
        self.description = description
    }

    init(_ doing: String, _ error: Errno) {
        description = "\(doing): \(FileError.reason(error))"
    }
}

/// The listening socket `PID.sock` in a directory that nobody else can enter. It is removed when this is let go, if not before.
@safe final class ControlSocket: Sendable {
    let descriptor: CInt
    /// The path of the socket, as this process sees it.
    let path: String
    private let directory: PrivateDirectory
    private let name: String
    /// The identity of the file to remove; nil once it was removed.
    private let identity: Lock<FileFacts.Identity?>

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
        let opened: PrivateDirectory
        do {
            opened = try PrivateDirectory(path, isMade: true, safety: .ownUser)
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
            let identity = opened.facts(of: unfinished)?.identity
            self.identity = Lock(identity)
            do {
                try opened.setMode(.ownerReadWrite, of: unfinished)
                try Syscalls.listen(bound, backlog: Self.backlog)
                try opened.rename(unfinished, to: name)
            } catch {
                Self.remove(unfinished, identity, from: opened)
                Syscalls.close(bound)
                throw error
            }
            descriptor = bound
        } catch let error as FileError {
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

    /// Indicates whether somebody else took the socket's name away, or gave it to another: nobody comes from then on.
    var isRemoved: Bool {
        let identity = identity.withLock { $0 }
        return identity != nil && directory.facts(of: name)?.identity != identity
    }

    /// Takes the socket's name away: nobody comes from here on. Once only, as the next may be given the same file number.
    func removeName() {
        let identity = identity.withLock { identity in
            defer { identity = nil }
            return identity
        }
        Self.remove(name, identity, from: directory)
    }

    private static func removeStale(in directory: borrowing PrivateDirectory, own: String) throws(ControlSocketError) {
        guard let names = try? directory.names() else { return }
        for name in names where name.hasSuffix(unfinished) && isOld(name, in: directory) {
            let identity = directory.facts(of: name)?.identity
            if isServed(name, in: directory) == false { remove(name, identity, from: directory) }
        }
        for name in names where name.hasSuffix(suffix) {
            let number = name.dropLast(suffix.count)
            guard !number.isEmpty, number.allSatisfy({ $0.isASCII && $0.isNumber }) else { continue }
            // Another process of the same number may give its own socket this name between the two.
            let identity = directory.facts(of: name)?.identity
            switch isServed(name, in: directory) {
            case false: remove(name, identity, from: directory)
            case true where name == own:
                throw ControlSocketError("\(name) is served by another process with the same PID")
            default: break
            }
        }
    }

    /// Returns whether somebody listens, by trying: numbers of processes say nothing where containers share a directory. Nil
    /// where it is no socket, or that cannot be told.
    private static func isServed(_ name: String, in directory: borrowing PrivateDirectory) -> Bool? {
        do throws(Errno) {
            Syscalls.close(try Syscalls.connect(to: "/proc/self/fd/\(directory.descriptor)/\(name)"))
            return true
        } catch .connectionRefused {
            return directory.facts(of: name)?.kind == .socket ? false : nil
        } catch .resourceTemporarilyUnavailable {
            return true  // Somebody listens who is slow to answer.
        } catch {
            return nil
        }
    }

    private static func isOld(_ name: String, in directory: borrowing PrivateDirectory) -> Bool {
        guard let made = directory.facts(of: name)?.changed else { return false }
        return Int(wallClockNanoseconds() / 1_000_000_000) - made > mostUnfinishedAge
    }

    /// Only our own: another process of the same number, in another container, may have come to the same directory.
    private static func remove(
        _ name: String, _ identity: FileFacts.Identity?, from directory: borrowing PrivateDirectory
    ) {
        guard let identity, directory.facts(of: name)?.identity == identity else { return }
        _ = try? directory.remove(name)
    }
}
