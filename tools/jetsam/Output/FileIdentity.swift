internal import SystemPackage

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Which file it is, whatever it is called.
struct FileIdentity: Equatable {
    private let device: UInt64
    private let node: UInt64
    let isRegular: Bool

    init(path: String) throws(Errno) {
        try self.init { unsafe stat(path, &$0) }
    }

    init(_ file: FileDescriptor) throws(Errno) {
        try self.init { unsafe fstat(file.rawValue, &$0) }
    }

    private init(_ look: (inout stat) -> Int32) throws(Errno) {
        var information = stat()
        guard look(&information) == 0 else { throw Errno(rawValue: errno) }
        device = UInt64(truncatingIfNeeded: information.st_dev)
        node = UInt64(truncatingIfNeeded: information.st_ino)
        isRegular = information.st_mode & S_IFMT == S_IFREG
    }
}
