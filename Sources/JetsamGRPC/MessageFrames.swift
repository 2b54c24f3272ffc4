#if GRPC
    internal import NIOCore

    /// Finds where messages begin in the bytes of a call. Before each are five bytes: whether it is compressed, and its length.
    struct MessageFrames {
        struct Beginning: Equatable {
            /// The bytes to come.
            var length: Int
            var isCompressed: Bool
        }

        private static let prefixLength = 5

        private var prefix: [UInt8] = []
        private var left = 0

        /// Some of a message has not come.
        var isInside: Bool { left > 0 }

        /// Reads up to and including the next prefix, and gives what begins behind it; nil where the bytes end before.
        ///
        /// After a beginning, call ``begin(_:)`` before the next bytes.
        mutating func next(in bytes: inout ByteBuffer) -> Beginning? {
            let inside = min(left, bytes.readableBytes)
            bytes.moveReaderIndex(forwardBy: inside)
            left -= inside
            guard left == 0,
                let more = bytes.readBytes(length: min(Self.prefixLength - prefix.count, bytes.readableBytes))
            else { return nil }
            prefix += more
            guard prefix.count == Self.prefixLength else { return nil }
            defer { prefix.removeAll(keepingCapacity: true) }
            return Beginning(length: prefix[1...].reduce(0) { $0 << 8 | Int($1) }, isCompressed: prefix[0] == 1)
        }

        /// The bytes that follow are those of this message.
        mutating func begin(_ message: Beginning) {
            left = message.length
        }
    }
#endif
