internal import MemoryPressure
package import SystemPackage

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The lines of a file, one after another, in bounded memory.
package enum TraceLines {
    /// Calls `body` with each line, without its line feed.
    ///
    /// - Returns: Whether the last line ended with a line feed. One that did not was cut off, and is left out.
    /// - Throws: What `body` throws, `Errno` where the file cannot be read, ``TraceError`` for a line that is too long.
    @discardableResult
    package static func forEach(
        in file: FileDescriptor, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> Bool {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
        defer { unsafe buffer.deallocate() }
        var held = 0
        var line = 0
        while true {
            let room = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[held...])
            let count = unsafe try file.read(into: room)
            if count == 0 { return held == 0 }
            let end = held + count
            var start = 0
            while let feed = unsafe Self.lineFeed(in: buffer, start..<end) {
                line += 1
                unsafe try body(UnsafeRawBufferPointer(rebasing: buffer[start..<feed]))
                start = feed + 1
            }
            held = end - start
            guard held <= TraceLineReader.longestLine else {
                throw TraceError(line: line + 1, message: "longer than \(TraceLineReader.longestLine) bytes")
            }
            let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[start..<end])
            unsafe buffer.copyMemory(from: rest)
        }
    }

    private static func lineFeed(in buffer: UnsafeMutableRawBufferPointer, _ range: Range<Int>) -> Int? {
        guard let base = buffer.baseAddress,
            let place = unsafe memchr(base + range.lowerBound, Int32(UInt8(ascii: "\n")), range.count)
        else { return nil }
        return unsafe UnsafeRawPointer(place) - UnsafeRawPointer(base)
    }
}
