package import SystemPackage

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

extension Syscalls {
    /// The first bytes of a file, at most `limit`; fewer where it ends.
    package static func start(of file: CInt, limit: Int) throws(Errno) -> [UInt8] {
        let wanted = min(limit, max(0, try FileFacts(of: file).size))
        var bytes = [UInt8](repeating: 0, count: wanted)
        var offset = 0
        while offset < wanted {
            let count = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe systemRead(file, buffer.baseAddress! + offset, wanted - offset, off_t(offset))
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Errno(rawValue: errno) }
            guard count > 0 else { break }
            offset += count
        }
        bytes.removeLast(wanted - offset)
        return bytes
    }

    /// Writes at a place of a file, and gives how many bytes it took.
    package static func pwrite(_ file: CInt, _ bytes: ArraySlice<UInt8>, at offset: Int) throws(Errno) -> Int {
        guard !bytes.isEmpty else { return 0 }
        while true {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe systemWrite(file, buffer.baseAddress!, buffer.count, off_t(offset))
            }
            if count >= 0 { return count }
            if errno != EINTR { throw Errno(rawValue: errno) }
        }
    }

    /// Makes room for a whole file: where the file system is full, that is said now and by an error.
    package static func allocate(_ file: CInt, bytes: Int) throws(Errno) {
        #if os(Linux)
            var error = posix_fallocate(file, 0, off_t(bytes))
            while error == EINTR { error = posix_fallocate(file, 0, off_t(bytes)) }
            if error == 0 { return }
            guard error == EOPNOTSUPP || error == ENOSYS || error == EINVAL else { throw Errno(rawValue: error) }
        #endif
        let zeros = [UInt8](repeating: 0, count: 1 << 16)
        var offset = 0
        while offset < bytes {
            let count = try pwrite(file, zeros[..<min(zeros.count, bytes - offset)], at: offset)
            guard count > 0 else { throw .noSpace }
            offset += count
        }
    }

    /// Opens a file to be written in place, and makes it where there is none.
    package static func openToWrite(_ path: String, mode: FilePermissions) throws(Errno) -> CInt {
        let descriptor = unsafe systemOpen(path, O_RDWR | O_CREAT | O_CLOEXEC, mode.rawValue)
        guard descriptor >= 0 else { throw Errno(rawValue: errno) }
        return descriptor
    }

    /// Gives a file another name, in place of the one that has it.
    package static func rename(_ path: String, to other: String) throws(Errno) {
        guard unsafe systemRename(path, other) == 0 else { throw Errno(rawValue: errno) }
    }

    /// Takes a file's name away.
    package static func removeFile(_ path: String) throws(Errno) {
        guard unsafe unlink(path) == 0 else { throw Errno(rawValue: errno) }
    }

    /// Cuts a file off behind so many bytes, or lengthens it to them.
    package static func truncate(_ path: String, to bytes: Int) throws(Errno) {
        guard unsafe systemTruncate(path, off_t(bytes)) == 0 else { throw Errno(rawValue: errno) }
    }

    /// Returns the path that a symbolic link leads to, as it is written there; at most 4,095 bytes.
    package static func target(ofLink path: String) throws(Errno) -> String {
        var length = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 4095) { buffer, count in
            length = unsafe buffer.withMemoryRebound(to: CChar.self) {
                unsafe readlink(path, $0.baseAddress!, $0.count)
            }
            count = max(0, length)
        }
        guard length >= 0 else { throw Errno(rawValue: errno) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Makes a directory.
    package static func makeDirectory(_ path: String, mode: FilePermissions) throws(Errno) {
        guard unsafe mkdir(path, mode.rawValue) == 0 else { throw Errno(rawValue: errno) }
    }

    /// Removes an empty directory.
    package static func removeDirectory(_ path: String) throws(Errno) {
        guard unsafe rmdir(path) == 0 else { throw Errno(rawValue: errno) }
    }

    /// Makes a directory of a new name for this user's eyes only.
    ///
    /// - Parameter prefix: The beginning of its path.
    /// - Returns: Its path.
    package static func makeTemporaryDirectory(_ prefix: String) throws(Errno) -> String {
        var template = Array((prefix + "XXXXXX").utf8CString)
        let isMade = unsafe template.withUnsafeMutableBufferPointer { unsafe mkdtemp($0.baseAddress!) != nil }
        guard isMade else { throw Errno(rawValue: errno) }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

// The module's functions of the same name would shadow the system's inside the enum.
@unsafe private func systemRead(_ fd: CInt, _ at: UnsafeMutableRawPointer, _ count: Int, _ offset: off_t) -> Int {
    unsafe pread(fd, at, count, offset)
}
@unsafe private func systemWrite(_ fd: CInt, _ at: UnsafeRawPointer, _ count: Int, _ offset: off_t) -> Int {
    unsafe pwrite(fd, at, count, offset)
}
@unsafe private func systemOpen(_ path: String, _ flags: CInt, _ mode: mode_t) -> CInt {
    unsafe open(path, flags, mode)
}
@unsafe private func systemRename(_ path: String, _ other: String) -> CInt { unsafe rename(path, other) }
@unsafe private func systemTruncate(_ path: String, _ size: off_t) -> CInt { unsafe truncate(path, size) }
