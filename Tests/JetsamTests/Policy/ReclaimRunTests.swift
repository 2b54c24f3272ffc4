import MemoryPressure
import Testing

@testable import Jetsam
@testable import JetsamPolicy
@testable import PurgeableCaches

struct ReclaimRunTests: RunTesting {
    @Test("A cache that keeps a part is asked for no more, whatever the others did not give")
    func kept() {
        let facts = [
            ClientFacts(id: 1, priority: .low, traits: [], bytes: 100),
            ClientFacts(id: 2, priority: .normal, traits: [], bytes: 100, keptBytes: 60),
        ]
        let plain = run(target: 120, [])
        var run = ReclaimRun(
            number: 1, kind: .step, demand: plain.demand, plan: ReclaimOrder.plan(facts, targetBytes: 120),
            sizes: [1: 100, 2: 100], callDeadline: .seconds(1), trimsFirst: false)
        let words = words(&run) { client, bytes in client == 1 ? 10 : bytes }
        let asked = words.filter { $0.hasPrefix("release 2 ") }.compactMap { Int($0.dropFirst(10)) }
        #expect(asked.reduce(0, +) == 40)
    }

    @Test("What lower caches do not give is asked of an asynchronous one before those above it, once it has its limit")
    func asynchronousShortfall() {
        let facts = [
            ClientFacts(id: 1, priority: .low, traits: [], bytes: 100),
            ClientFacts(id: 2, priority: .normal, traits: .asynchronous, bytes: 300),
            ClientFacts(id: 3, priority: .high, traits: [], bytes: 300),
        ]
        func run(_ level: PressureLevel) -> ReclaimRun {
            ReclaimRun(
                number: 1, kind: .step, demand: self.run(level, target: 100, []).demand,
                plan: ReclaimOrder.plan(facts, targetBytes: 100), sizes: [1: 100, 2: 300, 3: 300],
                callDeadline: .seconds(1), trimsFirst: false)
        }
        var warning = run(.warning)
        guard
            case .start(let limited, client: 2, limit: .set(bytes: 300), request: nil) = warning.next(
                shouldTrimLast: false, at: .seconds(0))
        else {
            Issue.record("its limit does not come first")
            return
        }
        #expect(
            words(&warning) { _, _ in 10 } == ["limit 1 0", "limit 3 300", "release 1 100", "wait"])
        warning.answered(limited, promisedBytes: 0, freedBytes: nil, error: nil, at: .seconds(0))
        guard
            case .start(let asked, client: 2, limit: .set(bytes: 210), let request?) = warning.next(
                shouldTrimLast: false, at: .seconds(0))
        else {
            Issue.record("it is not asked")
            return
        }
        #expect(request.bytes == 90)
        #expect(words(&warning) { _, bytes in bytes } == ["wait"])
        warning.answered(asked, promisedBytes: 90, freedBytes: nil, error: nil, at: .seconds(0))
        #expect(words(&warning) { _, bytes in bytes } == ["measure"])
        // At critical there is no time for that.
        var critical = run(.critical)
        #expect(words(&critical) { client, bytes in client == 1 ? 10 : bytes }.contains("release 3 90"))
    }

    @Test("Limits go down before anything is released, then caches are asked in order until there is enough")
    func orderOfCalls() {
        var run = run(target: 150, [(1, 100, false), (2, 100, false), (3, 100, false)])
        let words = words(&run) { _, bytes in bytes }
        #expect(
            words == ["limit 1 0", "limit 2 50", "limit 3 100", "release 1 100", "release 2 50", "measure"])
        #expect(run.promisedBytes == 150)
    }

    @Test("What one does not give the next is asked for, and its limit goes down first")
    func shortfall() {
        var run = run(target: 100, [(1, 100, false), (2, 100, false)])
        let words = words(&run) { client, bytes in client == 1 ? 30 : bytes }
        #expect(words.suffix(4) == ["release 1 100", "limit 2 30", "release 2 70", "measure"])
    }

    @Test("Those of one rank share a step; what one of them does not give the next give, and then those before it")
    func sharedShortfall() {
        func shared() -> ReclaimRun {
            let facts = (1...3).map { ClientFacts(id: $0, priority: .normal, traits: [], bytes: 100) }
            return ReclaimRun(
                number: 1, kind: .step,
                demand: ReclaimDemand(
                    level: .warning,
                    reason: LevelReason(rule: .headroom, observed: 0, threshold: 0, unit: .bytes, cause: .sampler),
                    targetBytes: 90, missingBytes: 90, step: 1, limitBytes: 1 << 30, isUrgent: false,
                    decidedAt: .seconds(0)),
                plan: ReclaimOrder.plan(facts, targetBytes: 90), sizes: [1: 100, 2: 100, 3: 100],
                callDeadline: .seconds(1), trimsFirst: false)
        }
        let limits = ["limit 1 70", "limit 2 70", "limit 3 70"]
        var run = shared()
        #expect(
            words(&run) { _, bytes in bytes } == limits + ["release 1 30", "release 2 30", "release 3 30", "measure"])
        var second = shared()
        #expect(
            words(&second) { client, bytes in client == 2 ? 10 : bytes }
                == limits + ["release 1 30", "release 2 30", "limit 3 50", "release 3 50", "measure"])
        var last = shared()
        #expect(
            words(&last) { client, bytes in client == 3 ? 10 : bytes }
                == limits + [
                    "release 1 30", "release 2 30", "release 3 30", "limit 1 50", "release 1 20", "measure",
                ])
    }

    @Test("A handler that hangs is left behind at its deadline, and the next is asked for all of it")
    func hungHandler() {
        var run = run(target: 100, [(1, 100, false), (2, 100, false)])
        #expect(words(&run) { client, bytes in client == 1 ? nil : bytes }.last == "wait")
        #expect(run.nextDeadline == .seconds(1))
        #expect(run.inFlightBytes == 100)
        let later = words(&run, at: 1) { _, bytes in bytes }
        #expect(later == ["limit 2 0", "release 2 100", "measure"])
        #expect(run.outcomes.first?.answer.missedDeadline == true)
        #expect(run.inFlightBytes == 0)
    }

    @Test("Lies are held to what the cache had reported, and a negative answer is nothing")
    func lies() {
        var run = run(target: 100, [(1, 40, false), (2, 100, false)])
        _ = words(&run) { client, _ in client == 1 ? Int.max : -5 }
        #expect(run.promisedBytes == 40)
    }

    @Test("Asynchronous clients are started first; at warning they count as asked, at critical until they are late")
    func asynchronous() {
        var warning = run(.warning, target: 100, [(1, 60, true), (2, 100, false)])
        #expect(words(&warning) { _, bytes in bytes } == ["start 1 60", "limit 2 60", "release 2 40", "wait"])
        var critical = run(.critical, target: 100, [(1, 60, true), (2, 100, false)])
        #expect(words(&critical) { _, bytes in bytes } == ["start 1 60", "limit 2 60", "wait"])
        #expect(words(&critical, at: 0.312) { _, bytes in bytes } == ["wait"])
        #expect(words(&critical, at: 0.313) { _, bytes in bytes } == ["limit 2 0", "release 2 100", "wait"])
        #expect(words(&critical, at: 1) { _, bytes in bytes } == ["measure"])
    }

    @Test("The allocator is trimmed before the caches where that is due, and after them where that is")
    func trims() {
        var run = run(target: 10, [(1, 100, false)], trimsFirst: true)
        #expect(
            words(&run, trims: true) { _, bytes in bytes } == ["trim", "limit 1 90", "release 1 10", "trim", "measure"])
        #expect(run.didTrim)
    }

    @Test("An answer that comes when its run is over is not taken for one of the next run")
    func lateAnswer() {
        var first = run(target: 100, [(1, 100, false)])
        var late: ReclaimRun.CallID?
        while late == nil {
            switch first.next(shouldTrimLast: false, at: .seconds(0)) {
            case .limit(let id, _, _):
                first.answered(id, promisedBytes: 0, freedBytes: nil, error: nil, at: .seconds(0))
            case .release(let id, _, _): late = id
            default: break
            }
        }
        var second = run(number: 2, target: 100, [(1, 100, false)])
        #expect(words(&second) { _, _ in nil }.last == "wait")
        if let late { second.answered(late, promisedBytes: 100, freedBytes: nil, error: nil, at: .seconds(0.5)) }
        #expect(second.promisedBytes == 0)
        #expect(second.isAwaited(at: .seconds(0.5)))
        #expect(!second.isAwaited(at: .seconds(1)))
    }

    @Test("A cache that was at work for an earlier step is asked once it has come back, for what it has left")
    func cameBack() {
        let facts = [
            ClientFacts(id: 1, priority: .low, traits: [], bytes: 100, isBusy: true),
            ClientFacts(id: 2, priority: .normal, traits: [], bytes: 50),
        ]
        func newRun() -> ReclaimRun {
            ReclaimRun(
                number: 2, kind: .step, demand: self.run(target: 100, []).demand,
                plan: ReclaimOrder.plan(facts, targetBytes: 100), sizes: [1: 100, 2: 50], callDeadline: .seconds(1),
                trimsFirst: false)
        }
        var without = newRun()
        #expect(words(&without) { _, bytes in bytes } == ["limit 2 0", "release 2 50", "measure"])
        var run = newRun()
        #expect(words(&run) { _, _ in nil }.suffix(2) == ["release 2 50", "wait"])
        let earlier = ReclaimRun.CallID(run: 1, number: 0)
        let isTaken = run.answered(
            earlier, of: 1, promisedBytes: 70, freedBytes: nil, error: nil, at: .seconds(0.1))
        #expect(!isTaken)
        #expect(run.promisedBytes == 0)
        let mine = ReclaimRun.CallID(run: 2, number: 1)
        run.answered(mine, of: 2, promisedBytes: 50, freedBytes: nil, error: nil, at: .seconds(0.2))
        #expect(words(&run, at: 0.2) { _, bytes in bytes } == ["limit 1 0", "release 1 30", "measure"])
    }

    @Test("A step at a higher level cuts a running one short")
    func hurry() {
        var run = run(target: 200, [(1, 100, false), (2, 100, false)])
        _ = words(&run) { _, _ in nil }
        run.hurry(deadline: .milliseconds(100), at: .seconds(0.2))
        #expect(run.nextDeadline == .seconds(0.3))
        #expect(words(&run, at: 0.3) { _, bytes in bytes } == ["measure"])
    }

    @Test(
        "Whatever handlers do, a run ends, asks each at most once and never for more than is wanted",
        arguments: seedBatches)
    func alwaysEnds(batch: ClosedRange<UInt64>) {
        for seed in batch { alwaysEnds(seed: seed) }
    }

    private func alwaysEnds(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let clients = (1...UInt64.random(in: 1...8, using: &generator)).map {
            (id: $0, bytes: Int.random(in: 0...200, using: &generator), isAsynchronous: Bool.random(using: &generator))
        }
        let target = Int.random(in: 0...600, using: &generator)
        let level: PressureLevel = Bool.random(using: &generator) ? .warning : .critical
        var run = run(level, target: target, clients)
        var time = 0.0
        var asked: [UInt64: Int] = [:]
        var out: [ReclaimRun.CallID] = []
        for _ in 0..<200 {
            time += Double.random(in: 0...0.7, using: &generator)
            let now = MonotonicInstant.seconds(time)
            if let id = out.popLast(), Bool.random(using: &generator) {
                run.answered(
                    id, promisedBytes: .random(in: -10...300, using: &generator), freedBytes: nil, error: nil, at: now)
            }
            switch run.next(shouldTrimLast: false, at: now) {
            case .wait: continue
            case .trim: run.wasTrimmed(gainedBytes: 0)
            case .limit(let id, _, _): out.append(id)
            case .start(let id, let client, _, let request):
                asked[client, default: 0] += request?.bytes ?? 0
                out.append(id)
            case .release(let id, let client, let request):
                asked[client, default: 0] += request.bytes
                #expect(request.bytes > 0 && request.bytes <= 2 * max(1, target), "seed \(seed)")
                out.append(id)
            case .measure:
                // Nobody is asked for more than it has, however often.
                for client in clients { #expect(asked[client.id] ?? 0 <= client.bytes, "seed \(seed)") }
                return
            case .releaseSegments: run.releasedSegments()
            }
        }
        Issue.record("the run of seed \(seed) did not end")
    }

    /// Asks of each release, in MiB, where the clients give at so many MiB a millisecond, and how long all of it took.
    private func portions(
        _ run: inout ReclaimRun, rates: [UInt64: Double], gives: (UInt64, Int) -> Int = { $1 }
    ) -> (asks: [(client: UInt64, bytes: Int)], milliseconds: Double) {
        var asks: [(client: UInt64, bytes: Int)] = []
        var time = 0.0
        while true {
            switch run.next(shouldTrimLast: false, at: .seconds(time)) {
            case .limit(let id, _, _):
                run.answered(id, promisedBytes: 0, freedBytes: nil, error: nil, at: .seconds(time))
            case .release(let id, let client, let request):
                asks.append((client, request.bytes))
                time += Double(request.bytes) / Double(mebibyte) / (rates[client] ?? 1) * 1e-3
                run.answered(
                    id, promisedBytes: gives(client, request.bytes), freedBytes: nil, error: nil, at: .seconds(time))
            default: return (asks, time * 1e3)
            }
        }
    }

    private func critical(
        target: Int, _ clients: [(id: UInt64, bytes: Int)], rates: [UInt64: Double] = [:]
    ) -> ReclaimRun {
        var facts = clients.map {
            ClientFacts(id: $0.id, priority: ResourcePriority(rawValue: UInt8($0.id)), traits: [], bytes: $0.bytes)
        }
        for index in facts.indices { facts[index].speed = ReleaseSpeed(bytesPerSecond: rates[facts[index].id]) }
        let demand = ReclaimDemand(
            level: .critical,
            reason: LevelReason(rule: .headroom, observed: 0, threshold: 0, unit: .bytes, cause: .sampler),
            targetBytes: target, missingBytes: target, step: 1, limitBytes: 1 << 30, isUrgent: false,
            decidedAt: .seconds(0))
        return ReclaimRun(
            number: 1, kind: .step, demand: demand, plan: ReclaimOrder.plan(facts, targetBytes: target),
            sizes: Dictionary(uniqueKeysWithValues: facts.map { ($0.id, $0.bytes) }),
            callDeadline: .milliseconds(100), trimsFirst: false)
    }

    @Test("A big release is asked for in portions that each take a part of the deadline, by how fast the cache gives")
    func portions() {
        var fast = critical(target: 900 * mebibyte, [(1, 1000 * mebibyte)])
        let (asks, _) = portions(&fast, rates: [1: 3])
        #expect(asks.map(\.bytes).reduce(0, +) == 900 * mebibyte)
        #expect(asks[0].bytes == 25_000_000, "what it gives is not known yet")
        #expect(asks[1].bytes == 50_000_000, "no more than twice what it gave at once")
        #expect(asks.dropFirst().allSatisfy { $0.bytes <= 76 * mebibyte })
        #expect(asks.count <= 14)
        #expect(fast.promisedBytes == 900 * mebibyte)
        #expect(fast.outcomes.allSatisfy { !$0.answer.missedDeadline })

        // In one call it would have taken nine times its deadline.
        var slow = critical(target: 90 * mebibyte, [(1, 90 * mebibyte)], rates: [1: 0.1e3 * Double(mebibyte)])
        let (few, milliseconds) = portions(&slow, rates: [1: 0.1])
        #expect(few.filter { $0.bytes > 4 * mebibyte }.count == 1, "once it is tried whether more takes longer")
        #expect(milliseconds.rounded() == 900)
        #expect(slow.promisedBytes == 90 * mebibyte)
        #expect(slow.outcomes.allSatisfy { !$0.answer.missedDeadline })
    }

    @Test("What a slow cache does not give is asked of those who rank lower and have more, before it is of those above")
    func backToLower() {
        let facts = (1...3).map { (id: UInt64) in
            ClientFacts(
                id: id, priority: ResourcePriority(rawValue: UInt8(id)), traits: [], bytes: 100 * mebibyte)
        }
        var plan = ReclaimOrder.plan(facts, targetBytes: 150 * mebibyte)
        // Both give something by the plan, and the first keeps something.
        plan[0].askBytes = 50 * mebibyte
        plan[1].askBytes = 100 * mebibyte
        var run = ReclaimRun(
            number: 1, kind: .step, demand: critical(target: 150 * mebibyte, []).demand, plan: plan,
            sizes: [1: 100 * mebibyte, 2: 100 * mebibyte, 3: 100 * mebibyte], callDeadline: .seconds(1),
            trimsFirst: false)
        var asked: [UInt64] = []
        var time = 0.0
        loop: while true {
            switch run.next(shouldTrimLast: false, at: .seconds(time)) {
            case .limit(let id, _, _):
                run.answered(id, promisedBytes: 0, freedBytes: nil, error: nil, at: .seconds(time))
            case .release(let id, let client, let request):
                asked.append(client)
                // The second hangs.
                guard client != 2 else {
                    time += 1
                    continue
                }
                run.answered(id, promisedBytes: request.bytes, freedBytes: nil, error: nil, at: .seconds(time))
            default: break loop
            }
        }
        #expect(asked.reduce(into: [UInt64]()) { if $0.last != $1 { $0.append($1) } } == [1, 2, 1, 3])
    }

    @Test(
        "A cache that is slow to begin is asked for more at a time, and the only one that is left for all that is missing"
    )
    func latency() {
        func asks(_ clients: [(id: UInt64, bytes: Int)]) -> [Int] {
            var run = critical(target: 300 * mebibyte, clients, rates: [1: 1e9, 2: 1e9])
            var asks: [Int] = []
            var time = 0.0
            while true {
                switch run.next(shouldTrimLast: false, at: .seconds(time)) {
                case .limit(let id, _, _):
                    run.answered(id, promisedBytes: 0, freedBytes: nil, error: nil, at: .seconds(time))
                case .release(let id, let client, let request):
                    if client == 1 { asks.append(request.bytes / mebibyte) }
                    // Forty milliseconds, and a MiB in each one after these.
                    time += 0.04 + Double(request.bytes) / Double(mebibyte) * 1e-3
                    run.answered(
                        id, promisedBytes: request.bytes, freedBytes: nil, error: nil, at: .seconds(time))
                default:
                    #expect(run.outcomes.allSatisfy { !$0.answer.missedDeadline })
                    return asks
                }
            }
        }
        // By its speed as a whole it would be asked for less and less.
        #expect(asks([(1, 400 * mebibyte), (2, 400 * mebibyte)]).prefix(4) == [23, 9, 35, 35])
        #expect(asks([(1, 400 * mebibyte)]).prefix(3) == [23, 9, 266])
    }

    @Test("At critical an asynchronous cache is asked in portions too, and others not for what it is expected to give")
    func asynchronousAtCritical() {
        var run = run(.critical, target: 100 * mebibyte, [(1, 60 * mebibyte, true), (2, 80 * mebibyte, false)])
        guard case .start(let first, client: 1, _, let request?) = run.next(shouldTrimLast: false, at: .seconds(0))
        else {
            Issue.record("it is not started")
            return
        }
        #expect(request.bytes == 60 * mebibyte, "a quarter of the second that it has is enough for that")
        #expect(words(&run) { _, bytes in bytes } == ["limit 2 41943040", "wait"])
        #expect(run.lateAt == .seconds(0.3125), "a quarter more than a portion is made to take")
        run.answered(first, promisedBytes: 60 * mebibyte, freedBytes: nil, error: nil, at: .seconds(0.1))
        #expect(words(&run, at: 0.1) { _, bytes in bytes } == ["release 2 41943040", "measure"])
    }

    @Test("What an asynchronous cache did not give is asked of the others in the same step", arguments: [false, true])
    func asynchronousShortfall(isCritical: Bool) {
        var run = run(isCritical ? .critical : .warning, target: 60, [(1, 60, true), (2, 100, false)])
        guard case .start(let first, client: 1, _, _) = run.next(shouldTrimLast: false, at: .seconds(0)) else {
            Issue.record("it is not started")
            return
        }
        #expect(words(&run) { _, bytes in bytes }.last == "wait")
        run.answered(first, promisedBytes: 0, freedBytes: nil, error: "no", at: .seconds(0.01))
        #expect(words(&run, at: 0.01) { _, bytes in bytes }.contains("release 2 60"))
    }

    @Test("One that had the time of its deadline lets the others go first, and goes on where they did not give enough")
    func turns() {
        let rates: [UInt64: Double] = [1: 0.5, 2: 10]
        var run = critical(
            target: 100 * mebibyte, [(1, 200 * mebibyte), (2, 20 * mebibyte)],
            rates: [1: 0.5e3 * Double(mebibyte), 2: 1e10])
        let (asks, _) = portions(&run, rates: rates)
        let order = asks.reduce(into: [UInt64]()) { if $0.last != $1.client { $0.append($1.client) } }
        #expect(order == [1, 2, 1])
        let first = asks.prefix { $0.client == 1 }.map(\.bytes).reduce(0, +)
        #expect((50...64).contains(first / mebibyte))
        #expect(run.promisedBytes == 100 * mebibyte)
    }

    @Test("One that gave less than a portion is not asked again, and none is asked for what others have given")
    func shortPortion() {
        var run = critical(target: 200 * mebibyte, [(1, 500 * mebibyte), (2, 500 * mebibyte)])
        let (asks, _) = portions(&run, rates: [1: 10, 2: 10]) { client, bytes in client == 1 ? bytes - 1 : bytes }
        #expect(asks.filter { $0.client == 1 }.count == 1)
        #expect(run.promisedBytes == 200 * mebibyte)
    }

    @Test("An answer that comes late in its own run still counts, and what it gave is not asked of others")
    func lateInTime() {
        var run = run(target: 100, [(1, 100, false), (2, 50, false), (3, 50, false)])
        var late: ReclaimRun.CallID?
        var asked: [Int] = []
        loop: while true {
            switch run.next(shouldTrimLast: false, at: .seconds(late == nil ? 0 : 1)) {
            case .limit(let id, _, _):
                run.answered(id, promisedBytes: 0, freedBytes: nil, error: nil, at: .seconds(0))
            case .release(let id, let client, let request):
                asked.append(request.bytes)
                if client == 1 {
                    late = id
                } else {
                    if let late {
                        let isTaken = run.answered(
                            late, promisedBytes: 80, freedBytes: 70, error: nil, at: .seconds(1))
                        #expect(isTaken)
                    }
                    run.answered(id, promisedBytes: request.bytes, freedBytes: nil, error: nil, at: .seconds(1))
                }
            case .measure: break loop
            default: break
            }
        }
        #expect(asked == [100, 50])
        #expect(run.promisedBytes == 130)
        #expect(run.outcomes.first?.answer.missedDeadline == true)
        #expect(run.outcomes.first?.answer.freedBytes == 70)
        let isTaken = late.map { run.answered($0, promisedBytes: 80, freedBytes: nil, error: nil, at: .seconds(2)) }
        #expect(isTaken == false)
    }

    @Test("With no thread left for handlers a critical step has segments given back, once; one at warning has not")
    func segments() {
        for (level, expected) in [
            (PressureLevel.critical, ["segments 100", "measure"]), (.warning, ["measure"]),
        ] {
            var run = run(level, target: 100, [(1, 100, false), (2, 100, false)])
            var words: [String] = []
            loop: while true {
                switch run.next(shouldTrimLast: false, callsHandlers: false, at: .seconds(0)) {
                case .releaseSegments(let bytes):
                    words.append("segments \(bytes)")
                    run.gaveSegments(client: 2, bytes: 64, at: .seconds(0))
                    run.releasedSegments()
                case .measure:
                    words.append("measure")
                    break loop
                default: break
                }
            }
            #expect(words == expected)
            #expect(run.promisedBytes == (level == .critical ? 64 : 0))
        }
    }
}
