#if Hummingbird
    import Testing

    @testable import JetsamHummingbird

    struct RetryDelayTests {
        @Test(
            "The range is held to what may be sent",
            arguments: [
                (5...10, 5...10), (-3...0, 1...1), (0...3, 1...3), (90_000...99_999_999, 86_400...86_400),
                (Int.min...Int.max, 1...86_400),
            ])
        func bounds(given: ClosedRange<Int>, held: ClosedRange<Int>) {
            let delay = RetryDelay(given, seed: 1)
            #expect(delay.seconds == held)
            for _ in 0..<1000 { #expect(held.contains(delay.next())) }
        }

        @Test("Every second of the range comes about as often")
        func even() {
            let delay = RetryDelay(1...10, seed: 42)
            let drawn = Dictionary(grouping: (0..<10_000).map { _ in delay.next() }, by: { $0 }).mapValues(\.count)
            #expect(drawn.keys.sorted() == Array(1...10))
            #expect(drawn.values.allSatisfy { 850...1150 ~= $0 })
        }

        @Test("Without a seed two servers draw different numbers")
        func unseeded() {
            let (one, other) = (RetryDelay(1...86_400, seed: nil), RetryDelay(1...86_400, seed: nil))
            #expect((0..<20).map { _ in one.next() } != (0..<20).map { _ in other.next() })
        }
    }
#endif
