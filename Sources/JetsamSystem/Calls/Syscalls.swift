package import SystemPackage

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The project's system calls, in one place: no raw return value leaves it.
package enum Syscalls {
    /// The ways to open a file.
    package enum Access: Sendable {
        case reading, readingAndWriting, writing
    }

    /// Opens without blocking and close-on-exec.
    package static func open(_ path: String, _ access: Access = .reading) throws(Errno) -> CInt {
        let mode =
            switch access {
            case .reading: O_RDONLY
            case .readingAndWriting: O_RDWR
            case .writing: O_WRONLY
            }
        while true {
            let descriptor = unsafe path.withCString { unsafe systemOpen($0, mode | O_CLOEXEC | O_NONBLOCK) }
            if descriptor >= 0 { return descriptor }
            if errno != EINTR { throw Errno(rawValue: errno) }
        }
    }

    package static func close(_ descriptor: CInt) {
        _ = systemClose(descriptor)
    }

    /// Reads from the file's start: the number of bytes, or a negative errno. Allocates nothing.
    @unsafe package static func pread(_ descriptor: CInt, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        while true {
            let count = unsafe systemRead(descriptor, buffer.baseAddress!, buffer.count, 0)
            if count >= 0 { return count }
            if errno != EINTR { return -Int(errno) }
        }
    }

    /// Writes all of `bytes` in one call, as kernel files ask for.
    package static func write(_ descriptor: CInt, _ bytes: [UInt8]) throws(Errno) {
        while true {
            let count = unsafe bytes.withUnsafeBytes { unsafe systemWrite(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 { return }
            if errno != EINTR { throw Errno(rawValue: errno) }
        }
    }

    /// The whole file, however long. Allocates.
    package static func contents(of path: String) throws(Errno) -> [UInt8] {
        let descriptor = try open(path)
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16384)
        while true {
            let count = unsafe chunk.withUnsafeMutableBytes { buffer in
                unsafe systemRead(descriptor, buffer.baseAddress!, buffer.count, off_t(bytes.count))
            }
            if count < 0 && errno == EINTR { continue }
            if count < 0 { throw Errno(rawValue: errno) }
            if count == 0 { return bytes }
            bytes.append(contentsOf: chunk[..<count])
        }
    }

    /// Up to 4 KiB from the file's start; nil where it cannot be read or is empty. Allocates.
    package static func start(of descriptor: CInt) -> [UInt8]? {
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
            count = unsafe max(0, pread(descriptor, into: UnsafeMutableRawBufferPointer(buffer)))
        }
        return bytes.isEmpty ? nil : bytes
    }

    /// Returns whether something of that name exists.
    package static func exists(_ path: String) -> Bool {
        unsafe path.withCString { unsafe access($0, F_OK) } == 0
    }

    /// Returns the numbers that tell a file from every other one; nil where there is none of that name.
    package static func identity(of path: String) -> (device: UInt64, inode: UInt64)? {
        var information = stat()
        guard unsafe path.withCString({ unsafe stat($0, &information) }) == 0 else { return nil }
        return (UInt64(truncatingIfNeeded: information.st_dev), UInt64(truncatingIfNeeded: information.st_ino))
    }

    /// The index behind the next `byte` from `start` on; the end where there is none.
    @inline(__always)
    package static func index(after byte: UInt8, in bytes: borrowing Span<UInt8>, from start: Int) -> Int {
        guard start < bytes.count else { return bytes.count }
        return unsafe bytes.withUnsafeBufferPointer { buffer in
            let base = unsafe UnsafeRawPointer(buffer.baseAddress!)
            guard let found = unsafe memchr(base + start, CInt(byte), buffer.count - start) else { return buffer.count }
            return unsafe UnsafeRawPointer(found) - base + 1
        }
    }

    /// The index of the first `byte` in a range of a buffer; nil where there is none.
    @unsafe package static func index(
        of byte: UInt8, in buffer: UnsafeMutableRawBufferPointer, _ range: Range<Int>
    ) -> Int? {
        guard let base = buffer.baseAddress,
            let place = unsafe memchr(base + range.lowerBound, CInt(byte), range.count)
        else { return nil }
        return unsafe UnsafeRawPointer(place) - UnsafeRawPointer(base)
    }

    /// The size of a memory page in bytes.
    package static let pageSize = Int(sysconf(CInt(_SC_PAGESIZE)))
}

// The module's functions of the same name would shadow the system's inside the enum.
@unsafe private func systemOpen(_ path: UnsafePointer<CChar>, _ flags: CInt) -> CInt { unsafe open(path, flags) }
private func systemClose(_ descriptor: CInt) -> CInt { close(descriptor) }
@unsafe private func systemRead(_ fd: CInt, _ at: UnsafeMutableRawPointer, _ count: Int, _ offset: off_t) -> Int {
    unsafe pread(fd, at, count, offset)
}
@unsafe private func systemWrite(_ fd: CInt, _ at: UnsafeRawPointer?, _ count: Int) -> Int {
    unsafe write(fd, at, count)
}
