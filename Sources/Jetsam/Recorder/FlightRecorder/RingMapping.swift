internal import CLinuxShims
internal import MemoryPressure
internal import SystemPackage

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A recording's file in memory: all of it there from the start, so that no write to it can fail or wait for the disk to have room.
@safe struct RingMapping: ~Copyable, @unchecked Sendable {
    let base: UnsafeMutableRawPointer
    let bytes: Int
    /// Why it could not be locked in memory; nil where it is.
    let lockObstacle: Errno?
    private let file: CInt
    private let guardNumber: CInt

    /// Takes the descriptor over in every case.
    init(_ file: CInt, header: [UInt8], slots: Int) throws(FlightRecorderError) {
        let bytes = RingFormat.headerBytes + slots * RingFormat.slotBytes
        do throws(FlightRecorderError) {
            try Self.allocate(file, bytes)
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
        for (offset, byte) in header.enumerated().reversed() {
            unsafe base.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
        }
    }

    deinit {
        #if os(Linux)
            jetsam_guard_end(guardNumber)
        #endif
        unsafe munmap(base, bytes)
        Syscalls.close(file)
    }

    /// What the file holds, read as somebody else would.
    func contents() throws(Errno) -> [UInt8] { try RingDirectory.read(file, limit: bytes) }

    /// Why nobody will find in the file what is written from now on; nil where it is all right.
    var loss: RingLoss? {
        #if os(Linux)
            if jetsam_guard_is_lost(guardNumber) { return .truncated }
        #endif
        var information = stat()
        guard unsafe fstat(file, &information) == 0 else { return nil }
        if information.st_size < bytes { return .truncated }
        return information.st_nlink == 0 ? .removed : nil
    }

    /// Whoever looks at the file takes it for that of a run that is over.
    func unlock() { flock(file, LOCK_UN) }

    /// A word of the header.
    func word(at offset: Int) -> UInt64 { unsafe jetsam_ring_word(base, offset) }

    func set(_ word: UInt64, at offset: Int) { unsafe jetsam_ring_set_word(base, offset, word) }

    /// Has the file system set aside what the file needs: where it is full, that is said now and by an error, not later and by SIGBUS.
    private static func allocate(_ file: CInt, _ bytes: Int) throws(FlightRecorderError) {
        #if os(Linux)
            var error = posix_fallocate(file, 0, off_t(bytes))
            while error == EINTR { error = posix_fallocate(file, 0, off_t(bytes)) }
            if error == 0 { return }
            guard error == EOPNOTSUPP || error == ENOSYS || error == EINVAL else {
                throw .system(Errno(rawValue: error), doing: "making the file \(bytes) bytes long")
            }
        #endif
        let zeros = [UInt8](repeating: 0, count: 1 << 16)
        var offset = 0
        while offset < bytes {
            let count = unsafe zeros.withUnsafeBytes { buffer in
                unsafe pwrite(file, buffer.baseAddress!, min(buffer.count, bytes - offset), off_t(offset))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                throw .system(
                    count == 0 ? .noSpace : Errno(rawValue: errno), doing: "making the file \(bytes) bytes long")
            }
            offset += count
        }
    }
}

/// What became of a recording's file while it was written.
package enum RingLoss: Sendable, Equatable {
    /// Somebody made it shorter.
    case truncated
    /// It has no name any more.
    case removed
}
