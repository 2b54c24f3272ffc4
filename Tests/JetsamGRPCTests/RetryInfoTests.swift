#if GRPC
    import GRPCCore
    import Testing

    @testable import JetsamGRPC

    @Suite("What a refused client is told")
    struct RetryInfoTests {
        @Test("The details are a google.rpc.Status with a RetryInfo")
        func details() {
            // Written by hand from status.proto, any.proto, error_details.proto and duration.proto.
            let type = Array("type.googleapis.com/google.rpc.RetryInfo".utf8)
            let duration: [UInt8] = [0x08, 1, 0x10, 0x80, 0xCA, 0xB5, 0xEE, 0x01]
            let info = [0x0A, UInt8(duration.count)] + duration
            let detail = [0x0A, UInt8(type.count)] + type + [0x12, UInt8(info.count)] + info
            let expected = [0x08, 8, 0x12, 3] + Array("why".utf8) + [0x1A, UInt8(detail.count)] + detail
            #expect(RetryInfo.details(code: .resourceExhausted, message: "why", delay: .milliseconds(1500)) == expected)
        }

        @Test("gRPC's own retries get the milliseconds")
        func pushback() {
            let metadata = RetryInfo.metadata(code: .resourceExhausted, message: "why", delay: .milliseconds(1500))
            #expect(Array(metadata[stringValues: "grpc-retry-pushback-ms"]) == ["1500"])
        }

        @Test("Delays lie between the base and half as much again, and no two of a hundred are close")
        func delays() {
            let delays = RetryDelays(base: .seconds(1))
            let all = (0..<100).map { _ in delays.next() }.sorted()
            #expect(all[0] >= .seconds(1) && all[99] <= .milliseconds(1500))
            for (earlier, later) in zip(all, all.dropFirst()) { #expect(later - earlier >= .milliseconds(1)) }
        }
    }
#endif
