#if NIO || Hummingbird
    import Jetsam
    import Testing

    @testable import JetsamNIO

    @Suite("The bytes that are held, and who may read on")
    struct BufferedBytesTests {
        private final class Woken: Sendable {
            private let numbers = Lock<[Int]>([])

            var all: [Int] { numbers.withLock { $0 } }

            func wake(_ number: Int) -> @Sendable () -> Void {
                { [self] in numbers.withLock { $0.append(number) } }
            }
        }

        private func call(_ wakes: [BufferedBytes.Wake]) { for wake in wakes { wake() } }

        @Test("First bytes come as they like, and for more a grant is needed, in the order in which it was asked for")
        func order() {
            let woken = Woken()
            var bytes = BufferedBytes(budget: 256 << 10, grant: 128 << 10)
            for number in 1...4 {
                bytes.add(number, wake: woken.wake(number))
                #expect(bytes.mayReadOn(number) == true)
                bytes.receive(16 << 10, for: number)
            }
            #expect(bytes.mayReadOn(1) == true)
            // Two grants beside the first bytes of the others would be more than the budget.
            #expect(!bytes.mayReadOn(2) && !bytes.mayReadOn(3) && !bytes.mayReadOn(4))
            #expect(bytes.mayReadOn(2) == false, "asking again changes nothing")
            #expect(bytes.waitingConnections == 3)
            call(bytes.remove(3))
            #expect(woken.all.isEmpty)
            call(bytes.release(received: 16 << 10, for: 1))
            #expect(woken.all == [2] && bytes.mayReadOn(2))
            call(bytes.remove(2))
            #expect(woken.all == [2, 4] && bytes.waitingConnections == 0)
            #expect(bytes.received == 16 << 10)
        }

        @Test("One grant is given however small the budget is and however much is written")
        func oneAlways() {
            let woken = Woken()
            var bytes = BufferedBytes(budget: 64 << 10, grant: 2 << 20)
            bytes.add(1, wake: woken.wake(1))
            bytes.add(2, wake: woken.wake(2))
            bytes.write(10 << 20, for: 2)
            bytes.receive(1, for: 1)
            bytes.receive(1, for: 2)
            #expect(bytes.mayReadOn(1) == true)
            #expect(bytes.mayReadOn(2) == false)
            call(bytes.remove(1))
            #expect(woken.all == [2])
        }

        @Test("A budget that falls takes nothing away, and one that rises wakes")
        func budget() {
            let woken = Woken()
            var bytes = BufferedBytes(budget: 1 << 20, grant: 512 << 10)
            for number in 1...3 {
                bytes.add(number, wake: woken.wake(number))
                bytes.receive(100 << 10, for: number)
            }
            #expect(bytes.mayReadOn(1) == true)
            call(bytes.setBudget(256 << 10))
            #expect(bytes.mayReadOn(1) && !bytes.mayReadOn(2) && !bytes.mayReadOn(3))
            call(bytes.setBudget(2 << 20))
            #expect(woken.all == [2, 3])
        }

        @Test("Unknown connections and numbers that are too large do no harm")
        func nonsense() {
            var bytes = BufferedBytes(budget: 1 << 20, grant: 64 << 10)
            #expect(bytes.mayReadOn(7) == true)
            bytes.receive(5, for: 7)
            bytes.write(5, for: 7)
            bytes.add(1) {}
            bytes.receive(10, for: 1)
            _ = bytes.release(received: 1000, unwritten: 1000, for: 1)
            #expect(bytes.received == 0 && bytes.unwritten == 0)
            _ = bytes.remove(1)
            _ = bytes.remove(1)
            #expect(bytes.received == 0)
        }

        /// Connections that send a body each, a piece whenever they may, and are answered when it is there.
        @Test(
            "All are served in the end, and never is more held than the budget and a read of each", arguments: 1...100)
        func served(seed: Int) {
            var random = SeededGenerator(seed: UInt64(seed))
            let grant = Int.random(in: 20_000...400_000, using: &random)
            let budget = Int.random(in: 64 << 10...4 << 20, using: &random)
            let count = Int.random(in: 1...60, using: &random)
            let piece = 4 << 10
            var bytes = BufferedBytes(budget: budget, grant: grant)
            let woken = Woken()
            var left = (0..<count).map { _ in Int.random(in: 1...grant, using: &random) }
            var held = Array(repeating: 0, count: count)
            var mayRead = Set(0..<count)
            for number in 0..<count { bytes.add(number, wake: woken.wake(number)) }
            var seen = 0
            var rounds = 0
            while left.contains(where: { $0 > 0 }), rounds < 200_000 {
                rounds += 1
                for number in woken.all.dropFirst(seen) { mayRead.insert(number) }
                seen = woken.all.count
                guard let number = mayRead.sorted().randomElement(using: &random) else { break }
                let size = min(piece, left[number])
                left[number] -= size
                held[number] += size
                bytes.receive(size, for: number)
                #expect(bytes.received <= max(budget, grant + budget / 2) + count * piece)
                if left[number] == 0 {
                    mayRead.remove(number)
                    call(
                        Bool.random(using: &random)
                            ? bytes.remove(number) : bytes.release(received: held[number], for: number))
                } else if !bytes.mayReadOn(number) {
                    mayRead.remove(number)
                }
                if Int.random(in: 0..<50, using: &random) == 0 {
                    call(bytes.setBudget(Bool.random(using: &random) ? budget : budget / 4))
                }
            }
            #expect(left.allSatisfy { $0 == 0 }, "\(left.count { $0 > 0 }) of \(count) were never served")
            #expect(bytes.received == 0 && bytes.waitingConnections == 0)
        }
    }
#endif
