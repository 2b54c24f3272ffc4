extension CacheTable {
    /// The place of an entry.
    @usableFromInline
    @safe struct Found {
        @usableFromInline let number: UInt32
        /// Its key, and behind it the value.
        @usableFromInline let contents: UnsafeMutableRawPointer
        @usableFromInline let marks: UnsafeMutablePointer<UInt8>

        @inlinable
        @inline(__always)
        init(number: UInt32, contents: UnsafeMutableRawPointer, marks: UnsafeMutablePointer<UInt8>) {
            self.number = number
            unsafe self.contents = unsafe contents
            unsafe self.marks = unsafe marks
        }
    }

    private static var alignment: Int { max(MemoryLayout<Key>.alignment, MemoryLayout<Value>.alignment) }

    @inlinable static var valueOffset: Int { roundUp(MemoryLayout<Key>.size, MemoryLayout<Value>.alignment) }
    /// Bytes from one key to the next.
    @inlinable static var contentsStride: Int {
        roundUp(
            valueOffset + MemoryLayout<Value>.size, max(MemoryLayout<Key>.alignment, MemoryLayout<Value>.alignment))
    }
    /// The offset of the first key of a chunk: behind the marks.
    @inlinable static var contentsOffset: Int {
        roundUp(1 << Int(chunkShift), max(4, max(MemoryLayout<Key>.alignment, MemoryLayout<Value>.alignment)))
    }
    /// Entries of a chunk, as a power of two: those of about 4 KiB.
    @inlinable static var chunkShift: UInt32 {
        contentsStride <= 40 ? 6 : contentsStride <= 104 ? 5 : contentsStride <= 232 ? 4 : 3
    }

    static var layout: CacheLayout {
        CacheLayout(
            chunkShift: chunkShift, bytes: contentsOffset + contentsStride << Int(chunkShift), alignment: alignment)
    }

    @inlinable
    @inline(__always)
    static func contents(
        _ entry: UInt32, _ chunks: UnsafeMutablePointer<UnsafeMutableRawPointer>
    ) -> UnsafeMutableRawPointer {
        let offset = contentsOffset + Int(entry & (1 << chunkShift - 1)) * contentsStride
        return unsafe chunks[Int(entry >> chunkShift)] + offset
    }

    @inlinable
    static func header(
        _ entry: UInt32, _ headers: UnsafeMutablePointer<UnsafeMutableRawPointer>
    ) -> UnsafeMutablePointer<CacheEntryHeader> {
        unsafe headers[Int(entry >> chunkShift)].assumingMemoryBound(to: CacheEntryHeader.self)
            + Int(entry & (1 << chunkShift - 1))
    }

    @inlinable
    static func roundUp(_ bytes: Int, _ alignment: Int) -> Int {
        (bytes + alignment - 1) & ~(alignment - 1)
    }
}
