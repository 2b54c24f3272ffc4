/// The layout of entries in memory, as far as it can be known without keys and values.
///
/// They lie in chunks: a byte of marks for each entry, then its key and value. The headers, which a hit does not need, lie in
/// chunks of their own. So hits go through fewer bytes, and more of these stay in the processor's caches.
@usableFromInline
struct CacheLayout {
    /// In an entry's marks: it was asked for, since the queue's turn last came to it.
    @inlinable static var isUsed: UInt8 { 1 }
    /// In an entry's marks: it expires.
    @inlinable static var expires: UInt8 { 2 }

    @inlinable static var headerStride: Int { 24 }
    /// The bytes that an entry takes beside key and value.
    static let bytesBeside = headerStride + 1

    /// Entries of a chunk, as a power of two.
    let chunkShift: UInt32
    /// The size of a chunk.
    let chunkBytes: Int
    /// Of chunks, in bytes: what keys and values need, and no less than a cache line.
    let alignment: Int

    /// - Parameter bytes: Of marks, keys and values of a chunk.
    init(chunkShift: UInt32, bytes: Int, alignment: Int) {
        let alignment = max(64, alignment)
        self.chunkShift = chunkShift
        chunkBytes = (bytes + alignment - 1) & ~(alignment - 1)
        self.alignment = alignment
    }

    /// The size of the headers of a chunk.
    var headerBytes: Int { Self.headerStride << Int(chunkShift) }

    @inline(__always)
    func chunk(_ entry: UInt32) -> Int { Int(entry >> chunkShift) }

    @inline(__always)
    func index(_ entry: UInt32) -> Int { Int(entry & (1 << chunkShift - 1)) }
}
