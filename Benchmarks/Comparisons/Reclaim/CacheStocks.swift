import Jetsam

/// A `PurgeableByteCache`.
struct ByteCacheStock: Stock {
    static var isManaged: Bool { true }

    private let sizes: Sizes
    private let cache = PurgeableByteCache(name: "bytes")

    init(bytes: Int, sizes range: ClosedRange<Int>) {
        sizes = Sizes(bytes: bytes, in: range)
    }

    func fill() {
        let value = [UInt8](repeating: 1, count: Int(sizes.list.max() ?? 0))
        for (number, size) in sizes.list.enumerated() {
            let isTaken = cache.insert(byteCount: Int(size), for: Key.text(number)) { span in
                unsafe span.withUnsafeMutableBytes { unsafe $0.copyBytes(from: value.prefix($0.count)) }
            }
            guard isTaken else { fatalError("value \(number) was not taken") }
        }
    }

    func drop(share: Double) {
        _ = cache.release(bytes: Int(Double(cache.bytes) * share))
    }

    func release(bytes: Int) -> Int { cache.release(bytes: bytes) }

    var liveBytes: Int {
        sizes.list.indices.reduce(0) { sum, number in
            sum + (cache.withValue(for: Key.text(number)) { $0.byteCount } ?? 0)
        }
    }
}

/// A `PurgeableCache` of arrays.
struct ValueCacheStock: Stock {
    static var isManaged: Bool { true }

    private let sizes: Sizes
    private let cache = PurgeableCache<Int, [UInt8]>(name: "values")

    init(bytes: Int, sizes range: ClosedRange<Int>) {
        sizes = Sizes(bytes: bytes, in: range)
    }

    func fill() {
        for (number, size) in sizes.list.enumerated() {
            cache.insert([UInt8](repeating: 1, count: Int(size)), for: number, cost: Int(size))
        }
    }

    func drop(share: Double) {
        _ = cache.release(bytes: Int(Double(cache.totalCost) * share))
    }

    func release(bytes: Int) -> Int {
        let given = cache.release(bytes: bytes)
        Heap.allocator.trim()
        return given
    }

    var liveBytes: Int {
        sizes.list.indices.reduce(0) { sum, number in sum + (cache.value(for: number)?.count ?? 0) }
    }
}

enum Key {
    /// Short enough to need no allocation.
    static func text(_ number: Int) -> String { String(number, radix: 36) }
}
