#if Hummingbird
    import Hummingbird
    import Jetsam
    import JetsamHummingbird
    import NIOCore
    import NIOHTTP1
    import Testing

    struct AdmissionMiddlewareTests {
        let registry = BackgroundTaskRegistry()

        private func router(
            retryAfter: ClosedRange<Int> = 5...10, seed: UInt64? = nil
        ) -> Router<BasicRequestContext> {
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
            return router
        }

        @Test(
            "Requests are refused by priority and level, with the reason",
            arguments: [
                (PressureLevel.normal, []), (.warning, ["low"]), (.critical, ["low", "normal"]),
            ])
        func levels(level: PressureLevel, refused: [String]) async throws {
            registry.noteLevel(level)
            try await withClient(of: router()) { client in
                for name in ["low", "normal", "high"] {
                    let response = try await client.get("/\(name)")
                    guard refused.contains(name) else {
                        #expect(response.status == .ok && response.text == "\(name) served")
                        continue
                    }
                    let seconds = response.headers["retry-after"].first ?? ""
                    let others = level == .warning ? "normal" : "high"
                    #expect(response.status == .serviceUnavailable)
                    #expect(response.headers["content-type"] == ["text/plain; charset=utf-8"])
                    #expect(5...10 ~= Int(seconds) ?? 0)
                    #expect(
                        response.text == """
                            Requests of priority \(name) are not taken at pressure \(level); those of \(others) and above \
                            are. Try again in \(seconds) s.

                            """)
                }
            }
        }

        @Test("A process that drains refuses what nobody misses, one that ends everything")
        func leaving() async throws {
            registry.beginDraining(deadline: MonotonicInstant(nanoseconds: .max))
            try await withClient(of: router()) { client in
                var response = try await client.get("/low")
                #expect(response.status == .serviceUnavailable)
                #expect(response.text.hasPrefix("Requests of priority low are not taken while the process drains"))
                #expect(try await client.get("/normal").status == .ok)
                registry.shut()
                response = try await client.get("/high")
                #expect(response.status == .serviceUnavailable)
                #expect(
                    response.text.hasPrefix("Requests of priority high are not taken because the process ends."))
            }
        }

        @Test("A route whose background task is refused answers the same, and other errors pass")
        func refusedInside() async throws {
            try await withClient(of: router()) { client in
                var response = try await client.get("/begins")
                #expect(response.status == .ok && response.text == "done")
                registry.noteLevel(.warning)
                response = try await client.get("/begins")
                #expect(response.status == .serviceUnavailable && !response.headers["retry-after"].isEmpty)
                #expect(response.text.hasPrefix("Requests of priority low are not taken at pressure warning"))
                #expect(try await client.get("/fails").status == .conflict)
            }
        }

        @Test("Clients are sent away for times of their own, and the same seed gives the same times")
        func spread() async throws {
            registry.noteLevel(.critical)
            func times() async throws -> [Int] {
                try await withClient(of: router(retryAfter: 10...40, seed: 7)) { client in
                    var times: [Int] = []
                    for _ in 0..<100 {
                        times.append(try await client.get("/low").headers["retry-after"].first.flatMap { Int($0) } ?? 0)
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
