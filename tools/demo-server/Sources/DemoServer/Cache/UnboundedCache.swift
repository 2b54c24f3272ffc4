internal import NIOConcurrencyHelpers
internal import NIOCore

/// The cache that is written first and regretted later: a dictionary that never lets anything go.
final class UnboundedCache: ResponseCache {
    private struct State {
        var values: [Int: ByteBuffer] = [:]
        var bytes = 0
    }

    private let state = NIOLockedValueBox(State())

    func value(for key: Int) -> ByteBuffer? {
        state.withLockedValue { $0.values[key] }
    }

    func insert(_ value: ByteBuffer, for key: Int) {
        state.withLockedValue { state in
            if let old = state.values.updateValue(value, forKey: key) {
                state.bytes -= CacheSize.cost(of: old)
            }
            state.bytes += CacheSize.cost(of: value)
        }
    }

    var size: CacheSize {
        state.withLockedValue { CacheSize(entries: $0.values.count, bytes: $0.bytes) }
    }
}
