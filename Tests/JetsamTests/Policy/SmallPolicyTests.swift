import MemoryPressure
import Testing

@testable import BackgroundTasks
@testable import Jetsam
@testable import JetsamPolicy

struct GrowthTrendTests {
    @Test("A steady growth is measured, a shrinking or a still one is none", arguments: [(50, 50), (0, 0), (-20, 0)])
    func steady(rate: Int, expected: Int) throws {
        var trend = GrowthTrend(window: .milliseconds(200))
        for step in 0...40 {
            trend.append(1 << 30 + rate * mebibyte * step / 40, at: .seconds(Double(step) / 40))
        }
        let found = try #require(trend.bytesPerSecond)
        #expect(abs(found - expected * mebibyte) < mebibyte)
    }

    @Test("Nothing is said before the window is full, nor with fewer than eight readings")
    func tooEarly() {
        var trend = GrowthTrend(window: .milliseconds(200))
        for step in 0...6 { trend.append(step * mebibyte, at: .seconds(Double(step) * 0.05)) }
        #expect(trend.bytesPerSecond == nil)
        var dense = GrowthTrend(window: .milliseconds(200))
        for step in 0...30 { dense.append(step * mebibyte, at: .seconds(Double(step) * 0.005)) }
        #expect(dense.bytesPerSecond == nil)
    }
}

struct StallWindowTests {
    @Test("Only stall of the last two seconds counts")
    func slides() {
        var window = StallWindow()
        window.append(totalMicroseconds: 0, at: .seconds(0))
        window.append(totalMicroseconds: 200_000, at: .seconds(1))
        #expect(window.percent(at: .seconds(1)) == 10)
        window.append(totalMicroseconds: 200_000, at: .seconds(2.5))
        #expect(window.percent(at: .seconds(2.5)) == 0)
    }

    @Test("A total that falls is another file's: earlier ones are forgotten")
    func fallingTotal() {
        var window = StallWindow()
        window.append(totalMicroseconds: 900_000, at: .seconds(0))
        window.append(totalMicroseconds: 10, at: .seconds(1))
        #expect(window.percent(at: .seconds(1)) == 0)
    }
}

struct SamplingPaceTests {
    private func interval(_ headroom: Int, limit: Int = 512, level: PressureLevel = .normal, covered: Bool = false)
        -> Duration
    {
        let reading = reading(headroom: headroom * mebibyte, limit: limit * mebibyte)
        return SamplingPace(configuration: .init()).interval(
            after: reading, thresholds: HeadroomThresholds(limitBytes: reading.limitBytes, rule: .init()), level: level,
            isCoveredByKernel: covered)
    }

    @Test("With more than two seconds to the limit at full growth, or an armed threshold, once in two seconds")
    func idle() {
        #expect(interval(8 << 10, limit: 16 << 10) == .seconds(2))
        #expect(interval(400, covered: true) == .seconds(2))
    }

    @Test("Growth at the maximum rate is seen before headroom falls below critical's entry")
    func inTime() {
        for headroom in stride(from: 60, through: 500, by: 5) {
            let left = headroom - Int(Double(interval(headroom).nanoseconds) * 1e-9 * 3072)
            #expect(left >= min(51, headroom / 2) - 1, "at \(headroom) MiB")
        }
    }

    @Test("Never faster than a millisecond")
    func floor() {
        #expect(interval(0, level: .critical) == .milliseconds(1))
    }
}

struct TrimScheduleTests {
    @Test("Due after enough was freed, and not again before twenty times the last one's duration")
    func due() {
        var schedule = TrimSchedule(configuration: .init())
        schedule.noteFreed(31 * mebibyte)
        #expect(!schedule.isDue(limitBytes: 512 * mebibyte, missingBytes: 1 << 30, at: .seconds(0)))
        schedule.noteFreed(mebibyte)
        #expect(schedule.isDue(limitBytes: 512 * mebibyte, missingBytes: 1 << 30, at: .seconds(0)))
        #expect(!schedule.isDue(limitBytes: 2 << 30, missingBytes: 1 << 30, at: .seconds(0)))
        schedule.trimmed(from: .seconds(0), to: .seconds(0.1))
        schedule.noteFreed(40 * mebibyte)
        #expect(!schedule.isDue(limitBytes: 512 * mebibyte, missingBytes: 1 << 30, at: .seconds(2)))
        #expect(schedule.isDue(limitBytes: 512 * mebibyte, missingBytes: 1 << 30, at: .seconds(2.1)))
        #expect(schedule.earliest == .seconds(2.1))
    }

    @Test("Due for less where that is all that is missing, and never for nothing")
    func dueForWhatIsMissing() {
        var schedule = TrimSchedule(configuration: .init())
        #expect(!schedule.isDue(limitBytes: 512 * mebibyte, missingBytes: 0, at: .seconds(0)))
        schedule.noteFreed(10 * mebibyte)
        #expect(schedule.isDue(limitBytes: 512 * mebibyte, missingBytes: 10 * mebibyte, at: .seconds(0)))
        #expect(!schedule.isDue(limitBytes: 512 * mebibyte, missingBytes: 15 * mebibyte, at: .seconds(0)))
    }

    @Test("Freed bytes that left the process without a trim are not retained")
    func returned() {
        var schedule = TrimSchedule(configuration: .init())
        schedule.noteFreed(30 * mebibyte, returnedBytes: 30 * mebibyte)
        #expect(schedule.retainedBytes == 0)
        schedule.noteFreed(30 * mebibyte, returnedBytes: 20 * mebibyte)
        #expect(schedule.retainedBytes == 10 * mebibyte)
        // More came back than was freed: that was other memory.
        schedule.noteFreed(5 * mebibyte, returnedBytes: 50 * mebibyte)
        #expect(schedule.retainedBytes == 10 * mebibyte)
        schedule.noteFreed(5 * mebibyte, returnedBytes: -mebibyte)
        #expect(schedule.retainedBytes == 15 * mebibyte)
    }

    @Test("What the allocator counts takes the place of the estimate; what a trim left behind is not counted again")
    func counted() {
        var schedule = TrimSchedule(configuration: .init())
        schedule.noteFreed(40 * mebibyte)
        schedule.noteCounted(100 * mebibyte)
        #expect(schedule.retainedBytes == 100 * mebibyte)
        schedule.trimmed(from: .seconds(0), to: .seconds(0.1))
        schedule.noteCounted(100 * mebibyte)
        #expect(schedule.retainedBytes == 0)
        schedule.noteCounted(130 * mebibyte)
        #expect(schedule.retainedBytes == 30 * mebibyte)
        // Part of what lay beyond reach was used again, and is free once more.
        schedule.noteCounted(20 * mebibyte)
        schedule.noteCounted(50 * mebibyte)
        #expect(schedule.retainedBytes == 30 * mebibyte)
        schedule.trimmed(from: .seconds(1), to: .seconds(1.1), leaving: 5 * mebibyte)
        schedule.noteCounted(6 * mebibyte)
        #expect(schedule.retainedBytes == mebibyte)
    }

    @Test("A cheap trim is due for a mebibyte, or for all that is missing, and need not wait")
    func cheap() {
        var schedule = TrimSchedule(configuration: .init())
        schedule.trimmed(from: .seconds(0), to: .seconds(10), leaving: 0)
        func isDue(_ bytes: Int, missing: Int) -> Bool {
            schedule.noteCounted(bytes)
            return schedule.isDue(limitBytes: 1 << 40, missingBytes: missing, isCheap: true, at: .seconds(10))
        }
        #expect(!isDue(mebibyte - 1, missing: 100 * mebibyte))
        #expect(isDue(mebibyte, missing: 100 * mebibyte))
        #expect(isDue(1000, missing: 1000))
        #expect(!isDue(1000, missing: 0))
        #expect(!isDue(0, missing: 1))
    }
}

struct LedgerEntryTests {
    private func answer(_ asked: Int, _ promised: Int, _ milliseconds: Int = 1) -> LedgerEntry.Answer {
        LedgerEntry.Answer(
            askedBytes: asked, promisedBytes: promised, freedBytes: nil, returnedBytes: 0,
            duration: .milliseconds(milliseconds))
    }

    @Test("One that promises again what it is asked for may have it again, also in a step that others disturb")
    func promisesAgain() {
        var entry = LedgerEntry()
        func add(_ promised: Int, isDisturbed: Bool) {
            entry.add(
                answer(100 * mebibyte, promised), isDisturbed: isDisturbed, level: .warning, headroomBytes: 0,
                at: .seconds(0))
        }
        add(0, isDisturbed: false)
        add(0, isDisturbed: false)
        #expect(entry.givesNothing)
        add(100 * mebibyte, isDisturbed: true)
        #expect(!entry.givesNothing)
        for _ in 0..<20 { add(0, isDisturbed: true) }
        #expect(!entry.givesNothing, "what disturbs a step may be the reason")
    }

    @Test("An ineffective purge holds a cache off, but not at a higher level, nor once headroom fell further")
    func holdOff() {
        var entry = LedgerEntry()
        entry.add(
            answer(10 * mebibyte, 0), isDisturbed: false, level: .warning, headroomBytes: 100 * mebibyte,
            at: .seconds(0))
        func isHeldOff(_ seconds: Double, _ level: PressureLevel, _ headroom: Int) -> Bool {
            entry.isHeldOff(
                at: .seconds(seconds), level: level, headroomBytes: headroom * mebibyte, limitBytes: 512 * mebibyte)
        }
        #expect(isHeldOff(29, .warning, 100))
        #expect(!isHeldOff(30, .warning, 100))
        #expect(!isHeldOff(1, .critical, 100))
        #expect(!isHeldOff(1, .warning, 89))
        #expect(isHeldOff(1, .warning, 91))
    }

    @Test("What comes after its step has ended is in the sums, and takes back the hold-off that its absence led to")
    func late() {
        var entry = LedgerEntry()
        var missed = answer(100 * mebibyte, 0, 100)
        missed.missedDeadline = true
        entry.add(missed, isDisturbed: false, level: .critical, headroomBytes: 0, at: .seconds(0))
        #expect(entry.isHeldOff(at: .seconds(1), level: .critical, headroomBytes: 0, limitBytes: 1 << 30))
        var late = answer(100 * mebibyte, 90 * mebibyte, 180)
        late.freedBytes = 90 * mebibyte
        late.returnedBytes = 90 * mebibyte
        entry.addLate(late)
        #expect(!entry.isHeldOff(at: .seconds(1), level: .critical, headroomBytes: 0, limitBytes: 1 << 30))
        #expect(entry.asks == 1)
        #expect(entry.promisedBytes == 90 * mebibyte)
        #expect(entry.lateBytes == 90 * mebibyte)
        #expect(entry.freedBytes == 90 * mebibyte)
        #expect(entry.speed.bytesPerSecond.map { Int($0) / mebibyte } == 500)
        #expect(!entry.givesNothing)
    }

    @Test("Who promises what never comes back is known to give nothing; what a step cannot tell does not count")
    func neverReturned() {
        var entry = LedgerEntry()
        var blind = LedgerEntry()
        for _ in 0..<2 {
            var promise = answer(2 << 20, 2 << 20)
            blind.add(promise, isDisturbed: false, level: .warning, headroomBytes: 0, at: .seconds(0))
            promise.showsReturn = true
            entry.add(promise, isDisturbed: false, level: .warning, headroomBytes: 0, at: .seconds(0))
        }
        #expect(entry.givesNothing)
        #expect(entry.expectedShare == 0)
        #expect(!blind.givesNothing)
        #expect(blind.expectedShare == 1)
        var half = LedgerEntry()
        var promise = answer(4 << 20, 2 << 20)
        promise.showsReturn = true
        promise.returnedBytes = 1 << 20
        half.add(promise, isDisturbed: false, level: .warning, headroomBytes: 0, at: .seconds(0))
        #expect(half.expectedShare == 0.25)
    }

    @Test("Growth hides first what others than the giver can tell, whoever promises more")
    func hiddenShares() {
        #expect(ReclaimMeasurement.shares(of: 2, [(promised: 100, proven: 0), (promised: 3, proven: 3)]) == [0, 2])
        #expect(ReclaimMeasurement.shares(of: 53, [(promised: 100, proven: 0), (promised: 3, proven: 3)]) == [50, 3])
    }

    @Test(
        "Twice next to nothing of a promise counts also while others grow, unless their growth hides it, until the next shortage"
    )
    func emptySteps() {
        var promise = answer(100 * mebibyte, 100 * mebibyte)
        promise.showsReturn = true
        func entry(_ count: Int, hidden: Int = 0, returned: Int = 0) -> LedgerEntry {
            var entry = LedgerEntry()
            var answer = promise
            answer.hiddenBytes = hidden
            answer.returnedBytes = returned
            for _ in 0..<count {
                entry.add(answer, isDisturbed: true, level: .critical, headroomBytes: 0, at: .seconds(0))
            }
            return entry
        }
        #expect(entry(1).obtainableShare == 1)
        #expect(entry(2).isHollow && entry(2).givesNothing && entry(2).obtainableShare == 0)
        #expect(!entry(2, returned: 10 * mebibyte).isHollow)
        #expect(!entry(2, hidden: 10 * mebibyte).isHollow)
        #expect(entry(2, hidden: 4 * mebibyte, returned: 5 * mebibyte).isHollow)
        var other = entry(2)
        other.forgive(isNewShortage: true, at: .seconds(1))
        #expect(!other.isHollow)
        // Where nobody else grew, once is enough if it was much; at critical, where nothing is taken back, it is not.
        var known = LedgerEntry()
        known.add(promise, isDisturbed: false, level: .warning, headroomBytes: 0, at: .seconds(0))
        known.forgive(isNewShortage: true, at: .seconds(1))
        #expect(known.isHollow)
        var urgent = LedgerEntry()
        urgent.add(promise, isDisturbed: false, level: .critical, headroomBytes: 0, at: .seconds(0))
        #expect(!urgent.isHollow)
        urgent.add(promise, isDisturbed: false, level: .critical, headroomBytes: 0, at: .seconds(0))
        urgent.forgive(isNewShortage: true, at: .seconds(1))
        #expect(urgent.isHollow)
    }

    @Test("Empty steps that follow each other closely count once where the cache really let go of what it promised")
    func repeatedEmptySteps() {
        var promise = answer(100 * mebibyte, 100 * mebibyte)
        promise.showsReturn = true
        func entry(provenBytes: Int, _ seconds: [Double], isDisturbed: Bool = false) -> LedgerEntry {
            var entry = LedgerEntry()
            promise.provenBytes = provenBytes
            for second in seconds {
                entry.add(
                    promise, isDisturbed: isDisturbed, level: .critical, headroomBytes: 0, at: .seconds(second))
            }
            return entry
        }
        #expect(!entry(provenBytes: 100 * mebibyte, [1, 1.036, 1.199]).isHollow)
        #expect(!entry(provenBytes: 50 * mebibyte, [1, 1.036, 1.199], isDisturbed: true).isHollow)
        #expect(entry(provenBytes: 100 * mebibyte, [1, 1.2]).isHollow)
        #expect(entry(provenBytes: 100 * mebibyte, [1, 1.1, 1.2], isDisturbed: true).isHollow)
        #expect(entry(provenBytes: 50 * mebibyte - 1, [1, 1.036]).isHollow)
        // What came back in between begins a new row.
        var other = entry(provenBytes: 100 * mebibyte, [1])
        promise.returnedBytes = 100 * mebibyte
        other.add(promise, isDisturbed: false, level: .critical, headroomBytes: 0, at: .seconds(1.1))
        promise.returnedBytes = 0
        other.add(promise, isDisturbed: false, level: .critical, headroomBytes: 0, at: .seconds(1.25))
        #expect(!other.isHollow && other.emptySteps == 1)
    }

    @Test(
        "An empty step that repeats another shows nothing new, and what that one seemed to show may still be taken back"
    )
    func verdictOfRepeatedStep() {
        var promise = answer(40 * mebibyte, 40 * mebibyte)
        promise.showsReturn = true
        promise.provenBytes = 40 * mebibyte
        var entry = LedgerEntry()
        for second in [1, 1.1] {
            entry.add(
                promise, isDisturbed: false, level: .warning, headroomBytes: 0, measuredOver: .milliseconds(50),
                at: .seconds(second))
            #expect(entry.isHollow && entry.expectedShare == 0)
        }
        #expect(entry.hidingGrowth == 400 * mebibyte)
        let isTakenBack = entry.reconsider(growthRate: 400 * mebibyte, at: .seconds(1.2))
        #expect(isTakenBack && !entry.isHollow && entry.expectedShare == 1)
        // At critical what comes back is believed by degrees, and the second step is no further one.
        var critical = LedgerEntry()
        for second in [1, 1.1] {
            critical.add(promise, isDisturbed: false, level: .critical, headroomBytes: 0, at: .seconds(second))
            #expect(abs(critical.expectedShare - 0.7) < 0.001)
        }
        // One that is no repetition replaces what was seen before.
        var other = LedgerEntry()
        for second in [1, 1.3] {
            other.add(
                promise, isDisturbed: second > 1, level: .warning, headroomBytes: 0, measuredOver: .milliseconds(50),
                at: .seconds(second))
        }
        #expect(other.hidingGrowth == nil)
    }

    @Test("What one step seemed to show is taken back once memory turns out to have grown in it, but for a second only")
    func reconsider() {
        var promise = answer(40 * mebibyte, 40 * mebibyte)
        promise.showsReturn = true
        func judged(_ level: PressureLevel = .warning, over duration: Duration = .milliseconds(100)) -> LedgerEntry {
            var entry = LedgerEntry()
            entry.add(
                promise, isDisturbed: false, level: level, headroomBytes: 0, measuredOver: duration, at: .seconds(10))
            return entry
        }
        func reconsider(_ entry: inout LedgerEntry, _ growthRate: Int, _ seconds: Double) -> Bool {
            entry.reconsider(growthRate: growthRate, at: .seconds(seconds))
        }
        #expect(judged().isHollow)
        #expect(judged().hidingGrowth == 200 * mebibyte)
        var entry = judged()
        let isTooLittle = !reconsider(&entry, 200 * mebibyte - 1, 10.2)
        #expect(isTooLittle && entry.isHollow)
        let isEnough = reconsider(&entry, 200 * mebibyte, 10.2)
        #expect(isEnough)
        #expect(!entry.isHollow)
        #expect(entry.obtainableShare == 1)
        #expect(entry.hidingGrowth == nil)
        // What came back in an earlier step is known still.
        var known = LedgerEntry()
        var half = promise
        half.returnedBytes = 20 * mebibyte
        known.add(half, isDisturbed: false, level: .warning, headroomBytes: 0, at: .seconds(1))
        known.add(
            promise, isDisturbed: false, level: .warning, headroomBytes: 0, measuredOver: .milliseconds(100),
            at: .seconds(10))
        #expect(known.isHollow)
        let wasWrong = reconsider(&known, .max, 11)
        #expect(wasWrong && known.obtainableShare == 0.5)
        // What another shortage has forgiven meanwhile stays forgiven.
        var forgiven = LedgerEntry()
        forgiven.add(promise, isDisturbed: true, level: .warning, headroomBytes: 0, at: .seconds(1))
        forgiven.add(
            promise, isDisturbed: false, level: .warning, headroomBytes: 0, measuredOver: .milliseconds(100),
            at: .seconds(10))
        forgiven.forgive(isNewShortage: true, at: .seconds(10.1))
        let wasTakenBack = reconsider(&forgiven, .max, 10.2)
        #expect(wasTakenBack && forgiven.emptySteps == 0)
        // A jump before the step may have gone on in it. It says nothing of an earlier step.
        var jumped = judged()
        let wasNoJump = !jumped.reconsider(jumpBytes: 20 * mebibyte - 1, at: .seconds(10))
        let wasEarlier = !jumped.reconsider(jumpBytes: .max, at: .seconds(10.1))
        #expect(wasNoJump && wasEarlier && jumped.isHollow)
        let wasJump = jumped.reconsider(jumpBytes: 20 * mebibyte, at: .seconds(10))
        #expect(wasJump && !jumped.isHollow)
        var late = judged()
        let isTooLate = !reconsider(&late, .max, 11.1)
        #expect(isTooLate && late.isHollow)
        #expect(judged(over: .zero).hidingGrowth == nil)
        #expect(judged(.critical).hidingGrowth == nil)
    }

    @Test("The speed of a hang counts for ten minutes, that of a slow handler for as long as nothing else is seen")
    func hungLongAgo() {
        var late = answer(20 * mebibyte, 20 * mebibyte)
        late.duration = .seconds(26)
        var slow = LedgerEntry()
        var hung = LedgerEntry()
        slow.add(late, isDisturbed: true, level: .warning, headroomBytes: 0, at: .seconds(0))
        slow.addLate(late)
        late.missedDeadline = true
        hung.add(late, isDisturbed: true, level: .warning, headroomBytes: 0, at: .seconds(0))
        hung.addLate(late)
        slow.forgive(isNewShortage: true, at: .seconds(600))
        hung.forgive(isNewShortage: true, at: .seconds(599))
        #expect(hung.speed.wasSeen && slow.speed.wasSeen)
        hung.forgive(isNewShortage: true, at: .seconds(600))
        #expect(!hung.speed.wasSeen)
    }

    @Test("One that was not asked for ten minutes is tried anew, whether it gave nothing or promised nothing")
    func longAgo() {
        var hollow = LedgerEntry()
        var promise = answer(20 * mebibyte, 20 * mebibyte)
        promise.showsReturn = true
        var throwing = LedgerEntry()
        for _ in 0..<12 {
            hollow.add(promise, isDisturbed: false, level: .warning, headroomBytes: 0, at: .seconds(0))
            throwing.add(
                answer(20 * mebibyte, 0), isDisturbed: false, level: .warning, headroomBytes: 0, at: .seconds(0))
        }
        for (seconds, givesNothing) in [(599.0, true), (600, false)] {
            hollow.forgive(isNewShortage: true, at: .seconds(seconds))
            throwing.forgive(isNewShortage: true, at: .seconds(seconds))
            #expect(hollow.givesNothing == givesNothing)
            #expect(throwing.givesNothing == givesNothing)
        }
    }

    @Test("Who threw twice in a row counts as empty although memory grows, until it gives again, or for ten minutes")
    func threwTwice() {
        var thrown = answer(20 * mebibyte, 0)
        thrown.failed = true
        func entry(throwing times: Int) -> LedgerEntry {
            var entry = LedgerEntry()
            entry.add(
                answer(20 * mebibyte, 20 * mebibyte), isDisturbed: false, level: .warning, headroomBytes: 0,
                at: .seconds(0))
            for _ in 0..<times {
                entry.add(thrown, isDisturbed: true, level: .warning, headroomBytes: 0, at: .seconds(1))
            }
            return entry
        }
        #expect(!entry(throwing: 1).givesNothing)
        #expect(entry(throwing: 2).givesNothing)
        var mended = entry(throwing: 2)
        mended.add(
            answer(20 * mebibyte, 20 * mebibyte), isDisturbed: true, level: .warning, headroomBytes: 0, at: .seconds(2))
        #expect(!mended.givesNothing)
        // Within a shortage, too: nobody else may be left to ask.
        var old = entry(throwing: 2)
        old.forgive(isNewShortage: false, at: .seconds(600))
        #expect(old.givesNothing)
        old.forgive(isNewShortage: false, at: .seconds(601))
        #expect(!old.givesNothing)
    }

    @Test("Nothing is to be had of a handler that hangs until it is back")
    func hung() {
        var entry = LedgerEntry()
        var missed = answer(100 * mebibyte, 0)
        missed.missedDeadline = true
        entry.add(missed, isDisturbed: true, level: .critical, headroomBytes: 0, at: .seconds(0))
        #expect(entry.obtainableShare == 0)
        entry.cameBack()
        #expect(entry.obtainableShare == 1)
    }

    @Test("A disturbed step never counts against a cache")
    func disturbed() {
        var entry = LedgerEntry()
        for _ in 0..<5 {
            entry.add(answer(1 << 20, 0), isDisturbed: true, level: .warning, headroomBytes: 0, at: .seconds(0))
        }
        #expect(!entry.givesNothing)
        #expect(!entry.isHeldOff(at: .seconds(0), level: .warning, headroomBytes: 0, limitBytes: 1 << 30))
    }

    @Test("Who promises nothing twice is known to give nothing, and redeems itself by giving")
    func givesNothing() {
        var entry = LedgerEntry()
        for _ in 0..<2 {
            entry.add(answer(1 << 20, 0), isDisturbed: false, level: .warning, headroomBytes: 0, at: .seconds(0))
        }
        #expect(entry.givesNothing)
        entry.add(answer(1 << 20, 1 << 20), isDisturbed: false, level: .warning, headroomBytes: 0, at: .seconds(0))
        #expect(!entry.givesNothing)
    }
}

struct ConfigurationTests {
    private static func change(
        _ body: (inout ManagerConfiguration) -> Void
    ) -> ManagerConfiguration {
        var configuration = ManagerConfiguration()
        body(&configuration)
        return configuration
    }

    @Test("The defaults are valid")
    func defaults() throws {
        try ManagerConfiguration().validate()
    }

    @Test(
        "Each wrong value is named with what is allowed",
        arguments: [
            ("headroom.warningPercent", change { $0.headroom.warningPercent = 100 }),
            ("headroom.criticalPercent", change { $0.headroom.criticalPercent = 20 }),
            ("timeToLimit.warningExit", change { $0.timeToLimit.warningExit = .milliseconds(1) }),
            ("leadTime.maximum", change { $0.leadTime.maximum = .milliseconds(1) }),
            ("stall.warningPercent", change { $0.stall.warningPercent = 30 }),
            ("sampling.minimumInterval", change { $0.sampling.minimumInterval = .zero }),
            ("sampling.maximumGrowthRate", change { $0.sampling.maximumGrowthRate = 0 }),
            ("reclaim.sharePercent", change { $0.reclaim.sharePercent = 0 }),
            ("level.repeatInterval", change { $0.level.repeatInterval = .seconds(4_000) }),
            ("footprint.budgetBytes", change { $0.footprint = .init(budgetBytes: -1) }),
        ])
    func wrongValues(setting: String, configuration: ManagerConfiguration) {
        let error = #expect(throws: ConfigurationError.self) { try configuration.validate() }
        #expect(error?.setting == setting)
        #expect(error?.description.contains("must be") == true)
    }
}

struct WallClockWatchTests {
    @Test("Setting the wall clock is seen, in either direction; running on and slewing are not")
    func watch() {
        var watch = WallClockWatch()
        let start: Int64 = 1_700_000_000_000_000_000
        func look(_ seconds: Double, shift: Double) -> Duration? {
            let now = MonotonicInstant.seconds(seconds)
            return watch.observe(wallClock: start + now.nanoseconds + Int64(shift * 1e9), at: now)
        }
        #expect(look(0, shift: 0) == nil)
        #expect(look(1, shift: 0) == nil)
        #expect(look(100, shift: 0.05) == nil)
        #expect(look(101, shift: 3600.05) == .seconds(3600))
        #expect(look(102, shift: 3600.05) == nil)
        #expect(look(103, shift: 0.05) == .seconds(-3600))
    }

    @Test("Thresholds are in order whatever the settings are, up to the greatest number")
    func greatestThresholds() {
        var rule = ManagerConfiguration().headroom
        rule.exitPoints = 50
        for bytes in [Int.max, .max - 1, .max / 2, .max / 50] {
            (rule.warningMinimumBytes, rule.warningMaximumBytes) = (bytes, bytes)
            (rule.criticalMinimumBytes, rule.criticalMaximumBytes) = (bytes - 1, bytes - 1)
            let thresholds = HeadroomThresholds(limitBytes: 1 << 30, rule: rule)
            #expect(thresholds.warningEntry == bytes)
            #expect(thresholds.warningExit >= thresholds.warningEntry)
            #expect(thresholds.criticalExit >= thresholds.criticalEntry)
            #expect(thresholds.regrowthFloor(percent: 100) >= thresholds.warningEntry)
        }
    }
}
