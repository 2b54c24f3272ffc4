import MemoryPressure
import SystemPackage
import TestSupport
import Testing

@testable import Jetsam

/// Somebody at the other end of a control socket, who waits without holding up the other tests.
final class ControlPeer: Sendable {
    let descriptor: CInt

    init(_ path: String) throws {
        descriptor = try Syscalls.connect(to: path)
    }

    deinit {
        Syscalls.close(descriptor)
    }

    /// A server that refuses may have gone already; its answer says why.
    func send(_ text: String) throws {
        let bytes = Array(text.utf8)
        do {
            #expect(try Syscalls.sendSome(descriptor, bytes[...]) == bytes.count)
        } catch Errno.brokenPipe {}
    }

    /// Everything until the server closes the connection.
    func answer() async throws -> String {
        let text = Lock<[UInt8]>([])
        try await eventually("the server has answered and gone") { [descriptor] in
            do {
                guard let bytes = try Syscalls.receive(descriptor, atMost: 65536) else { return false }
                text.withLock { $0 += bytes }
                return bytes.isEmpty
            } catch {
                return true
            }
        }
        return text.withLock { String(decoding: $0, as: UTF8.self) }
    }

    static func ask(_ line: String, _ path: String) async throws -> String {
        let peer = try ControlPeer(path)
        try peer.send(line + "\n")
        return try await peer.answer()
    }
}
