import MemoryPressure
import Testing

@testable import Jetsam
@testable import JetsamPolicy
@testable import PurgeableCaches

/// A step while memory goes on to grow, and the limit comes near.
struct UrgentRunTests: RunTesting {
    @Test("In an urgent step nobody waits for a handler that is known to take longer than the others would wait")
    func knownToBeSlow() {
        let facts = (1...2).map { id in
            ClientFacts(
                id: id, priority: ResourcePriority(rawValue: UInt8(id)), traits: [], bytes: 400 * mebibyte,
                speed: id == 1 ? ReleaseSpeed(bytesPerSecond: 1e9, latencyNanoseconds: 300_000_000) : ReleaseSpeed())
        }
        func asked(isUrgent: Bool) -> [String] {
            var run = ReclaimRun(
                number: 1, kind: .step,
                demand: run(.critical, target: 500 * mebibyte, [], isUrgent: isUrgent).demand,
                plan: ReclaimOrder.plan(facts, targetBytes: 500 * mebibyte),
                sizes: [1: 400 * mebibyte, 2: 400 * mebibyte], callDeadline: .seconds(1), trimsFirst: false)
            return words(&run) { client, bytes in client == 1 ? nil : bytes }.filter { $0.hasPrefix("release") }
        }
        #expect(asked(isUrgent: false).count == 1)
        #expect(asked(isUrgent: true).contains { $0.hasPrefix("release 2 ") })
    }

    @Test("The only cache that is left is asked for all at once in an urgent step, also if it was never asked before")
    func onlyUnknown() {
        func first(_ clients: [(id: UInt64, bytes: Int, isAsynchronous: Bool)], isUrgent: Bool) -> String? {
            let sizes = clients.map { ($0.id, $0.bytes * mebibyte, $0.isAsynchronous) }
            var run = run(.critical, target: 300 * mebibyte, sizes, isUrgent: isUrgent)
            return words(&run) { _, bytes in bytes }.first { $0.hasPrefix("release 1") }
        }
        let whole = "release 1 \(300 * mebibyte)"
        #expect(first([(1, 400, false)], isUrgent: true) == whole)
        #expect(first([(1, 400, false)], isUrgent: false) != whole)
        #expect(first([(1, 400, false), (2, 400, false)], isUrgent: true) != whole)
    }

    @Test("At warning the only cache that is left is asked for all at once: nobody waits for their turn")
    func onlyAtWarning() {
        func first(_ level: PressureLevel, _ clients: [UInt64]) -> String? {
            var run = run(level, target: 300 * mebibyte, clients.map { ($0, 400 * mebibyte, false) })
            return words(&run) { _, bytes in bytes }.first { $0.hasPrefix("release 1") }
        }
        let whole = "release 1 \(300 * mebibyte)"
        #expect(first(.warning, [1]) == whole)
        #expect(first(.critical, [1]) != whole)
        #expect(first(.warning, [1, 2]) != whole)
    }

    @Test(
        "At critical an asynchronous cache that comes back after its turn gives the rest of its part before higher ones are asked"
    )
    func backAfterItsTurn() {
        let facts = (1...3).map { id in
            ClientFacts(
                id: UInt64(id), priority: ResourcePriority(rawValue: UInt8(id)),
                traits: id == 1 ? .asynchronous : [], bytes: 100 * mebibyte)
        }
        let target = 220 * mebibyte
        var run = ReclaimRun(
            number: 1, kind: .step, demand: run(.critical, target: target, []).demand,
            plan: ReclaimOrder.plan(facts, targetBytes: target),
            sizes: [1: 100 * mebibyte, 2: 100 * mebibyte, 3: 100 * mebibyte], callDeadline: .milliseconds(100),
            trimsFirst: false)
        // 1 is asked for a portion, and takes so long that 2 is asked.
        let first = words(&run) { _, _ in nil }
        #expect(first.first?.hasPrefix("start 1 ") == true)
        let next = words(&run, at: 0.04) { _, _ in nil }
        #expect(next.last == "wait" && next.contains { $0.hasPrefix("release 2 ") })
        let portion = first.first.flatMap { Int($0.split(separator: " ")[2]) } ?? 0
        run.answered(
            ReclaimRun.CallID(run: 1, number: 0), of: 1, promisedBytes: portion, freedBytes: nil, error: nil,
            at: .seconds(0.041))
        // It is asked again before 3 is.
        let last = words(&run, at: 0.08) { client, bytes in client == 3 ? bytes : nil }
        let (again, higher) = (
            last.firstIndex { $0.hasPrefix("start 1 ") }, last.firstIndex { $0.hasPrefix("release 3 ") }
        )
        #expect(again.map { place in higher.map { place < $0 } ?? true } == true, "\(last)")
    }

    @Test("A trim that changes what is missing does not change how little time there is")
    func trimmedFirst() {
        let facts = (1...2).map { id in
            ClientFacts(
                id: UInt64(id), priority: ResourcePriority(rawValue: UInt8(id)), traits: .asynchronous,
                bytes: 100 * mebibyte, speed: ReleaseSpeed(bytesPerSecond: 1e9, latencyNanoseconds: 50_000_000))
        }
        func asked(within time: Duration?) -> [String] {
            var run = ReclaimRun(
                number: 1, kind: .step, demand: run(.critical, target: 50 * mebibyte, []).demand,
                plan: ReclaimOrder.plan(facts, targetBytes: 50 * mebibyte, within: time), clients: facts,
                sizes: [1: 100 * mebibyte, 2: 100 * mebibyte], callDeadline: .milliseconds(100), trimsFirst: true,
                within: time)
            guard case .trim = run.next(shouldTrimLast: false, at: .seconds(0)) else { return [] }
            run.wasTrimmed(gainedBytes: 10 * mebibyte)
            return words(&run) { _, _ in nil }.filter { $0.hasPrefix("start") }
        }
        #expect(asked(within: nil).filter { $0.hasPrefix("start 2 ") && !$0.hasSuffix(" 0") }.isEmpty)
        #expect(asked(within: .milliseconds(10)).contains { $0.hasPrefix("start 2 ") && !$0.hasSuffix(" 0") })
    }

    @Test("What an earlier reading showed holds where a cache gave all that it was asked for")
    func readingBeforeAnswer() {
        func counts(from promised: Int) -> MonotonicInstant {
            var run = run(.critical, target: 100, [(1, 60, true), (2, 200, false)])
            _ = words(&run) { _, _ in nil }
            run.answered(
                ReclaimRun.CallID(run: 1, number: 0), of: 1, promisedBytes: promised, freedBytes: nil, error: nil,
                at: .seconds(0.2))
            return run.raisesCountFrom
        }
        #expect(counts(from: 60) == .seconds(0))
        #expect(counts(from: 59) == .seconds(0.2))
    }

    @Test("What is found to be missing while a step is under way is asked of those who have more, in the same step")
    func raised() {
        var run = run(.critical, target: 100, [(1, 60, true), (2, 200, false)])
        #expect(words(&run) { _, bytes in bytes } == ["start 1 60", "limit 2 160", "wait"])
        #expect(run.raisesCountFrom == .seconds(0))
        // Of these 40 are in the plan, and not asked for yet.
        _ = run.next(shouldTrimLast: false, open: OpenBytes(missing: 80), at: .seconds(0.1))
        #expect(run.raisesCountFrom == .seconds(0.1))
        #expect(run.demand.targetBytes == 140)
        run.answered(
            ReclaimRun.CallID(run: 1, number: 0), of: 1, promisedBytes: 60, freedBytes: nil, error: nil,
            at: .seconds(0.2))
        #expect(words(&run, at: 0.2) { _, bytes in bytes } == ["limit 2 120", "release 2 80", "measure"])

        var warning = self.run(.warning, target: 10, [(1, 100, false)])
        #expect(words(&warning) { _, _ in nil }.last == "wait")
        _ = warning.next(shouldTrimLast: false, open: OpenBytes(missing: 40), at: .seconds(0.1))
        #expect(warning.demand.targetBytes == 10, "below critical the next step is soon enough")
    }

    @Test(
        "What a reading shows not to be missing any more is asked of nobody, and lower caches give first what still is")
    func lowered() {
        // The asynchronous one is out; of the other two only the first is still needed.
        var run = run(.critical, target: 160, [(1, 60, true), (2, 50, false), (3, 200, false)])
        guard case .start(let first, client: 1, _, _) = run.next(shouldTrimLast: false, at: .seconds(0)),
            case .limit(let limit, client: 2, _) = run.next(
                shouldTrimLast: false, open: OpenBytes(most: -20), at: .seconds(0.1))
        else {
            Issue.record("it begins otherwise")
            return
        }
        run.answered(limit, of: 2, promisedBytes: 0, freedBytes: nil, error: nil, at: .seconds(0.1))
        run.answered(first, of: 1, promisedBytes: 20, freedBytes: nil, error: nil, at: .seconds(0.2))
        let asked = words(&run, at: 0.2) { _, bytes in bytes }.filter { $0.hasPrefix("release") }
        #expect(asked == ["release 2 20"], "40 were missing with what was in flight, and 20 of them came")
    }

    @Test("A step that was raised for growth is lowered by the next reading, though some bytes are missing still")
    func loweredToMissing() {
        func asked(most: Int?) -> [String] {
            var run = run(.critical, target: 60, [(1, 60, true), (2, 200, false)])
            _ = words(&run) { _, _ in nil }
            _ = run.next(shouldTrimLast: false, open: OpenBytes(missing: 140), at: .seconds(0.1))
            _ = run.next(shouldTrimLast: false, open: OpenBytes(missing: 20, most: most), at: .seconds(0.11))
            run.answered(
                ReclaimRun.CallID(run: 1, number: 0), of: 1, promisedBytes: 60, freedBytes: nil, error: nil,
                at: .seconds(0.2))
            return words(&run, at: 0.2) { _, bytes in bytes }.filter { $0.hasPrefix("release") }
        }
        #expect(asked(most: 20) == ["release 2 20"])
        #expect(
            asked(most: nil) == ["release 2 140"], "while growth may go on nothing is taken back")
    }

    @Test("What a cache gives for an earlier step leaves no more missing than a reading before that showed")
    func readingBeforeEarlierAnswer() {
        func lowers(promised: Int) -> Bool {
            var run = run(.critical, target: 100, [(1, 60, true), (2, 200, false)])
            _ = words(&run) { _, _ in nil }
            run.answered(
                ReclaimRun.CallID(run: 0, number: 0), of: 3, promisedBytes: promised, freedBytes: nil, error: nil,
                at: .seconds(0.2))
            #expect(run.raisesCountFrom == .seconds(0.2), "it may have brought what was missing")
            return run.lowersCountFrom == .seconds(0)
        }
        #expect(lowers(promised: 10))
        // The reading may have counted on it.
        #expect(!lowers(promised: 0))
    }

    @Test("What is missing meanwhile is asked for once, also where memory of the library's own is still at work")
    func besideCountsOnce() {
        func started() -> (ReclaimRun, ReclaimRun.CallID)? {
            var run = segmentsRun(target: 60, besides: 0)
            guard case .start(let first, client: 1, _, let request?) = run.next(shouldTrimLast: false, at: .seconds(0)),
                request.bytes == 60, run.inFlightBytes == 60,
                case .wait = run.next(shouldTrimLast: false, at: .seconds(0.04)),
                case .wait = run.next(shouldTrimLast: false, open: OpenBytes(missing: 50), at: .seconds(0.05))
            else { return nil }
            return (run, first)
        }
        guard let (begun, first) = started() else {
            Issue.record("it begins otherwise")
            return
        }
        var run = begun
        #expect(run.demand.targetBytes == 110)
        run.answered(first, of: 1, promisedBytes: 60, freedBytes: nil, error: nil, at: .seconds(0.09))
        // The reading counted on the 60 bytes, and holds still.
        guard
            case .limit(let limit, client: 1, bytes: 90) = run.next(
                shouldTrimLast: false, open: OpenBytes(missing: 50), at: .seconds(0.09))
        else {
            Issue.record("its limit is for other bytes than are missing")
            return
        }
        run.answered(limit, of: 1, promisedBytes: 0, freedBytes: nil, error: nil, at: .seconds(0.09))
        #expect(words(&run, at: 0.09) { _, bytes in bytes } == ["release 1 50", "measure"])
        #expect(run.demand.targetBytes == 110)
    }

    @Test("What memory of the library's own brings alone is asked of nobody else")
    func besideIsEnough() {
        var run = segmentsRun(target: 260, besides: 100)
        guard case .start(let first, client: 1, _, let request?) = run.next(shouldTrimLast: false, at: .seconds(0)),
            request.bytes == 200,
            case .limit(let limit, client: 2, _) = run.next(
                shouldTrimLast: false, open: OpenBytes(most: -20), at: .seconds(0.05))
        else {
            Issue.record("it begins otherwise")
            return
        }
        run.answered(limit, of: 2, promisedBytes: 0, freedBytes: nil, error: nil, at: .seconds(0.05))
        run.answered(first, of: 1, promisedBytes: 200, freedBytes: nil, error: nil, at: .seconds(0.06))
        #expect(words(&run, at: 0.06) { _, bytes in bytes } == ["measure"], "180 were missing")
    }

    /// Returns a step of a cache of 200 bytes in memory of the library's own, and of another that ranks above it.
    private func segmentsRun(target: Int, besides other: Int) -> ReclaimRun {
        var facts = [ClientFacts(id: 1, priority: .low, traits: .segments, bytes: 200)]
        if other > 0 { facts.append(ClientFacts(id: 2, priority: .high, traits: [], bytes: other)) }
        return ReclaimRun(
            number: 1, kind: .step, demand: run(.critical, target: target, []).demand,
            plan: ReclaimOrder.plan(facts, targetBytes: target), clients: facts, sizes: [1: 200, 2: other],
            callDeadline: .milliseconds(100), trimsFirst: false)
    }

    @Test("The nearer the limit, the shorter the time for which others wait for a handler")
    func patience() {
        func waits(millisecondsToLimit: Int64?) -> Duration? {
            var demand = run(.critical, target: 100, []).demand
            demand.limitAt = millisecondsToLimit.map { MonotonicInstant.seconds(Double($0) * 1e-3) }
            let facts = (1...2).map { ClientFacts(id: $0, priority: .low, traits: [], bytes: 100) }
            var run = ReclaimRun(
                number: 1, kind: .step, demand: demand, plan: ReclaimOrder.plan(facts, targetBytes: 150),
                sizes: [1: 100, 2: 100], callDeadline: .milliseconds(100), trimsFirst: false)
            _ = words(&run) { _, _ in nil }
            return run.lateAt.map { MonotonicInstant.seconds(0).duration(to: $0) }
        }
        #expect(waits(millisecondsToLimit: nil) == .microseconds(31_250))
        #expect(waits(millisecondsToLimit: 1_000) == .microseconds(31_250))
        #expect(waits(millisecondsToLimit: 80) == .milliseconds(10))
        #expect(waits(millisecondsToLimit: 1) == .milliseconds(2))
    }

    @Test("A cache that comes back from an earlier step is asked for what it reports then")
    func cameBackWith() {
        func asked(leftBytes: Int) -> [String] {
            var facts = (1...2).map { ClientFacts(id: $0, priority: .low, traits: [], bytes: 60) }
            facts[0].isBusy = true
            var run = ReclaimRun(
                number: 2, kind: .step, demand: self.run(.critical, target: 110, []).demand,
                plan: ReclaimOrder.plan(facts, targetBytes: 110), sizes: [1: 60, 2: 60], callDeadline: .seconds(1),
                trimsFirst: false)
            guard case .limit(let limit, _, _) = run.next(shouldTrimLast: false, at: .seconds(0)) else { return [] }
            run.answered(limit, of: 2, promisedBytes: 0, freedBytes: nil, error: nil, at: .seconds(0))
            // It had reported a part of these 50 when the step began.
            run.answered(
                ReclaimRun.CallID(run: 1, number: 0), of: 1, promisedBytes: 50, freedBytes: nil, leftBytes: leftBytes,
                error: nil, at: .seconds(0))
            return words(&run) { _, bytes in bytes }.filter { $0.hasPrefix("release 1") }
        }
        #expect(asked(leftBytes: 40) == ["release 1 40"])
        #expect(asked(leftBytes: 0) == ["release 1 10"], "what it has is not known")
    }

    @Test("A call that is left behind for a more urgent step is expected to give for as long as its speed says")
    func leftBehind() {
        var run = run(target: 100 * mebibyte, [(1, 100 * mebibyte, false), (2, 100 * mebibyte, false)])
        #expect(words(&run) { _, _ in nil }.suffix(1) == ["wait"])
        run.hurry(deadline: .zero, at: .seconds(0.05))
        let left = run.takeLeftBehind()
        #expect(left.map(\.bytes) == [100 * mebibyte])
        // It was never asked before: the share of the deadline that a portion is made to take, and a quarter more.
        #expect(left.map(\.expectedBy) == [.seconds(0.3125)])
        #expect(run.takeLeftBehind().isEmpty)
        #expect(words(&run, at: 0.05) { _, _ in nil } == ["measure"])
    }
}
