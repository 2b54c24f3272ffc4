#if GRPC
    internal import GRPCCore
    internal import Synchronization

    /// The information for a client that should come back later: in the form of `google.rpc.RetryInfo`, which libraries show
    /// their callers, and in the one that gRPC's own retries obey.
    enum RetryInfo {
        static let detailsKey = "grpc-status-details-bin"
        static let pushbackKey = "grpc-retry-pushback-ms"

        static func metadata(code: RPCError.Code, message: String, delay: Duration) -> Metadata {
            var metadata = Metadata()
            metadata.addString("\(delay.wholeMilliseconds)", forKey: pushbackKey)
            metadata.addBinary(details(code: code, message: message, delay: delay), forKey: detailsKey)
            return metadata
        }

        /// A `google.rpc.Status` with one detail, a `google.rpc.RetryInfo`.
        static func details(code: RPCError.Code, message: String, delay: Duration) -> [UInt8] {
            let milliseconds = delay.wholeMilliseconds
            var duration = ProtobufFields()
            duration.add(1, number: milliseconds / 1000)
            duration.add(2, number: milliseconds % 1000 * 1_000_000)
            var info = ProtobufFields()
            info.add(1, bytes: duration.bytes)
            var detail = ProtobufFields()
            detail.add(1, bytes: Array("type.googleapis.com/google.rpc.RetryInfo".utf8))
            detail.add(2, bytes: info.bytes)
            var status = ProtobufFields()
            status.add(1, number: Int64(code.rawValue))
            status.add(2, bytes: Array(message.utf8))
            status.add(3, bytes: detail.bytes)
            return status.bytes
        }
    }

    /// The fields of one message in the wire format of protocol buffers: numbers from 0 up, and bytes.
    struct ProtobufFields {
        private(set) var bytes: [UInt8] = []

        mutating func add(_ field: UInt64, number: Int64) {
            add(variable: field << 3)
            add(variable: UInt64(max(0, number)))
        }

        mutating func add(_ field: UInt64, bytes: [UInt8]) {
            add(variable: field << 3 | 2)
            add(variable: UInt64(bytes.count))
            self.bytes += bytes
        }

        private mutating func add(variable number: UInt64) {
            var rest = number
            while rest >= 0x80 {
                bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
                rest >>= 7
            }
            bytes.append(UInt8(rest))
        }
    }

    /// Delays between one and one and a half times a base, spread evenly, so that clients that were told together come back one
    /// by one.
    final class RetryDelays: Sendable {
        private let base: Duration
        private let count = Atomic<UInt64>(0)

        init(base: Duration) {
            self.base = base
        }

        func next() -> Duration {
            let number = count.wrappingAdd(1, ordering: .relaxed).oldValue
            // Multiples of the golden ratio, of which the fractions leave no large gap however many there are.
            let fraction = Double(number &* 0x9E37_79B9_7F4A_7C15) / 0x1p64
            return base + base * (fraction / 2)
        }
    }

    extension Duration {
        var wholeMilliseconds: Int64 {
            components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
        }
    }
#endif
