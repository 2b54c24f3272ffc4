package import MemoryPressure
package import SystemPackage

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

extension System {
    /// Address space for `bytes`, none of it resident yet, which the kernel backs with small pages only.
    package static func reserve(bytes: Int) throws(Errno) -> UnsafeMutableRawBufferPointer {
        let length = max(bytes, pageSize)
        #if os(Linux)
            let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
        #else
            let flags = MAP_PRIVATE | MAP_ANON
        #endif
        guard let start = unsafe mmap(nil, length, PROT_READ | PROT_WRITE, flags, -1, 0), unsafe start != failedMap
        else {
            throw lastError
        }
        #if os(Linux)
            unsafe madvise(start, length, MADV_NOHUGEPAGE)
        #endif
        return unsafe UnsafeMutableRawBufferPointer(start: start, count: length)
    }

    /// A file's first `bytes`, to be read through the page cache without read-ahead of more than is asked for.
    package static func map(_ file: FileDescriptor, bytes: Int) throws(Errno) -> UnsafeMutableRawBufferPointer {
        guard let start = unsafe mmap(nil, bytes, PROT_READ, MAP_SHARED, file.rawValue, 0), unsafe start != failedMap
        else { throw lastError }
        return unsafe UnsafeMutableRawBufferPointer(start: start, count: bytes)
    }

    package static func unmap(_ memory: UnsafeMutableRawBufferPointer) {
        unsafe munmap(memory.baseAddress, memory.count)
    }

    /// Gives whole pages back to the kernel at once; they read as zero afterwards.
    package static func discard(_ memory: UnsafeMutableRawBufferPointer) {
        unsafe madvise(memory.baseAddress, memory.count, MADV_DONTNEED)
    }

    private static var failedMap: UnsafeMutableRawPointer? {
        unsafe UnsafeMutableRawPointer(bitPattern: -1)
    }

    /// Sleeps until an instant on the monotonic clock; returns at once where it has passed.
    package static func sleep(until instant: MonotonicInstant) {
        #if os(Linux)
            let (seconds, nanoseconds) = instant.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
            var deadline = timespec(tv_sec: Int(seconds), tv_nsec: Int(nanoseconds))
            while unsafe clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, nil) == EINTR {}
        #else
            let left = SystemMonotonicClock().now.duration(to: instant).nanoseconds
            guard left > 0 else { return }
            var time = timespec(tv_sec: Int(left / 1_000_000_000), tv_nsec: Int(left % 1_000_000_000))
            unsafe nanosleep(&time, nil)
        #endif
    }

    /// Bytes of this process that are in memory, from the second field of its `statm`; nil where it cannot be read.
    package static var residentBytes: Int? { residentBytes(of: processIdentifier) }

    static func residentBytes(of process: Int32) -> Int? {
        guard let text = try? text(of: "/proc/\(process)/statm") else { return nil }
        let fields = text.split(separator: " ")
        return fields.count > 1 ? Int(fields[1]).map { $0 * pageSize } : nil
    }
}
