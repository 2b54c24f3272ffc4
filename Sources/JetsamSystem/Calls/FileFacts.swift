package import SystemPackage

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The facts that the file system tells of a file.
package struct FileFacts: Sendable, Hashable {
    package enum Kind: Sendable { case ordinary, directory, link, fifo, socket, other }

    /// The numbers that tell a file from every other one while it is there.
    package struct Identity: Sendable, Hashable {
        package var device: UInt64
        package var inode: UInt64
    }

    package let kind: Kind
    package let identity: Identity
    /// Bytes.
    package let size: Int
    /// The number of names by which it is known; 0 once it was removed.
    package let names: Int
    /// The time when it was last written, in seconds since 1970.
    package let written: Int
    /// The time when it was last changed in any way, its names included, in seconds since 1970.
    package let changed: Int

    /// Looks at an open file.
    package init(of descriptor: CInt) throws(Errno) {
        var information = stat()
        guard unsafe fstat(descriptor, &information) == 0 else { throw Errno(rawValue: errno) }
        self.init(information)
    }

    /// Looks at a path.
    ///
    /// - Parameter followsLinks: True to look at the file that a link in the last place leads to.
    package init(at path: String, followsLinks: Bool = true) throws(Errno) {
        var information = stat()
        let result = followsLinks ? unsafe stat(path, &information) : unsafe lstat(path, &information)
        guard result == 0 else { throw Errno(rawValue: errno) }
        self.init(information)
    }

    init(_ information: stat) {
        kind =
            switch information.st_mode & S_IFMT {
            case S_IFREG: .ordinary
            case S_IFDIR: .directory
            case S_IFLNK: .link
            case S_IFIFO: .fifo
            case S_IFSOCK: .socket
            default: .other
            }
        identity = Identity(
            device: UInt64(truncatingIfNeeded: information.st_dev),
            inode: UInt64(truncatingIfNeeded: information.st_ino))
        size = Int(information.st_size)
        names = Int(information.st_nlink)
        #if canImport(Darwin)
            written = information.st_mtimespec.tv_sec
            changed = information.st_ctimespec.tv_sec
        #else
            written = information.st_mtim.tv_sec
            changed = information.st_ctim.tv_sec
        #endif
    }
}
