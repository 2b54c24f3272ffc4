import SystemPackage

@testable import MemoryPressure

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A listening Unix socket, removed with the directory that it is in.
final class TestSocket: Sendable {
    /// A connection, read and written without waiting longer than the other side needs.
    struct Peer {
        let descriptor: CInt

        func read() throws(Errno) -> String {
            var bytes = [UInt8](repeating: 0, count: 100)
            let count = unsafe bytes.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress!, $0.count, 0) }
            guard count >= 0 else { throw Errno(rawValue: errno) }
            return String(decoding: bytes[..<count], as: UTF8.self)
        }

        func write(_ text: String) throws(Errno) {
            try Syscalls.write(descriptor, Array(text.utf8))
        }

        func close() { Syscalls.close(descriptor) }
    }

    let path: String
    private let descriptor: CInt

    init(_ path: String) throws(Errno) {
        self.path = path
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        #if canImport(Glibc)
            let kind = CInt(SOCK_STREAM.rawValue)
        #else
            let kind = SOCK_STREAM
        #endif
        descriptor = socket(AF_UNIX, kind, 0)
        let isBound = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { rebound in
                unsafe bind(descriptor, rebound, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        guard isBound, listen(descriptor, 1) == 0 else { throw Errno(rawValue: errno) }
    }

    deinit { Syscalls.close(descriptor) }

    /// The connection that was made; waits for one.
    func accept() throws(Errno) -> Peer {
        let peer = acceptConnection(descriptor)
        guard peer >= 0 else { throw Errno(rawValue: errno) }
        return Peer(descriptor: peer)
    }
}

// The method of the same name would shadow the system's.
private func acceptConnection(_ descriptor: CInt) -> CInt { accept(descriptor, nil, nil) }
