#if GRPC
    import GRPCCore
    import Jetsam
    import JetsamGRPC
    import ServiceLifecycle
    import TestSupport
    import Testing

    @Suite("A server that is protected", .timeLimit(.minutes(5)))
    struct ServerTests {
        @Test("Calls are answered, and nothing is left of them")
        func answers() async throws {
            try await TestServer.run { server in
                #expect(try await server.call(.count, [UInt8](repeating: 1, count: 200_000)) == "200000")
                try await eventually("the call is gone") { [interceptor = server.interceptor] in
                    let statistics = interceptor.statistics
                    return statistics.openCalls == 0 && statistics.receivedBytes == 0
                }
                // A quarter of 512 MiB.
                #expect(server.interceptor.statistics.receivedBytesLimit == 128 << 20)
            }
        }

        @Test("The service does not see which number a call has")
        func metadata() async throws {
            try await TestServer.run { server in
                let keys = try await server.call(.metadata, metadata: ["tenant": "acme", "jetsam-call": "1"])
                #expect(keys.contains("tenant"))
                #expect(!keys.contains("jetsam-call"))
            }
        }

        @Test(
            "While memory is short calls are refused by the priority of their method, with the time to come back after")
        func refusesByPriority() async throws {
            try await TestServer.run(priority: { $0 == .count ? .low : .high }) { server in
                try await server.raise(to: .warning)
                let error = try #require(try await server.refusal(.count))
                #expect(error.code == .resourceExhausted)
                #expect(error.message == "memory is short: Count is refused at warning")
                let delay = try #require(error.metadata[stringValues: "grpc-retry-pushback-ms"].first { _ in true })
                #expect((1000...1500).contains(try #require(Int(delay))))
                let details = try #require(error.metadata[binaryValues: "grpc-status-details-bin"].first { _ in true })
                #expect(String(decoding: details, as: UTF8.self).contains("google.rpc.RetryInfo"))
                #expect(try await server.call(.metadata).isEmpty == false)
                #expect(server.interceptor.statistics.refusedCalls == 1)
            }
        }

        @Test("gRPC's own retries come back when they were told to")
        func retries() async throws {
            var settings = MemoryInterceptor.Settings()
            settings.openCalls = 1
            settings.retryDelay = .milliseconds(1)
            let policy = RetryPolicy(
                maxAttempts: 5, initialBackoff: .seconds(3600), maxBackoff: .seconds(3600), backoffMultiplier: 1,
                retryableStatusCodes: [.resourceExhausted])
            let config = ServiceConfig(methodConfig: [
                MethodConfig(names: [.init(service: "")], executionPolicy: .retry(policy))
            ])
            try await TestServer.run(settings, serviceConfig: config) { server in
                async let held = server.call(.hold)
                try await eventually("the first call is held") { [service = server.service] in service.heldCalls == 1 }
                async let second = server.call(.count, [1, 2])
                try await eventually("the second was refused") { [interceptor = server.interceptor] in
                    interceptor.statistics.refusedCalls > 0
                }
                server.service.letGo()
                let first = try await held
                #expect(first == "0")
                // With the hour of its own back-off it would not come back within this test. Five attempts may all have come
                // too early.
                let answer = try? await second
                #expect(answer == nil || answer == "2")
            }
        }

        @Test("No more calls are open than may be, and a call that ends makes room")
        func openCalls() async throws {
            var settings = MemoryInterceptor.Settings()
            settings.openCalls = 2
            try await TestServer.run(settings) { server in
                async let first = server.call(.hold, [1])
                async let second = server.call(.hold, [1])
                try await eventually("two calls are held") { [service = server.service] in service.heldCalls == 2 }
                let error = try #require(try await server.refusal(.count))
                #expect(error.code == .resourceExhausted)
                #expect(error.message == "2 calls are open, and no more may be")
                server.service.letGo()
                let answers = try await [first, second]
                #expect(answers == ["1", "1"])
                try await eventually("both have ended") { [interceptor = server.interceptor] in
                    interceptor.statistics.openCalls == 0
                }
                #expect(try await server.call(.count, [1, 2, 3]) == "3")
            }
        }

        @Test("A message waits for room, while others are in their services' hands, and is answered")
        func waitsForRoom() async throws {
            var settings = MemoryInterceptor.Settings()
            settings.receivedBytes = 1 << 20
            settings.waitLimit = .seconds(100)
            try await TestServer.run(settings) { server in
                let message = [UInt8](repeating: 1, count: 900 << 10)
                async let first = server.call(.hold, message)
                try await eventually("the first is held") { [service = server.service] in service.heldCalls == 1 }
                #expect(server.interceptor.statistics.receivedBytes == 900 << 10)
                async let second = server.call(.count, message)
                try await eventually("the second waits") { [interceptor = server.interceptor] in
                    interceptor.statistics.waitingCalls == 1
                }
                server.service.letGo()
                let answers = try await [first, second]
                #expect(answers == ["921600", "921600"])
                try await eventually("all is given back") { [interceptor = server.interceptor] in
                    interceptor.statistics.receivedBytes == 0
                }
            }
        }

        @Test("A message that finds no room in time is refused, and the client gets the whole answer")
        func refusesWithoutRoom() async throws {
            var settings = MemoryInterceptor.Settings()
            settings.receivedBytes = 1 << 20
            settings.waitLimit = .milliseconds(1)
            try await TestServer.run(settings) { server in
                let message = [UInt8](repeating: 1, count: 900 << 10)
                async let first = server.call(.hold, message)
                try await eventually("the first is held") { [service = server.service] in service.heldCalls == 1 }
                let error = try #require(try await server.refusal(.count, message))
                #expect(error.code == .resourceExhausted)
                #expect(error.message == "there was no room for a message of 921600 bytes within 0.001 seconds")
                #expect(error.metadata[stringValues: "grpc-retry-pushback-ms"].contains { _ in true })
                server.service.letGo()
                let answer = try await first
                #expect(answer == "921600")
            }
        }

        @Test("Messages of a stream count one by one, so that more go through than fit at once")
        func streams() async throws {
            var settings = MemoryInterceptor.Settings()
            settings.receivedBytes = 256 << 10
            settings.waitLimit = .seconds(100)
            try await TestServer.run(settings) { server in
                let answers = try await server.client.bidirectionalStreaming(
                    request: StreamingClientRequest { writer in
                        for _ in 0..<40 { try await writer.write([UInt8](repeating: 1, count: 100 << 10)) }
                    },
                    descriptor: .countEach, serializer: RawBytes(), deserializer: RawBytes(), options: .defaults
                ) { response in
                    var answers = 0
                    for try await message in response.messages where message == Array("102400".utf8) { answers += 1 }
                    return answers
                }
                #expect(answers == 40)
                try await eventually("all is given back") { [interceptor = server.interceptor] in
                    interceptor.statistics.receivedBytes == 0
                }
            }
        }

        @Test("The room for messages follows the level")
        func followsLevel() async throws {
            try await TestServer.run { server in
                _ = try await server.call(.count)
                try await server.raise(to: .critical)
                try await eventually("the room is a quarter") { [interceptor = server.interceptor] in
                    interceptor.statistics.receivedBytesLimit == 32 << 20
                }
            }
        }

        @Test("While the process drains, calls that nobody misses are told that it is not available")
        func drains() async throws {
            try await TestServer.run(priority: { $0 == .count ? .low : .normal }) { server in
                var work = try server.manager.backgroundTasks.begin("work")
                await server.group.triggerGracefulShutdown()
                try await eventually("it drains") { [manager = server.manager] in
                    manager.backgroundTasks.whyNot(priority: .low)?.reason == .draining
                }
                let error = try #require(try await server.refusal(.count))
                #expect(error.code == .unavailable)
                #expect(error.message == "the server drains: Count is refused")
                // It does not come back: no time is named.
                #expect(!error.metadata[stringValues: "grpc-retry-pushback-ms"].contains { _ in true })
                #expect(try await server.call(.metadata).isEmpty == false)
                work.end()
            }
        }

        @Test("In a dry run the level refuses nothing")
        func dryRun() async throws {
            var configuration = ManagerConfiguration()
            configuration.isDryRun = true
            try await TestServer.run(configuration: configuration, priority: { _ in .low }) { server in
                try await server.raise(to: .critical)
                #expect(try await server.call(.count, [1]) == "1")
                #expect(server.interceptor.statistics.receivedBytesLimit == 128 << 20)
            }
        }
    }
#endif
