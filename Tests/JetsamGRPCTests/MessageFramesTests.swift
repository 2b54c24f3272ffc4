#if GRPC
    import NIOCore
    import Testing

    @testable import JetsamGRPC

    @Suite("Where messages begin")
    struct MessageFramesTests {
        /// Two messages, one of them compressed, and one without content.
        let stream = ByteBuffer(
            bytes: [0, 0, 0, 1, 2] + [UInt8](repeating: 7, count: 258) + [1, 0, 0, 0, 3, 7, 7, 7, 0, 0, 0, 0, 0])

        @Test("They are found however the bytes are cut", arguments: [1, 2, 3, 4, 5, 6, 64, 271, 1000])
        func cuts(size: Int) {
            var frames = MessageFrames()
            var found: [MessageFrames.Beginning] = []
            var whole = stream
            while var part = whole.readSlice(length: min(size, whole.readableBytes)), part.readableBytes > 0 {
                while let message = frames.next(in: &part) {
                    found.append(message)
                    frames.begin(message)
                }
                #expect(part.readableBytes == 0)
            }
            #expect(
                found == [
                    .init(length: 258, isCompressed: false), .init(length: 3, isCompressed: true),
                    .init(length: 0, isCompressed: false),
                ])
        }

        @Test("A length of four bytes is read without a sign")
        func largest() {
            var frames = MessageFrames()
            var bytes = ByteBuffer(bytes: [0, 255, 255, 255, 255, 1])
            let message = frames.next(in: &bytes)
            #expect(message == .init(length: 4_294_967_295, isCompressed: false))
            #expect(bytes.readableBytes == 1)
        }
    }
#endif
