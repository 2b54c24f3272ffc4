import MemoryPressure
import Testing

@testable import Jetsam
@testable import JetsamPolicy
@testable import PurgeableCaches

/// Steps with caches that are known to give nothing.
struct UnreliableRunTests: RunTesting {
    private func run(target: Int, _ facts: [ClientFacts]) -> ReclaimRun {
        ReclaimRun(
            number: 1, kind: .step, demand: run(target: target, [] as [(UInt64, Int, Bool)]).demand,
            plan: ReclaimOrder.plan(facts, targetBytes: target),
            sizes: Dictionary(uniqueKeysWithValues: facts.map { ($0.id, $0.bytes) }), callDeadline: .seconds(1),
            trimsFirst: false)
    }

    @Test(
        "What one promises that is known to give nothing is asked of those after it as well, and of it no more than planned"
    )
    func unreliable() {
        let facts = [
            ClientFacts(id: 1, priority: .low, traits: [], bytes: 500, givesNothing: true),
            ClientFacts(id: 2, priority: .low, traits: .lossy, bytes: 100),
        ]
        var run = self.run(target: 80, facts)
        let words = words(&run) { _, bytes in bytes }
        #expect(words == ["limit 1 420", "limit 2 20", "release 1 80", "release 2 80", "measure"])
    }

    @Test(
        "Below critical one that works beside others waits for its turn behind one that is known to give nothing",
        arguments: [CacheTraits.asynchronous, .segments])
    func waitsForTurn(traits: CacheTraits) {
        let facts = [
            ClientFacts(id: 1, priority: .low, traits: [], bytes: 500, givesNothing: true),
            ClientFacts(id: 2, priority: .normal, traits: .lossy, bytes: 30),
            ClientFacts(id: 3, priority: .high, traits: [traits, .lossy], bytes: 300),
        ]
        for gained in [0, 60, 80] {
            var run = self.run(target: 80, facts)
            guard
                case .start(let limit, client: 3, limit: .set(bytes: 250), request: nil) = run.next(
                    shouldTrimLast: false, at: .seconds(0))
            else {
                Issue.record("its limit does not come first")
                return
            }
            run.answered(limit, promisedBytes: 0, freedBytes: nil, error: nil, at: .seconds(0))
            var asked: [UInt64: Int] = [:]
            var isOver = false
            while !isOver {
                switch run.next(shouldTrimLast: false, at: .seconds(0)) {
                case .limit(let id, _, _):
                    run.answered(id, promisedBytes: 0, freedBytes: nil, error: nil, at: .seconds(0))
                case .release(let id, let client, let request):
                    asked[client, default: 0] += request.bytes
                    run.answered(
                        id, promisedBytes: request.bytes, freedBytes: nil, gainedBytes: client == 1 ? gained : 0,
                        error: nil, at: .seconds(0))
                case .start(let id, let client, _, let request):
                    asked[client, default: 0] += request?.bytes ?? 0
                    run.answered(
                        id, promisedBytes: request?.bytes ?? 0, freedBytes: nil, error: nil, at: .seconds(0))
                default: isOver = true
                }
            }
            #expect(asked[1] == 80)
            #expect(asked[2, default: 0] == min(30, 80 - gained))
            #expect(asked[3, default: 0] == max(0, 50 - gained))
        }
    }

    @Test(
        "One that is known to give nothing is not asked for a few bytes again and again, where these are not seen to come back"
    )
    func fewUnreliableBytes() {
        let all = 40 * mebibyte
        let facts = [ClientFacts(id: 1, priority: .low, traits: [], bytes: all, givesNothing: true)]
        var run = self.run(target: all, facts)
        // Others gave nearly all of it meanwhile.
        guard
            case .limit(let id, client: 1, _) = run.next(
                shouldTrimLast: false, open: OpenBytes(most: 300), at: .seconds(0))
        else {
            Issue.record("its limit does not come first")
            return
        }
        run.answered(id, of: 1, promisedBytes: 0, freedBytes: nil, error: nil, at: .seconds(0))
        var asked: [Int] = []
        _ = words(&run) { _, bytes in
            asked.append(bytes)
            return bytes
        }
        #expect(asked.first == 300)
        #expect((2...11).contains(asked.count) && asked.reduce(0, +) == all)
    }

    @Test(
        "Where no handler may be called, nobody waits for the turn of one that is known to give nothing",
        arguments: [CacheTraits.asynchronous, .segments])
    func doesNotWait(traits: CacheTraits) {
        let facts = [
            ClientFacts(id: 1, priority: .low, traits: [], bytes: 500, givesNothing: true),
            ClientFacts(id: 2, priority: .high, traits: traits, bytes: 300, givesNothing: true),
            ClientFacts(id: 3, priority: .high, traits: [traits, .lossy], bytes: 300),
        ]
        var run = self.run(target: 80, facts)
        var asked: [UInt64: Int] = [:]
        while case .start(let id, let client, _, let request) = run.next(
            shouldTrimLast: false, callsHandlers: false, at: .seconds(0))
        {
            asked[client, default: 0] += request?.bytes ?? 0
            run.answered(id, promisedBytes: request?.bytes ?? 0, freedBytes: nil, error: nil, at: .seconds(0))
        }
        #expect(asked == [2: 80, 3: 80])
        // A thread that may call handlers goes on: nothing is missing any more.
        #expect(words(&run) { _, bytes in bytes }.contains { $0.hasPrefix("release") } == false)
    }

    @Test("What is seen to come back of one that is known to give nothing is asked of nobody else")
    func unreliableGives() {
        let facts = [
            ClientFacts(id: 1, priority: .low, traits: [], bytes: 500, givesNothing: true),
            ClientFacts(id: 2, priority: .low, traits: .lossy, bytes: 100),
        ]
        var run = self.run(target: 80, facts)
        #expect(run.isUnreliable(1))
        #expect(!run.isUnreliable(2))
        var isAsked = false
        while !isAsked {
            switch run.next(shouldTrimLast: false, at: .seconds(0)) {
            case .limit(let id, let client, _):
                run.answered(id, of: client, promisedBytes: 0, freedBytes: nil, error: nil, at: .seconds(0))
            case .release(let id, client: 1, let request):
                isAsked = true
                #expect(request.bytes == 80)
                run.answered(
                    id, of: 1, promisedBytes: 80, freedBytes: nil, gainedBytes: 60, error: nil, at: .seconds(0))
            case let other:
                Issue.record("\(other) comes before it is asked")
                return
            }
        }
        #expect(words(&run) { _, bytes in bytes } == ["release 2 20", "measure"])
    }

    @Test("What another cache gave meanwhile does not count for one that is known to give nothing")
    func gainedByAnother() {
        let facts = [
            ClientFacts(id: 1, priority: .low, traits: .asynchronous, bytes: 40),
            ClientFacts(id: 2, priority: .low, traits: [], bytes: 500, givesNothing: true),
            ClientFacts(id: 3, priority: .low, traits: .lossy, bytes: 100),
        ]
        var run = self.run(target: 100, facts)
        var asynchronous: ReclaimRun.CallID?
        var unreliable: ReclaimRun.CallID?
        while unreliable == nil {
            switch run.next(shouldTrimLast: false, at: .seconds(0)) {
            case .start(let id, _, _, _): asynchronous = id
            case .limit(let id, let client, _):
                run.answered(id, of: client, promisedBytes: 0, freedBytes: nil, error: nil, at: .seconds(0))
            case .release(let id, client: 2, _): unreliable = id
            case let other:
                Issue.record("\(other) comes before it is asked")
                return
            }
        }
        guard let asynchronous, let unreliable else { return }
        run.answered(asynchronous, of: 1, promisedBytes: 40, freedBytes: nil, error: nil, at: .seconds(0.1))
        run.answered(
            unreliable, of: 2, promisedBytes: 60, freedBytes: nil, gainedBytes: 40, error: nil, at: .seconds(0.2))
        #expect(words(&run, at: 0.2) { _, bytes in bytes }.contains("release 3 60"))
    }
}
