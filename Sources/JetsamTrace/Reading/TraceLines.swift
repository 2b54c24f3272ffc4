internal import Jetsam
internal import MemoryPressure
package import SystemPackage

/// The lines of a file, one after another, in bounded memory.
package enum TraceLines {
    /// Calls `body` with each line, without its line feed.
    ///
    /// - Returns: Whether the last line ended with a line feed. One that did not was cut off, and is left out.
    /// - Throws: The error of `body`; `Errno` if the file cannot be read; ``TraceError`` for a line that is too long.
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
            while let feed = unsafe Syscalls.index(of: UInt8(ascii: "\n"), in: buffer, start..<end) {
                line += 1
                unsafe try body(UnsafeRawBufferPointer(rebasing: buffer[start..<feed]))
                start = feed + 1
            }
            held = end - start
            guard held <= TraceSchema.longestLine else {
                throw TraceError(line: line + 1, message: "longer than \(TraceSchema.longestLine) bytes")
            }
            let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[start..<end])
            unsafe buffer.copyMemory(from: rest)
        }
    }
}
