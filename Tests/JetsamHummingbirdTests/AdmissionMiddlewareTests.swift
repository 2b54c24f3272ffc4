#if Hummingbird
    import Hummingbird
    import HummingbirdTesting
    import Jetsam
    import JetsamHummingbird
    import NIOCore
    import Testing

    struct AdmissionMiddlewareTests {
        let registry = BackgroundTaskRegistry()

        private func application(retryAfter: ClosedRange<Int> = 5...10, seed: UInt64? = nil) -> some ApplicationProtocol
        {
            let router = Router()
            for (name, priority) in [("low", ResourcePriority.low), ("normal", .normal), ("high", .high)] {
                router.group("\(name)")
                    .add(
                        middleware: AdmissionMiddleware(
                            priority: priority, retryAfter: retryAfter, seed: seed, registry: registry)
                    )
                    .get { _, _ in "\(name) served" }
            }
            router.group("begins").add(middleware: AdmissionMiddleware(priority: .high, registry: registry))
                .get { [registry] _, _ in
                    try await registry.withBackgroundTask("work", priority: .low) { "done" }
                }
            router.group("fails").add(middleware: AdmissionMiddleware(priority: .high, registry: registry))
                .get { _, _ -> String in throw HTTPError(.conflict) }
            return Application(router: router, logger: ManagedServer.logger)
        }

        @Test(
            "Requests are refused by priority and level, with the reason",
            arguments: [
                (PressureLevel.normal, []), (.warning, ["low"]), (.critical, ["low", "normal"]),
            ])
        func levels(level: PressureLevel, refused: [String]) async throws {
            registry.noteLevel(level)
            try await application().test(.live) { client in
                for name in ["low", "normal", "high"] {
                    try await client.execute(uri: "/\(name)", method: .get) { response in
                        guard refused.contains(name) else {
                            #expect(response.status == .ok && String(buffer: response.body) == "\(name) served")
                            return
                        }
                        let seconds = response.headers[.retryAfter] ?? ""
                        let others = level == .warning ? "normal" : "high"
                        #expect(response.status == .serviceUnavailable)
                        #expect(response.headers[.contentType] == "text/plain; charset=utf-8")
                        #expect(5...10 ~= Int(seconds) ?? 0)
                        #expect(
                            String(buffer: response.body) == """
                                Requests of priority \(name) are not taken at pressure \(level); those of \(others) and above \
                                are. Try again in \(seconds) s.

                                """)
                    }
                }
            }
        }

        @Test("A process that drains refuses what nobody misses, one that ends everything")
        func leaving() async throws {
            registry.beginDraining(deadline: MonotonicInstant(nanoseconds: .max))
            try await application().test(.live) { client in
                try await client.execute(uri: "/low", method: .get) { response in
                    #expect(response.status == .serviceUnavailable)
                    #expect(
                        String(buffer: response.body).hasPrefix(
                            "Requests of priority low are not taken while the process drains"))
                }
                try await client.execute(uri: "/normal", method: .get) { #expect($0.status == .ok) }
                registry.shut()
                try await client.execute(uri: "/high", method: .get) { response in
                    #expect(response.status == .serviceUnavailable)
                    #expect(
                        String(buffer: response.body).hasPrefix(
                            "Requests of priority high are not taken because the process ends. Try"))
                }
            }
        }

        @Test("A route whose background task is refused answers the same, and other errors pass")
        func refusedInside() async throws {
            try await application().test(.live) { client in
                try await client.execute(uri: "/begins", method: .get) { response in
                    #expect(response.status == .ok && String(buffer: response.body) == "done")
                }
                registry.noteLevel(.warning)
                try await client.execute(uri: "/begins", method: .get) { response in
                    #expect(response.status == .serviceUnavailable && response.headers[.retryAfter] != nil)
                    #expect(
                        String(buffer: response.body).hasPrefix(
                            "Requests of priority low are not taken at pressure warning"))
                }
                try await client.execute(uri: "/fails", method: .get) { #expect($0.status == .conflict) }
            }
        }

        @Test("Clients are sent away for times of their own, and the same seed gives the same times")
        func spread() async throws {
            registry.noteLevel(.critical)
            func times() async throws -> [Int] {
                try await application(retryAfter: 10...40, seed: 7).test(.live) { client in
                    var times: [Int] = []
                    for _ in 0..<100 {
                        times.append(
                            try await client.execute(uri: "/low", method: .get) {
                                $0.headers[.retryAfter].flatMap { Int($0) } ?? 0
                            })
                    }
                    return times
                }
            }
            let first = try await times()
            #expect(first.allSatisfy { 10...40 ~= $0 } && Set(first).count > 20)
            #expect(try await times() == first)
        }
    }
#endif
