internal import CommandOutput
internal import Jetsam
internal import JetsamTrace
internal import MemoryPressure
internal import SystemPackage

/// Asks a process by its control socket: one request, one answer.
struct ControlClient {
    /// The version of the protocol that is understood.
    static let version = 1
    /// The longest answer in bytes.
    private static let maximumBytes = 4 << 20

    let target: ControlledProcess
    let clock: any MonotonicClock

    init(_ target: ControlledProcess, clock: any MonotonicClock = SystemMonotonicClock()) {
        self.target = target
        self.clock = clock
    }

    /// - Parameters:
    ///   - time: How long an answer is waited for.
    ///   - key: The key of the answer that is wanted.
    /// - Returns: What stands under the key.
    func ask(_ request: ControlRequest, for key: String, within time: Duration = .seconds(10)) throws(ControlFailure)
        -> JSONText
    {
        let connection = try target.connect()
        defer { Syscalls.close(connection) }
        let line: [UInt8]
        do throws(Errno) {
            let deadline = clock.now.advanced(by: time)
            try send(Array("\(request)\n".utf8), to: connection, until: deadline)
            line = try receive(from: connection, until: deadline)
        } catch .timedOut {
            throw .unavailable(
                "process \(target.process) did not answer within \(time); it drops a request that it has not begun")
        } catch {
            throw .system(error, "the connection to process \(target.process)")
        }
        return try Self.answer(line, key)
    }

    /// What an answer says.
    static func answer(_ line: [UInt8], _ key: String) throws(ControlFailure) -> JSONText {
        let answer: JSONText
        do throws(JSONText.Mistake) {
            answer = try JSONText(parsing: line)
        } catch {
            throw .unavailable(line.isEmpty ? "the process closed the connection" : "the answer is no JSON: \(error)")
        }
        if let refusal = answer["error"] {
            let message = TerminalText.clean(refusal["message"]?.string ?? "refused")
            throw refusal["code"]?.string == "notAllowed" ? .noPermission(message) : .unavailable(message)
        }
        guard answer["version"]?.integer == version else {
            throw .unavailable("the process speaks another version of the protocol than \(version)")
        }
        guard let value = answer[key] else { throw .unavailable("the answer has no '\(key)'") }
        return value
    }

    private func send(_ bytes: [UInt8], to connection: CInt, until deadline: MonotonicInstant) throws(Errno) {
        var rest = bytes[...]
        while !rest.isEmpty {
            do {
                rest = rest.dropFirst(try Syscalls.sendSome(connection, rest))
            } catch .brokenPipe {
                return  // Whoever refuses does not wait for the request; the answer says why.
            }
            if !rest.isEmpty { try wait(Syscalls.Wait(connection, output: true), until: deadline) }
        }
    }

    /// Up to the line's end, or the end of the stream.
    private func receive(from connection: CInt, until deadline: MonotonicInstant) throws(Errno) -> [UInt8] {
        var line: [UInt8] = []
        while line.count < Self.maximumBytes {
            guard let bytes = try receive(connection, unless: line) else {
                try wait(Syscalls.Wait(connection, input: true), until: deadline)
                continue
            }
            if bytes.isEmpty { return line }
            if let end = bytes.firstIndex(of: UInt8(ascii: "\n")) { return line + bytes[..<end] }
            line += bytes
        }
        throw .messageTooLong
    }

    private func receive(_ connection: CInt, unless line: [UInt8]) throws(Errno) -> [UInt8]? {
        do {
            return try Syscalls.receive(connection, atMost: 65536)
        } catch .connectionReset where line.isEmpty {
            return []
        }
    }

    private func wait(_ wait: Syscalls.Wait, until deadline: MonotonicInstant) throws(Errno) {
        let left = clock.now.duration(to: deadline)
        guard left > .zero else { throw .timedOut }
        var waits = [wait]
        Syscalls.wait(&waits, for: left)
    }
}
