import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A socket that takes datagrams, as systemd's notification socket does.
final class DatagramSocket: Sendable {
    private let descriptor: CInt

    /// - Parameter name: A path, or an abstract name that begins with `@`.
    init(_ name: String) throws(Errno) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(name.utf8)
        if bytes.first == UInt8(ascii: "@") { bytes[0] = 0 } else { bytes.append(0) }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        let length = MemoryLayout<sockaddr_un>.size - MemoryLayout.size(ofValue: address.sun_path) + bytes.count
        // A child that another test starts would keep it open beyond its end.
        #if canImport(Glibc)
            let kind = CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
        #elseif canImport(Musl)
            let kind = SOCK_DGRAM | SOCK_CLOEXEC
        #else
            let kind = SOCK_DGRAM
        #endif
        descriptor = socket(AF_UNIX, kind, 0)
        let isBound = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { rebound in
                unsafe bind(descriptor, rebound, socklen_t(length)) == 0
            }
        }
        guard isBound, fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 else { throw Errno(rawValue: errno) }
    }

    deinit { closeDescriptor(descriptor) }

    /// The datagrams that have come since the last call. What was sent has come: there is no network between.
    func receiveAll() -> [String] {
        var texts: [String] = []
        var bytes = [UInt8](repeating: 0, count: 1000)
        while true {
            let count = unsafe bytes.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress!, $0.count, 0) }
            guard count >= 0 else { return texts }
            texts.append(String(decoding: bytes[..<count], as: UTF8.self))
        }
    }
}

private func closeDescriptor(_ descriptor: CInt) { _ = close(descriptor) }
