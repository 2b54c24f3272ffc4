import Testing

@testable import Jetsam
@testable import JetsamPolicy
@testable import PurgeableCaches

struct ReclaimOrderTests {
    private func client(
        _ id: UInt64, _ priority: ResourcePriority = .normal, traits: CacheTraits = [], cost: Double? = nil,
        bytes: Int = 100, limit: Int? = nil, givesNothing: Bool = false, heldOff: Bool = false, busy: Bool = false,
        expected: Double = 1
    ) -> ClientFacts {
        ClientFacts(
            id: id, priority: priority, traits: traits, rebuildCost: cost, bytes: bytes, limitBytes: limit,
            givesNothing: givesNothing, isHeldOff: heldOff, isBusy: busy,
            expectedShare: expected)
    }

    @Test("Band, then cheapest to make again, then most to give; who gives nothing later, lossy ones last")
    func order() {
        let clients = [
            client(1, .low, traits: .lossy), client(2, .low, givesNothing: true), client(3, .high),
            client(4, .normal, cost: 5), client(5, .normal, cost: 0.5, bytes: 10),
            client(6, .normal, cost: 0.5, bytes: 20),
            client(7, .low),
        ]
        #expect(ReclaimOrder.sorted(clients).map(\.id) == [7, 6, 5, 4, 3, 2, 1])
    }

    @Test("Of one band and cost, who pages memory in to give some of it comes after the others")
    func traversal() {
        let clients = [
            client(1, traits: .traversal, bytes: 300), client(2, bytes: 100), client(3, .high),
            client(4, traits: .traversal, cost: 0.5),
        ]
        #expect(ReclaimOrder.sorted(clients).map(\.id) == [4, 2, 1, 3])
    }

    @Test("Bytes are asked for in order until there are enough, and everybody gets a limit at what is left")
    func plan() {
        let plan = ReclaimOrder.plan([client(1, .low), client(2, .normal), client(3, .high)], targetBytes: 150)
        #expect(plan.map(\.askBytes) == [100, 50, 0])
        #expect(plan.map(\.limit) == [.set(bytes: 0), .set(bytes: 50), .set(bytes: 100)])
    }

    @Test(
        "What caches cannot give before the limit is asked of fast ones of their rank, and then of the later ones as well"
    )
    func timeLeft() {
        func slow(_ id: UInt64, _ priority: ResourcePriority, bytesPerSecond: Double) -> ClientFacts {
            var client = client(id, priority)
            client.speed = ReleaseSpeed(bytesPerSecond: bytesPerSecond, latencyNanoseconds: 10_000_000)
            return client
        }
        let clients = [slow(1, .low, bytesPerSecond: 500), slow(2, .low, bytesPerSecond: 1e9), client(3, .high)]
        func asks(target: Int, within time: Duration?) -> [Int] {
            ReclaimOrder.plan(clients, targetBytes: target, within: time).map(\.askBytes)
        }
        #expect(asks(target: 100, within: nil) == [50, 50, 0])
        // 1 gives 20 in 40 ms, and 2 the rest.
        #expect(asks(target: 100, within: .milliseconds(50)) == [50, 80, 0])
        #expect(asks(target: 150, within: .milliseconds(50)) == [75, 100, 30])
        // All of it would be latency.
        #expect(asks(target: 100, within: .milliseconds(10)) == [50, 50, 100])
    }

    @Test("Of caches that are alike the one of which most is expected to come back comes first")
    func expectedYield() {
        let clients = [
            client(1, bytes: 300, expected: 0.1), client(2, bytes: 100, expected: 0.9), client(3, bytes: 80),
        ]
        #expect(ReclaimOrder.sorted(clients).map(\.id) == [2, 3, 1])
        // But band and cost come before.
        let cheaper =
            clients + [client(4, cost: 0.5, bytes: 1, expected: 0), client(5, .low, cost: 9, bytes: 1, expected: 0)]
        #expect(ReclaimOrder.sorted(cheaper).map(\.id) == [5, 4, 2, 3, 1])
    }

    @Test("A step is shared by those of one rank, by what may be expected of them; none is emptied for the others")
    func proportions() {
        let alike = [client(1, bytes: 400), client(2, bytes: 100), client(3, bytes: 500)]
        #expect(asks(ReclaimOrder.plan(alike, targetBytes: 500)) == [1: 200, 2: 50, 3: 250])
        #expect(asks(ReclaimOrder.plan(alike, targetBytes: 1)).values.reduce(0, +) == 1)
        #expect(asks(ReclaimOrder.plan(alike, targetBytes: 2000)) == [1: 400, 2: 100, 3: 500])
        let unlike = [client(1, bytes: 400, expected: 0.25), client(2, bytes: 400, expected: 0.75)]
        #expect(asks(ReclaimOrder.plan(unlike, targetBytes: 400)) == [1: 100, 2: 300])
        // Who cannot give its part gives all, and the rest is divided anew.
        #expect(asks(ReclaimOrder.plan(unlike, targetBytes: 600)) == [1: 200, 2: 400])
        // A rank is used up before the next is touched; who cannot be asked leaves its part to the others.
        let ranks = [
            client(1, .low, bytes: 100), client(2, bytes: 100), client(3, bytes: 100),
            client(4, bytes: 100, busy: true),
        ]
        #expect(asks(ReclaimOrder.plan(ranks, targetBytes: 200)) == [1: 100, 2: 50, 3: 50, 4: 0])
        let costs = [client(1, cost: 2, bytes: 100), client(2, cost: 1, bytes: 100)]
        #expect(asks(ReclaimOrder.plan(costs, targetBytes: 120)) == [1: 20, 2: 100])
    }

    @Test("Who gives nothing is asked when the others are not enough, and a lossy one for as much")
    func neverLeftOut() {
        let clients = [
            client(1, .low, givesNothing: true), client(2, .high), client(3, .low, traits: .lossy), client(4, .normal),
        ]
        #expect(asks(ReclaimOrder.plan(clients, targetBytes: 200)) == [1: 0, 2: 100, 3: 0, 4: 100])
        #expect(asks(ReclaimOrder.plan(clients, targetBytes: 250)) == [1: 50, 2: 100, 3: 50, 4: 100])
        #expect(asks(ReclaimOrder.plan(clients, targetBytes: 999)) == [1: 100, 2: 100, 3: 100, 4: 100])
    }

    private func asks(_ plan: [PlannedRelease]) -> [UInt64: Int] {
        Dictionary(uniqueKeysWithValues: plan.map { ($0.id, $0.askBytes) })
    }

    @Test("A limit never rises in a step, and who is busy or held off is not asked")
    func limitsOnlyFall() {
        let clients = [client(1, .low, limit: 50), client(2, .low, heldOff: true), client(3, .low, busy: true)]
        let plan = ReclaimOrder.plan(clients, targetBytes: 20)
        #expect(plan.map(\.askBytes) == [20, 0, 0])
        #expect(plan.map(\.limit) == [.keep, .set(bytes: 100), .keep])
        #expect(plan.map(\.canBeAsked) == [true, false, false])
    }

    @Test("Whatever the caches report, no more is asked than they have and than is wanted", arguments: seedBatches)
    func bounds(batch: ClosedRange<UInt64>) {
        for seed in batch { bounds(seed: seed) }
    }

    private func bounds(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let clients = (0..<UInt64.random(in: 0...20, using: &generator)).map { id in
            client(
                id, ResourcePriority(rawValue: .random(in: 0...255, using: &generator)),
                cost: Bool.random(using: &generator) ? .random(in: 0...9, using: &generator) : nil,
                bytes: .random(in: 0...1_000, using: &generator), heldOff: .random(using: &generator))
        }
        let target = Int.random(in: 0...5_000, using: &generator)
        let plan = ReclaimOrder.plan(clients, targetBytes: target)
        #expect(plan.count == clients.count)
        #expect(plan.allSatisfy { $0.askBytes >= 0 })
        let asked = plan.reduce(0) { $0 + $1.askBytes }
        for part in plan { #expect(part.askBytes <= clients[Int(part.id)].bytes, "seed \(seed)") }
        let available = clients.filter { !$0.isHeldOff }.reduce(0) { $0 + $1.bytes }
        #expect(asked == min(target, available), "seed \(seed)")
    }

    @Test("Regrowth is shared by size among the caches that are full")
    func regrowth() {
        let clients = [
            client(1, bytes: 100, limit: 100), client(2, bytes: 300, limit: 310), client(3, bytes: 10, limit: 200),
        ]
        let limits = Regrowth.limits(clients, bytes: 40)
        #expect(limits.map(\.id) == [1, 2])
        #expect(limits.map(\.limitBytes) == [110, 340])
    }

    @Test("A lower band does not grow again before a higher one, and one that turns entries away is full")
    func regrowthByBand() {
        var small = client(3, .high, bytes: 0, limit: 100)
        let clients = [client(1, .low, bytes: 100, limit: 100), client(2, bytes: 300, limit: 300), small]
        #expect(Regrowth.limits(clients, bytes: 40).map(\.id) == [2])
        small.turnsAway = true
        let limits = Regrowth.limits([clients[0], clients[1], small], bytes: 40)
        #expect(limits.map(\.id) == [3])
        #expect(limits.map(\.limitBytes) == [140])
    }

    @Test("Limits are lifted only where they hold nobody back, and rise where they do")
    func lifted() {
        let free = [client(1, bytes: 10, limit: 100), client(2, bytes: 50, limit: nil)]
        let decision = Regrowth.Decision(bytes: 40, mayLift: true)
        #expect(Regrowth.change(decision, for: free) == .lift)
        #expect(Regrowth.plan(.lift, for: free).map(\.limit) == [.lift])
        let full = free + [client(3, bytes: 100, limit: 100)]
        #expect(Regrowth.change(decision, for: full) == .raise(bytes: 40))
        #expect(Regrowth.change(Regrowth.Decision(bytes: 40), for: free) == .raise(bytes: 40))
    }

    @Test("What a cache keeps is neither asked for nor taken by its limit")
    func kept() {
        var first = client(1, .low)
        first.keptBytes = 25
        var second = client(2, bytes: 20)
        second.keptBytes = 30
        let plan = ReclaimOrder.plan([first, second, client(3, .high)], targetBytes: 1000)
        #expect(plan.map(\.askBytes) == [75, 0, 100])
        #expect(plan.map(\.limit) == [.set(bytes: 25), .set(bytes: 20), .set(bytes: 0)])
    }
}
