internal import CLinuxShims
package import SystemPackage

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

extension Syscalls {
    /// The kind of file at a path, as far as waiting on it goes.
    package enum FileKind: Sendable {
        case fifo, socket, other
    }

    package static func kind(of path: String) throws(Errno) -> FileKind {
        var info = stat()
        guard unsafe stat(path, &info) == 0 else { throw Errno(rawValue: errno) }
        switch info.st_mode & S_IFMT {
        case S_IFIFO: return .fifo
        case S_IFSOCK: return .socket
        default: return .other
        }
    }

    /// A local socket, non-blocking, that no child process has: also where another thread starts one in this moment.
    package static func localSocket(_ kind: CInt) throws(Errno) -> CInt {
        #if canImport(Glibc)
            let flags = CInt(SOCK_CLOEXEC.rawValue) | CInt(SOCK_NONBLOCK.rawValue)
        #elseif canImport(Musl)
            let flags = SOCK_CLOEXEC | SOCK_NONBLOCK
        #else
            let flags: CInt = 0
        #endif
        let descriptor = socket(AF_UNIX, kind | flags, 0)
        guard descriptor >= 0 else { throw Errno(rawValue: errno) }
        #if canImport(Darwin)
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        #endif
        return descriptor
    }

    /// A connection to a Unix stream socket, non-blocking.
    package static func connect(to path: String) throws(Errno) -> CInt {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        let room = MemoryLayout.size(ofValue: address.sun_path)
        guard bytes.count < room else { throw .fileNameTooLong }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        #if canImport(Glibc)
            let kind = CInt(SOCK_STREAM.rawValue)
        #else
            let kind = SOCK_STREAM
        #endif
        let descriptor = try localSocket(kind)
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { rebound in
                unsafe systemConnect(descriptor, rebound, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else {
            let error = Errno(rawValue: errno)
            close(descriptor)
            throw error
        }
        return descriptor
    }

    /// Reads and forgets what there is; false where the other side has gone.
    @discardableResult
    package static func drain(_ descriptor: CInt) -> Bool {
        var scrap: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        while true {
            let count = unsafe withUnsafeMutableBytes(of: &scrap) {
                unsafe systemReadNext(descriptor, $0.baseAddress!, $0.count)
            }
            if count > 0 { continue }
            return count < 0 && (errno == EAGAIN || errno == EINTR)
        }
    }

    /// An epoll instance that waits for urgent events (EPOLLPRI) of one descriptor. ENOSYS where this is not Linux.
    package static func epoll(forUrgent descriptor: CInt) throws(Errno) -> CInt {
        #if os(Linux)
            let epoll = jetsam_epoll_create()
            if epoll < 0 { throw Errno(rawValue: -epoll) }
            let result = jetsam_epoll_add(epoll, descriptor, UInt32(JETSAM_EPOLL_PRI))
            if result < 0 {
                close(epoll)
                throw Errno(rawValue: -result)
            }
            return epoll
        #else
            throw .noFunction
        #endif
    }

    /// Returns whether the epoll instance reports an error condition (EPOLLERR) now. Takes pending events away.
    package static func epollHasError(_ epoll: CInt) -> Bool {
        #if os(Linux)
            let events = jetsam_epoll_wait(epoll, 0, nil)
            return events > 0 && UInt32(events) & UInt32(JETSAM_EPOLL_ERR | JETSAM_EPOLL_HUP) != 0
        #else
            return false
        #endif
    }

    /// An eventfd. ENOSYS where this is not Linux.
    package static func eventCounter() throws(Errno) -> CInt {
        #if os(Linux)
            let descriptor = jetsam_eventfd()
            if descriptor < 0 { throw Errno(rawValue: -descriptor) }
            return descriptor
        #else
            throw .noFunction
        #endif
    }

    /// Wakes who waits for an eventfd.
    package static func signal(eventCounter descriptor: CInt) {
        #if os(Linux)
            _ = jetsam_eventfd_signal(descriptor)
        #endif
    }

    /// Lets an eventfd be waited for again: whatever came before counts as one signal.
    package static func clear(eventCounter descriptor: CInt) {
        #if os(Linux)
            _ = jetsam_eventfd_drain(descriptor)
        #endif
    }
}

@unsafe private func systemConnect(_ fd: CInt, _ to: UnsafePointer<sockaddr>, _ length: socklen_t) -> CInt {
    unsafe connect(fd, to, length)
}
@unsafe private func systemReadNext(_ fd: CInt, _ at: UnsafeMutableRawPointer, _ count: Int) -> Int {
    unsafe read(fd, at, count)
}
