internal import CLinuxShims
package import SystemPackage

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Local stream sockets. ENOSYS where this is not Linux.
extension Syscalls {
    /// The process at the other end of a local socket, as the kernel knows it.
    package struct Peer: Sendable, Equatable {
        /// The user, as this process's user namespace numbers it; the overflow number where that has none for it.
        package var user: UInt32
        /// The process, as this process's pid namespace numbers it; 0 where that has none for it.
        package var process: Int32
    }

    /// A socket bound to `path`, non-blocking, that does not listen yet.
    package static func bindStream(to path: String) throws(Errno) -> CInt {
        #if os(Linux)
            return try unsafe descriptor(jetsam_stream_bind(path))
        #else
            throw .noFunction
        #endif
    }

    package static func listen(_ descriptor: CInt, backlog: CInt) throws(Errno) {
        guard systemListen(descriptor, backlog) == 0 else { throw Errno(rawValue: errno) }
    }

    /// The next connection, non-blocking; nil where there is none.
    package static func accept(_ descriptor: CInt) throws(Errno) -> CInt? {
        #if os(Linux)
            let connection = jetsam_stream_accept(descriptor)
            if connection == -EAGAIN || connection == -EINTR || connection == -ECONNABORTED { return nil }
            return try self.descriptor(connection)
        #else
            throw .noFunction
        #endif
    }

    package static func peer(of descriptor: CInt) throws(Errno) -> Peer {
        #if os(Linux)
            var peer = Peer(user: 0, process: 0)
            let result = unsafe jetsam_peer(descriptor, &peer.user, &peer.process)
            guard result == 0 else { throw Errno(rawValue: -result) }
            return peer
        #else
            throw .noFunction
        #endif
    }

    /// Opens a name without the right to read it, as if `root` were the root of the file system: neither links nor `..`
    /// lead out of it, and a link in the last place is not followed.
    package static func open(_ path: String, inRoot root: CInt, isDirectory: Bool) throws(Errno) -> CInt {
        #if os(Linux)
            return try unsafe descriptor(jetsam_open_in_root(root, path, isDirectory))
        #else
            throw .noFunction
        #endif
    }

    /// Up to `most` bytes that are there now: none at the end of the stream, nil where nothing is there yet.
    package static func receive(_ descriptor: CInt, atMost most: Int) throws(Errno) -> [UInt8]? {
        var failure: CInt = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: most) { buffer, count in
            let received = unsafe systemReceive(descriptor, buffer.baseAddress!, most)
            failure = received < 0 ? errno : 0
            count = max(0, received)
        }
        if failure == 0 { return bytes }
        if failure == EAGAIN || failure == EINTR { return nil }
        throw Errno(rawValue: failure)
    }

    /// Sends what there is room for now, and gives how many bytes that were. A peer that has gone is an error and no signal.
    package static func sendSome(_ descriptor: CInt, _ bytes: ArraySlice<UInt8>) throws(Errno) -> Int {
        #if os(Linux)
            let flags = CInt(MSG_NOSIGNAL)
        #else
            let flags: CInt = 0
        #endif
        let count = unsafe bytes.withUnsafeBytes { unsafe systemSend(descriptor, $0.baseAddress, $0.count, flags) }
        if count >= 0 { return count }
        let failure = errno
        if failure == EAGAIN || failure == EINTR { return 0 }
        throw Errno(rawValue: failure)
    }

    /// The events that one descriptor is waited for, and the result of the wait.
    package struct Wait: Sendable, Equatable {
        package var descriptor: CInt
        package var wantsInput: Bool
        package var wantsOutput: Bool
        package private(set) var hasInput = false
        package private(set) var hasOutput = false
        /// The other end has gone, or the descriptor is of no use any more.
        package private(set) var isGone = false

        package init(_ descriptor: CInt, input: Bool = false, output: Bool = false) {
            self.descriptor = descriptor
            wantsInput = input
            wantsOutput = output
        }

        fileprivate var request: pollfd {
            let events = (wantsInput ? POLLIN : 0) | (wantsOutput ? POLLOUT : 0)
            return pollfd(fd: descriptor, events: Int16(events), revents: 0)
        }

        fileprivate mutating func note(_ answer: pollfd) {
            let events = Int32(answer.revents)
            hasInput = events & POLLIN != 0
            hasOutput = events & POLLOUT != 0
            isGone = events & (POLLERR | POLLHUP | POLLNVAL) != 0
        }
    }

    /// Waits until something comes of one of them, or the time has passed; nil waits for ever.
    package static func wait(_ waits: inout [Wait], for time: Duration?) {
        var requests = waits.map(\.request)
        // Rounded up: a wait that ends too early would be begun again and again.
        let milliseconds = time.map { CInt(clamping: max(0, ($0.nanoseconds + 999_999) / 1_000_000)) } ?? -1
        let count = unsafe requests.withUnsafeMutableBufferPointer { buffer in
            unsafe poll(buffer.baseAddress, nfds_t(buffer.count), milliseconds)
        }
        guard count >= 0 else {
            for index in waits.indices { waits[index].note(pollfd()) }
            return
        }
        for index in waits.indices { waits[index].note(requests[index]) }
    }

    #if os(Linux)
        private static func descriptor(_ result: CInt) throws(Errno) -> CInt {
            guard result >= 0 else { throw Errno(rawValue: -result) }
            return result
        }
    #endif
}

// The module's functions of the same name would shadow the system's inside the enum.
private func systemListen(_ fd: CInt, _ backlog: CInt) -> CInt { listen(fd, backlog) }
@unsafe private func systemReceive(_ fd: CInt, _ at: UnsafeMutableRawPointer, _ most: Int) -> Int {
    unsafe recv(fd, at, most, 0)
}
@unsafe private func systemSend(_ fd: CInt, _ at: UnsafeRawPointer?, _ count: Int, _ flags: CInt) -> Int {
    unsafe send(fd, at, count, flags)
}
