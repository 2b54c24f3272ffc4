package import SystemPackage

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

extension Syscalls {
    /// A Unix datagram socket whose peer is `path`, non-blocking; a path that begins with `@` is in the abstract namespace.
    package static func connectDatagrams(to path: String) throws(Errno) -> CInt {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(path.utf8)
        let isAbstract = bytes.first == UInt8(ascii: "@")
        guard isAbstract || bytes.first == UInt8(ascii: "/") else { throw .invalidArgument }
        if isAbstract { bytes[0] = 0 }
        let room = MemoryLayout.size(ofValue: address.sun_path)
        guard bytes.count < room else { throw .fileNameTooLong }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        // An abstract name is as long as its address says; zeroes behind it would belong to it.
        let length = MemoryLayout<sockaddr_un>.size - room + bytes.count + (isAbstract ? 0 : 1)
        #if canImport(Glibc)
            let kind = CInt(SOCK_DGRAM.rawValue)
        #else
            let kind = SOCK_DGRAM
        #endif
        let descriptor = try localSocket(kind)
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { rebound in
                unsafe systemConnect(descriptor, rebound, socklen_t(length))
            }
        }
        guard result == 0 else {
            let error = Errno(rawValue: errno)
            close(descriptor)
            throw error
        }
        return descriptor
    }

    /// Sends one datagram. A peer that has gone is an error and no signal.
    package static func send(_ descriptor: CInt, _ bytes: [UInt8]) throws(Errno) {
        #if os(Linux)
            let flags = CInt(MSG_NOSIGNAL)
        #else
            let flags: CInt = 0
        #endif
        while true {
            let count = unsafe bytes.withUnsafeBytes { unsafe systemSend(descriptor, $0.baseAddress, $0.count, flags) }
            if count >= 0 { return }
            if errno != EINTR { throw Errno(rawValue: errno) }
        }
    }
}

@unsafe private func systemConnect(_ fd: CInt, _ to: UnsafePointer<sockaddr>, _ length: socklen_t) -> CInt {
    unsafe connect(fd, to, length)
}
@unsafe private func systemSend(_ fd: CInt, _ at: UnsafeRawPointer?, _ count: Int, _ flags: CInt) -> Int {
    unsafe send(fd, at, count, flags)
}
