internal import MemoryPressure
internal import SystemPackage

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A process whose control socket is to be found, as `/proc` shows it: it may be in a container, with other numbers and
/// another root than ours.
struct ControlledProcess {
    /// Its number here.
    let process: Int32
    /// Its number as it sees itself, by which its socket is named.
    let innerProcess: Int32
    /// The socket's directory as the process sees it.
    let directory: String
    private let entry: String

    /// - Parameters:
    ///   - process: Its number here.
    ///   - directory: The configured directory as the process sees it; nil for that of the socket that it has open, or of its
    ///     environment.
    ///   - proc: Where `/proc` is.
    init(_ process: Int32, directory: String?, proc: String = "/proc") throws(ControlFailure) {
        entry = "\(proc)/\(process)"
        guard Syscalls.exists(entry) else { throw .unavailable("there is no process \(process)") }
        self.process = process
        let status = try Self.read(entry + "/status", "process \(process)")
        innerProcess = Self.innermost(status) ?? process
        if let known = directory ?? SocketSearch(proc: proc).directories(of: process).first {
            self.directory = known
        } else {
            let environment = try Self.read(entry + "/environ", "the environment of process \(process)")
            guard let base = Self.variable("XDG_RUNTIME_DIR", environment), base.hasPrefix("/") else {
                throw .unavailable(
                    "process \(process) has no control socket open that this user may see, and was started without XDG_RUNTIME_DIR: is its control.isEnabled set? (see --directory)"
                )
            }
            self.directory = base.hasSuffix("/") ? base + "jetsam" : base + "/jetsam"
        }
    }

    private static func read(_ path: String, _ what: String) throws(ControlFailure) -> [UInt8] {
        do throws(Errno) { return try Syscalls.contents(of: path) } catch { throw .system(error, what) }
    }

    /// The last number of the line `NSpid:`: one for each pid namespace, ours first. Nil before Linux 4.1.
    static func innermost(_ status: [UInt8]) -> Int32? {
        let line = String(decoding: status, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("NSpid:") }
        return line?.split { $0 == "\t" || $0 == " " }.last.flatMap { Int32($0) }
    }

    /// A variable of an environment as `/proc` shows it.
    static func variable(_ name: String, _ environment: [UInt8]) -> String? {
        let prefix = Array((name + "=").utf8)
        let entry = environment.split(separator: 0).first { $0.starts(with: prefix) }
        return entry.map { String(decoding: $0.dropFirst(prefix.count), as: UTF8.self) }
    }

    /// While more wait to be let in than may, it is tried again: for up to two seconds.
    private static func connect(to path: String) throws(Errno) -> CInt {
        for _ in 0..<200 {
            do throws(Errno) {
                return try Syscalls.connect(to: path)
            } catch .resourceTemporarilyUnavailable {
                usleep(10_000)
            }
        }
        throw .resourceTemporarilyUnavailable
    }

    /// A connection to its control socket.
    func connect() throws(ControlFailure) -> CInt {
        let socket = "the control socket of process \(process)"
        let file = try openSocket()
        defer { Syscalls.close(file) }
        let connection: CInt
        do throws(Errno) {
            // By the descriptor of what was looked at: a path could be too long for a socket's address, or lead elsewhere by now.
            connection = try Self.connect(to: "/proc/self/fd/\(file)")
        } catch .connectionRefused {
            throw .unavailable("\(socket) is there, but nobody listens: it was left behind")
        } catch .resourceTemporarilyUnavailable {
            throw .unavailable("\(socket) does not let anybody in now: too many wait")
        } catch {
            throw .system(error, socket)
        }
        let peer = try? Syscalls.peer(of: connection)
        guard let peer, peer.process == process else {
            Syscalls.close(connection)
            let who = peer.map { $0.process == 0 ? "a process that cannot be seen" : "process \($0.process)" }
            throw .unavailable("\(socket) is served by \(who ?? "nobody")")
        }
        return connection
    }

    /// The socket's file, opened without following what could lead out of the process's own root.
    private func openSocket() throws(ControlFailure) -> CInt {
        let root: CInt
        do throws(Errno) {
            root = try Self.openPath("\(entry)/root")
        } catch {
            throw .system(error, "the root of process \(process)")
        }
        defer { Syscalls.close(root) }
        let inner: CInt
        do throws(Errno) {
            inner = try Self.open(directory, in: root, path: "\(entry)/root", isDirectory: true)
        } catch .noSuchFileOrDirectory {
            throw .unavailable(
                "process \(process) has no \(directory): is its control.isEnabled set? (see --directory)")
        } catch {
            throw .system(error, "\(directory) of process \(process)")
        }
        defer { Syscalls.close(inner) }
        let name = "\(innerProcess).sock"
        let file: CInt
        do throws(Errno) {
            file = try Self.open(name, in: inner, path: "/proc/self/fd/\(inner)", isDirectory: false)
        } catch .noSuchFileOrDirectory {
            throw .unavailable(
                "there is no \(name) in \(directory) of process \(process): is its control.isEnabled set?")
        } catch {
            throw .system(error, "\(directory)/\(name) of process \(process)")
        }
        var info = stat()
        guard unsafe fstat(file, &info) == 0, info.st_mode & S_IFMT == S_IFSOCK else {
            Syscalls.close(file)
            throw .unavailable("\(directory)/\(name) of process \(process) is no socket")
        }
        return file
    }

    private static func open(_ name: String, in root: CInt, path: String, isDirectory: Bool) throws(Errno) -> CInt {
        do {
            return try Syscalls.open(name, inRoot: root, isDirectory: isDirectory)
        } catch .noFunction {
            return try openPath("\(path)/\(name)", follows: false)
        }
    }

    private static func openPath(_ path: String, follows: Bool = true) throws(Errno) -> CInt {
        #if os(Linux)
            let descriptor = unsafe Self.systemOpen(path, O_PATH_ | O_CLOEXEC | (follows ? 0 : O_NOFOLLOW))
            guard descriptor >= 0 else { throw Errno(rawValue: errno) }
            return descriptor
        #else
            throw .noFunction
        #endif
    }

    /// O_PATH, which the importer leaves out (asm-generic/fcntl.h).
    private static let O_PATH_: CInt = 0o10000000

    @unsafe private static func systemOpen(_ path: UnsafePointer<CChar>, _ flags: CInt) -> CInt {
        #if canImport(Glibc)
            unsafe Glibc.open(path, flags)
        #elseif canImport(Musl)
            unsafe Musl.open(path, flags)
        #else
            unsafe Darwin.open(path, flags)
        #endif
    }
}
