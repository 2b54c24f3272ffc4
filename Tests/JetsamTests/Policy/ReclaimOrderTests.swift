import Testing

@testable import Jetsam

struct ReclaimOrderTests {
    private func client(
        _ id: UInt64, _ priority: CachePriority = .normal, traits: CacheTraits = [], cost: Double? = nil,
        bytes: Int = 100, limit: Int? = nil, givesNothing: Bool = false, heldOff: Bool = false, busy: Bool = false
    ) -> ClientFacts {
        ClientFacts(
            id: id, priority: priority, traits: traits, rebuildCost: cost, bytes: bytes, limitBytes: limit,
            givesNothing: givesNothing, isHeldOff: heldOff, isBusy: busy)
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

    @Test("Bytes are asked for in order until there are enough, and everybody gets a limit at what is left")
    func plan() {
        let plan = ReclaimOrder.plan([client(1, .low), client(2, .normal), client(3, .high)], targetBytes: 150)
        #expect(plan.map(\.askBytes) == [100, 50, 0])
        #expect(plan.map(\.limit) == [.set(bytes: 0), .set(bytes: 50), .set(bytes: 100)])
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
                id, CachePriority(rawValue: .random(in: 0...255, using: &generator)),
                cost: Bool.random(using: &generator) ? .random(in: 0...9, using: &generator) : nil,
                bytes: .random(in: 0...1_000, using: &generator), heldOff: .random(using: &generator))
        }
        let target = Int.random(in: 0...5_000, using: &generator)
        let plan = ReclaimOrder.plan(clients, targetBytes: target)
        #expect(plan.count == clients.count)
        #expect(plan.allSatisfy { $0.askBytes >= 0 })
        let asked = plan.reduce(0) { $0 + $1.askBytes }
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
}
