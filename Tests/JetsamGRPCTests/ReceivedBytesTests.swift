#if GRPC
    import Jetsam
    import Testing

    @testable import JetsamGRPC

    @Suite("The bytes of messages on their way")
    struct ReceivedBytesTests {
        /// The calls that were woken, in their order.
        final class Woken: Sendable {
            private let numbers = Lock<[Int]>([])

            var all: [Int] { numbers.withLock { $0 } }

            func add(_ number: Int) { numbers.withLock { $0.append(number) } }
        }

        let woken = Woken()

        private func open(_ bytes: inout ReceivedBytes, _ name: Int = 0, priority: ResourcePriority = .normal) -> Int {
            bytes.open(priority: priority) { [woken] in woken.add(name) }
        }

        /// As `#expect` cannot call what changes a value.
        private func check(_ holds: Bool, sourceLocation: SourceLocation = #_sourceLocation) {
            #expect(holds, sourceLocation: sourceLocation)
        }

        private func wake(_ wakes: [ReceivedBytes.Wake]) { for wake in wakes { wake() } }

        @Test("A message counts until the service asks for the next one")
        func asksForNext() {
            var bytes = ReceivedBytes(budget: 100)
            let call = open(&bytes)
            check(bytes.request(60, for: call))
            #expect(bytes.held == 60)
            bytes.take(call)
            #expect(bytes.held == 60)
            wake(bytes.ask(call))
            #expect(bytes.held == 0)
        }

        @Test("The last message counts until the method has returned")
        func lastMessage() {
            var bytes = ReceivedBytes(budget: 100)
            let call = open(&bytes)
            check(bytes.request(60, for: call))
            wake(bytes.ask(call))
            bytes.take(call)
            wake(bytes.ask(call))
            bytes.endInput(call)
            #expect(bytes.held == 60)
            wake(bytes.endMethod(call))
            #expect(bytes.held == 0)
            // In an answer that streams the end of the input comes later, and the message is gone by then.
            bytes.endInput(call)
            #expect(bytes.held == 0)
        }

        @Test("Those that wait are woken in their order, and those of a higher priority before them")
        func order() {
            var bytes = ReceivedBytes(budget: 100)
            let first = open(&bytes)
            check(bytes.request(100, for: first))
            let second = open(&bytes, 2)
            let third = open(&bytes, 3)
            let urgent = open(&bytes, 4, priority: .high)
            for call in [second, third, urgent] {
                check(!bytes.request(50, for: call))
            }
            wake(bytes.close(first))
            #expect(woken.all == [4, 2])
            #expect(bytes.held == 100)
            #expect(bytes.waitingCalls == 1)
        }

        @Test("A small message does not overtake a large one of its priority")
        func noOvertaking() {
            var bytes = ReceivedBytes(budget: 100)
            let first = open(&bytes)
            check(bytes.request(60, for: first))
            let large = open(&bytes, 2)
            check(!bytes.request(80, for: large))
            let small = open(&bytes, 3)
            check(!bytes.request(10, for: small))
            // One without content takes nothing.
            let last = open(&bytes)
            check(bytes.request(0, for: last))
        }

        @Test("A message that is larger than everything goes alone")
        func alone() {
            var bytes = ReceivedBytes(budget: 100)
            let first = open(&bytes)
            check(bytes.request(1, for: first))
            let large = open(&bytes, 2)
            check(!bytes.request(500, for: large))
            wake(bytes.close(first))
            #expect(woken.all == [2])
            #expect(bytes.held == 500)
            let last = open(&bytes)
            check(!bytes.request(1, for: last))
        }

        @Test("A smaller budget stops what is to come, and a larger one wakes those that wait")
        func budget() {
            var bytes = ReceivedBytes(budget: 100)
            let first = open(&bytes)
            check(bytes.request(50, for: first))
            wake(bytes.setBudget(50))
            let last = open(&bytes, 2)
            check(!bytes.request(50, for: last))
            wake(bytes.setBudget(100))
            #expect(woken.all == [2])
        }

        @Test("A call that ends gives everything back and waits no more")
        func close() {
            var bytes = ReceivedBytes(budget: 100)
            let first = open(&bytes)
            check(bytes.request(40, for: first))
            check(bytes.request(40, for: first))
            bytes.take(first)
            let second = open(&bytes, 2)
            check(!bytes.request(90, for: second))
            wake(bytes.close(second))
            wake(bytes.close(first))
            #expect(bytes.held == 0)
            #expect(bytes.waitingCalls == 0)
            #expect(woken.all.isEmpty)
            // Whatever still comes for it changes nothing.
            wake(bytes.ask(first))
            bytes.take(first)
            bytes.endInput(first)
            wake(bytes.endMethod(first))
            wake(bytes.close(first))
            #expect(bytes.held == 0)
        }

        @Test("A call is claimed once")
        func claim() {
            var bytes = ReceivedBytes(budget: 100)
            let call = open(&bytes)
            check(bytes.claim(call))
            check(!bytes.claim(call))
            check(!bytes.claim(call + 1))
        }

        @Test(
            "Random calls never hold more than the budget, unless one is alone, and all come to their end",
            arguments: 0..<100)
        func randomCalls(seed: UInt64) {
            var random = Numbers(state: seed)
            var bytes = ReceivedBytes(budget: 1000)
            var receiving: [Int: Int] = [:]
            let arrived = Woken()
            for _ in 0..<300 {
                switch random.next(below: 3) {
                case 0:
                    let size = random.next(below: 600)
                    let name = receiving.count + 1
                    let call = bytes.open(priority: .normal) { arrived.add(name) }
                    receiving[call] = size
                    _ = bytes.request(size, for: call)
                case 1:
                    if let call = receiving.keys.sorted().first(where: { _ in random.next(below: 3) == 0 }) {
                        wake(bytes.close(call))
                        receiving[call] = nil
                    }
                default:
                    let budget = 500 + random.next(below: 1000)
                    let held = bytes.held
                    wake(bytes.setBudget(budget))
                    #expect(bytes.held <= max(budget, held))
                    wake(bytes.setBudget(1000))
                }
                #expect(bytes.held >= 0)
                #expect(bytes.waitingCalls == 0 || bytes.held > 0)
            }
            for call in receiving.keys.sorted() { wake(bytes.close(call)) }
            #expect(bytes.held == 0)
            #expect(bytes.waitingCalls == 0)
        }

        struct Numbers {
            var state: UInt64

            mutating func next(below bound: Int) -> Int {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return Int(state >> 33) % bound
            }
        }
    }
#endif
