import SystemPackage

@testable import Jetsam

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Two connected sockets that carry whole messages. Each end blocks, on a thread of its own.
final class SocketPair: Sendable {
    private let descriptors: (CInt, CInt)
    private let readers = (WorkThread("socket-test"), WorkThread("socket-test"))

    init() throws {
        var pair: [CInt] = [0, 0]
        #if canImport(Glibc)
            let kind = CInt(SOCK_SEQPACKET.rawValue)
        #else
            let kind = SOCK_SEQPACKET
        #endif
        guard unsafe socketpair(AF_UNIX, kind, 0, &pair) == 0 else { throw Errno(rawValue: errno) }
        descriptors = (pair[0], pair[1])
    }

    deinit {
        close(descriptors.0)
        close(descriptors.1)
    }

    func send(_ bytes: [UInt8], fromFirst: Bool) throws {
        let descriptor = fromFirst ? descriptors.0 : descriptors.1
        let count = unsafe bytes.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
        guard count == bytes.count else { throw Errno(rawValue: errno) }
    }

    func receive(atFirst: Bool) async throws -> [UInt8] {
        let descriptor = atFirst ? descriptors.0 : descriptors.1
        let reader = atFirst ? readers.0 : readers.1
        return try await withCheckedThrowingContinuation { continuation in
            reader.add { [self] in
                var bytes = [UInt8](repeating: 0, count: 1 << 17)
                let count = unsafe bytes.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
                withExtendedLifetime(self) {}
                if count >= 0 {
                    continuation.resume(returning: Array(bytes[..<count]))
                } else {
                    continuation.resume(throwing: Errno(rawValue: errno))
                }
            }
        }
    }
}
