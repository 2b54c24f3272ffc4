internal import Dispatch
internal import SystemPackage
internal import _StressPatterns

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

extension System {
    /// A file's first bytes as memory that other processes that map it share.
    static func mapShared(_ file: FileDescriptor, bytes: Int) throws(Errno) -> UnsafeMutableRawPointer {
        guard let start = unsafe mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.rawValue, 0),
            unsafe start != UnsafeMutableRawPointer(bitPattern: -1)
        else { throw lastError }
        return unsafe start
    }
}
