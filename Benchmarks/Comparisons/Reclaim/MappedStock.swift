import ComparisonSupport
import Glibc

/// One mapping of 4 KiB pages, given back by `madvise` a mebibyte at a time: the kernel's own rate.
@safe struct MappedStock: Stock, @unchecked Sendable {
    private let base: UnsafeMutableRawPointer
    private let byteCount: Int
    private static let piece = 1 << 20

    init(bytes: Int, sizes: ClosedRange<Int>) {
        byteCount = bytes
        guard
            let map = unsafe mmap(
                nil, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0),
            unsafe map != MAP_FAILED
        else { stop("no address space") }
        unsafe base = unsafe map
        unsafe madvise(base, bytes, MADV_NOHUGEPAGE)
    }

    func fill() { unsafe memset(base, 1, byteCount) }

    func drop(share: Double) { _ = release(bytes: Int(Double(byteCount) * share)) }

    func release(bytes: Int) -> Int {
        var given = 0
        while given < min(bytes, byteCount) {
            guard unsafe madvise(base + given, Self.piece, MADV_DONTNEED) == 0 else { stop("madvise failed") }
            given += Self.piece
        }
        return given
    }

    var liveBytes: Int { 0 }
}
