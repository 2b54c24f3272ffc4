package import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The source of a byte cache's memory: the kernel, page by page, never the allocator.
///
/// Every call can fail and says so; nothing here allocates.
@safe package final class SegmentMemory: Sendable {
    package let pageBytes: Int
    /// Keep it out of core dumps.
    package let isSensitive: Bool
    /// The bytes that may still be mapped. Tests lower it.
    package let budget = Atomic<Int>(.max)
    /// Bytes that were given back, and in how many calls.
    package let discardedBytes = Atomic<Int>(0)
    package let discards = Atomic<Int>(0)

    package init(isSensitive: Bool = false) {
        pageBytes = max(4096, Int(sysconf(Int32(_SC_PAGESIZE))))
        self.isSensitive = isSensitive
    }

    package func roundedUp(_ bytes: Int) -> Int { (bytes + pageBytes - 1) & ~(pageBytes - 1) }

    /// Address space that reads as zero and is not resident; nil where there is none.
    package func map(_ bytes: Int, alignment: Int = 1) -> UnsafeMutableRawPointer? {
        guard budget.load(ordering: .relaxed) >= bytes else { return nil }
        let slack = alignment > pageBytes ? alignment : 0
        #if os(Linux)
            let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
        #else
            let flags = MAP_PRIVATE | MAP_ANON
        #endif
        let address = unsafe mmap(nil, bytes + slack, PROT_READ | PROT_WRITE, flags, -1, 0)
        guard let address = unsafe address, unsafe address != MAP_FAILED else { return nil }
        var start = unsafe address
        if slack > 0 {
            let misfit = Int(bitPattern: address) & (alignment - 1)
            let before = misfit == 0 ? 0 : alignment - misfit
            unsafe start = address + before
            if before > 0 { unsafe munmap(address, before) }
            if slack - before > 0 { unsafe munmap(start + bytes, slack - before) }
        }
        if budget.load(ordering: .relaxed) != .max { budget.subtract(bytes, ordering: .relaxed) }
        #if os(Linux)
            if isSensitive { unsafe madvise(start, bytes, MADV_DONTDUMP) }
        #endif
        return unsafe start
    }

    package func unmap(_ address: UnsafeMutableRawPointer, _ bytes: Int) {
        unsafe munmap(address, bytes)
        if budget.load(ordering: .relaxed) != .max { budget.add(bytes, ordering: .relaxed) }
    }

    /// Gives the pages back to the kernel at once; the address space stays, and reads as zero. Gives how many bytes went.
    package func discard(_ address: UnsafeMutableRawPointer, _ bytes: Int) -> Int {
        guard bytes > 0 else { return 0 }
        if isSensitive { unsafe memset(address, 0, bytes) }
        #if os(Linux)
            // Locked memory (EINVAL) does not go back.
            guard unsafe madvise(address, bytes, MADV_DONTNEED) == 0 else { return 0 }
        #else
            guard
                unsafe mmap(
                    address, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON | MAP_FIXED, -1, 0)
                    == address
            else { return 0 }
        #endif
        discardedBytes.add(bytes, ordering: .relaxed)
        discards.add(1, ordering: .relaxed)
        return bytes
    }

    /// The same for what is no value of a cache, uncounted; false where it did not go.
    package func drop(_ address: UnsafeMutableRawPointer, _ bytes: Int) -> Bool {
        #if os(Linux)
            return unsafe madvise(address, bytes, MADV_DONTNEED) == 0
        #else
            return false
        #endif
    }

    /// Counts what went back to the kernel otherwise.
    package func countDiscarded(_ bytes: Int) { discardedBytes.add(bytes, ordering: .relaxed) }

    /// Asks for huge pages there, or for none; whether the kernel gives huge ones.
    package func setHugePages(_ isWanted: Bool, _ address: UnsafeMutableRawPointer, _ bytes: Int) -> Bool {
        #if os(Linux)
            // Where it cannot have them, neither advice does harm.
            let isTaken = unsafe madvise(address, bytes, isWanted ? MADV_HUGEPAGE : MADV_NOHUGEPAGE) == 0
            return isWanted && isTaken
        #else
            return false
        #endif
    }
}
