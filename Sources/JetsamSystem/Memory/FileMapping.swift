internal import CLinuxShims
package import SystemPackage

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A file in memory, shared with the kernel: all of it there from the start, so that no write to it can fail or wait for the disk to
/// have room. What is written outlives the process.
@safe package struct FileMapping: ~Copyable, @unchecked Sendable {
    package let base: UnsafeMutableRawPointer
    package let bytes: Int
    /// The reason why it could not be locked in memory; nil where it is locked.
    package let lockObstacle: Errno?
    private let file: CInt
    private let guardNumber: CInt

    /// Makes a file so many bytes long and maps it. It takes the descriptor over in every case.
    package init(_ file: CInt, bytes: Int) throws(FileError) {
        do throws(FileError) {
            do throws(Errno) { try Syscalls.allocate(file, bytes: bytes) } catch {
                throw .system(error, doing: "making the file \(bytes) bytes long")
            }
            guard let base = unsafe mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0),
                unsafe base != UnsafeMutableRawPointer(bitPattern: -1)
            else { throw .system(Errno(rawValue: errno), doing: "mapping the file") }
            #if os(Linux)
                // Where there is no place for it, it goes without.
                guardNumber = unsafe jetsam_guard_mapping(base, bytes)
            #else
                guardNumber = -1
            #endif
            // Without the lock a write can meet its page on the way to the disk and wait for as long as that takes.
            lockObstacle = unsafe mlock(base, bytes) == 0 ? nil : Errno(rawValue: errno)
            // The first write to a page is a fault even when it is there: let that be over.
            for offset in stride(from: 0, to: bytes, by: Syscalls.pageSize) {
                unsafe base.storeBytes(of: 0, toByteOffset: offset, as: UInt8.self)
            }
            unsafe self.base = base
        } catch {
            Syscalls.close(file)
            throw error
        }
        self.bytes = bytes
        self.file = file
    }

    deinit {
        #if os(Linux)
            jetsam_guard_end(guardNumber)
        #endif
        unsafe munmap(base, bytes)
        Syscalls.close(file)
    }

    /// Returns the contents of the file, read as another process would read them.
    package func contents() throws(Errno) -> [UInt8] { try Syscalls.start(of: file, limit: bytes) }

    /// The reason why nobody will find in the file what is written from now on; nil where it is all right.
    package var loss: FileLoss? {
        #if os(Linux)
            if jetsam_guard_is_lost(guardNumber) { return .truncated }
        #endif
        guard let facts = try? FileFacts(of: file) else { return nil }
        if facts.size < bytes { return .truncated }
        return facts.names == 0 ? .removed : nil
    }

    /// Gives the file's lock up.
    package func unlock() { FileLock.unlock(file) }
}

/// The loss of a file while it was written.
package enum FileLoss: Sendable, Equatable {
    /// Somebody made it shorter.
    case truncated
    /// It has no name any more.
    case removed
}
