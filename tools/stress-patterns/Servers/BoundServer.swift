internal import CStressProcesses
internal import MemoryPressure
internal import SystemPackage

/// A real server as a child of this process, with a connection to it. It is ended when the last reference goes, and by the kernel when
/// the thread that started it ends.
final class BoundServer {
    private static let patience = Duration.seconds(10)

    let process: Int32
    private let program: String
    private let connection: FileDescriptor
    private var received: [UInt8] = []
    private var position = 0
    private var end: System.ProcessEnd?

    /// Comes back once the server answers. By then nothing of it is left in the file system: the connection needs no path any more.
    init(_ kind: ServerKind, limitBytes: Int) throws {
        guard let path = System.executablePath(of: kind.program) else {
            throw StressError(
                "\(kind.program) is not on the PATH: on Debian and Ubuntu the package \(kind.package) has it")
        }
        // A signal in between would leave the directory.
        (process, connection) = try System.withoutStopSignals {
            let directory = try Self.makeDirectory()
            let socket = directory + "/socket"
            defer {
                System.removeFile(socket)
                try? Syscalls.removeDirectory(directory)
            }
            return try Self.start(path, [kind.program] + kind.arguments(socket, limitBytes), kind.program, socket)
        }
        program = kind.program
    }

    deinit {
        try? connection.close()
        guard end == nil else { return }
        System.send(System.killSignal, to: process)
        _ = System.waitForEnd(of: process)
    }

    private static func makeDirectory() throws -> String {
        do { return try System.makeTemporaryDirectory() } catch {
            throw StressError("no directory for a socket can be made in /tmp: \(error)")
        }
    }

    private static func start(
        _ path: String, _ arguments: [String], _ program: String, _ socket: String
    ) throws -> (Int32, FileDescriptor) {
        let process: Int32
        do { process = try System.startBound(path, arguments) } catch {
            throw StressError("\(path) cannot be started: \(error)")
        }
        let clock = SystemMonotonicClock()
        let deadline = clock.now.advanced(by: patience)
        while true {
            let result = unsafe stress_connect(socket)
            if result >= 0 { return (process, FileDescriptor(rawValue: result)) }
            if let end = System.reap(process) { throw StressError("\(program) \(end.text) before it answered") }
            guard clock.now < deadline else {
                System.send(System.killSignal, to: process)
                _ = System.waitForEnd(of: process)
                throw StressError("\(program) does not answer within \(patience.shortText)")
            }
            System.sleep(until: clock.now.advanced(by: .milliseconds(5)))
        }
    }

    func send(_ bytes: [UInt8]) throws {
        do { try System.send(bytes, over: connection) } catch { throw isGone(error) }
    }

    /// The next line of what it answers, without its end.
    func line() throws -> String {
        while true {
            if let end = received[position...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { position = end + 1 }
                return String(decoding: received[position..<end].filter { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
            }
            received.removeFirst(position)
            position = 0
            var piece = [UInt8](repeating: 0, count: 4096)
            do {
                let count = try unsafe piece.withUnsafeMutableBytes { try unsafe connection.read(into: $0) }
                guard count > 0 else { throw Errno.brokenPipe }
                received += piece[..<count]
            } catch { throw isGone(error) }
        }
    }

    /// A connection breaks a moment before its process has ended.
    private func isGone(_ error: any Error) -> StressError {
        let clock = SystemMonotonicClock()
        let deadline = clock.now.advanced(by: .seconds(1))
        while end == nil, clock.now < deadline {
            end = System.reap(process)
            if end == nil { System.sleep(until: clock.now.advanced(by: .milliseconds(5))) }
        }
        return StressError("\(program) \(end?.text ?? "does not answer any more: \(error)")")
    }
}
