/// How entries lie in memory, as far as one needs to know nothing of keys and values.
///
/// They lie in chunks: first a byte of marks for each entry, then its key and value, then its header. A hit needs the first two and
/// not the third: so what hits go through is two thirds of it less, and more of that stays in the processor's caches.
@usableFromInline
struct CacheLayout {
    /// In an entry's marks: it was asked for, since the queue's turn last came to it.
    @inlinable static var isUsed: UInt8 { 1 }
    /// In an entry's marks: it expires.
    @inlinable static var expires: UInt8 { 2 }

    @inlinable static var headerStride: Int { 24 }
    /// What an entry takes of a chunk beside key and value.
    static let bytesBeside = headerStride + 1

    /// Entries of a chunk, as a power of two.
    let chunkShift: UInt32
    let headersOffset: Int
    /// Of chunks, in bytes: what keys and values need, and no less than a cache line.
    let alignment: Int

    init(chunkShift: UInt32, headersOffset: Int, alignment: Int) {
        self.chunkShift = chunkShift
        self.headersOffset = headersOffset
        self.alignment = max(64, alignment)
    }

    /// What a chunk takes.
    var chunkBytes: Int {
        (headersOffset + Self.headerStride << Int(chunkShift) + alignment - 1) & ~(alignment - 1)
    }

    @inline(__always)
    func chunk(_ entry: UInt32) -> Int { Int(entry >> chunkShift) }

    @inline(__always)
    func index(_ entry: UInt32) -> Int { Int(entry & (1 << chunkShift - 1)) }
}
