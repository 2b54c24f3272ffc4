import MemoryPressure
import Testing

@testable import Jetsam
@testable import JetsamPolicy

struct StepSchedulerTests: StepSchedulerSuite {
    @Test("Where the threshold calls, a step asks for what is missing to warning's exit, and for little in between")
    func thresholdTarget() throws {
        var scheduler = StepScheduler(configuration: .init())
        let demand = try next(&scheduler, (context(headroom: 100, level: .warning)))
        #expect(rounded(demand) == 31)
        #expect(demand.step == 1)
        scheduler.stepEnded(1, promisedBytes: demand.targetBytes, at: .seconds(0))
        #expect(scheduler.next(context(headroom: 110, level: .warning, at: 4.9)) == nil)
        // The level would not fall by itself.
        #expect(try next(&scheduler, context(headroom: 110, level: .warning, at: 5)).targetBytes / mebibyte == 21)
        var capped = StepScheduler(configuration: .init())
        let less = try next(&capped, (context(headroom: 100, level: .warning, purgeable: 20)))
        #expect(rounded(less) == 20)
    }

    @Test("A return to critical has its step at once, whatever the step at warning before it brought")
    func returnsToCritical() throws {
        var scheduler = StepScheduler(configuration: .init())
        for (level, seconds) in [(PressureLevel.critical, 0.0), (.warning, 3), (.critical, 3.1)] {
            let demand = try next(&scheduler, context(headroom: 20, level: level, at: seconds))
            #expect(demand.targetBytes > 0)
            #expect(scheduler.nothingLeftSince == nil)
            let promised = level == .critical ? demand.targetBytes : 0
            scheduler.stepEnded(demand.step, promisedBytes: promised, at: .seconds(seconds + 0.05))
        }
    }

    @Test("Beyond warning's exit a step asks for a few MiB, however large the limit")
    func beyondExit() throws {
        var scheduler = StepScheduler(configuration: .init())
        var context = context(headroom: 800, level: .warning, purgeable: 3000)
        context.reading.limitBytes = 4096 * mebibyte
        context.thresholds = HeadroomThresholds(limitBytes: context.reading.limitBytes, rule: .init())
        #expect(rounded(try next(&scheduler, context)) == 1024 + 8 - 800)
    }

    @Test("At critical others under the limit are left the time to do their share, unless the limit is near in time")
    func sharedSpacing() throws {
        func waits(time: Int?) throws -> Bool {
            var scheduler = StepScheduler(configuration: .init())
            let first = try next(&scheduler, context(headroom: 40, level: .critical, footprint: 100, time: time))
            scheduler.stepEnded(1, promisedBytes: first.targetBytes, at: .seconds(0.01))
            let next = context(headroom: 60, level: .critical, at: 0.05, footprint: 100, time: time)
            let later = context(headroom: 60, level: .critical, at: 0.11, footprint: 100, time: time)
            let waits = scheduler.next(next) == nil
            if waits { #expect(scheduler.next(later) != nil) }
            return waits
        }
        #expect(try waits(time: nil))
        #expect(try waits(time: 5000))
        #expect(try !waits(time: 200))
    }

    @Test("So they are at warning, for longer", arguments: [(5000, 0.26), (200, 0.06)])
    func sharedSpacingAtWarning(time: Int, due: Double) throws {
        var scheduler = StepScheduler(configuration: .init())
        let first = try next(&scheduler, context(headroom: 90, level: .warning, footprint: 100, time: time))
        scheduler.stepEnded(1, promisedBytes: first.targetBytes, at: .seconds(0))
        let early = context(headroom: 80, level: .warning, at: due - 0.02, footprint: 100, time: time)
        #expect(scheduler.next(early) == nil)
        #expect(scheduler.next(context(headroom: 80, level: .warning, at: due, footprint: 100, time: time)) != nil)
    }

    @Test("A critical step that brought little of what is missing is not repeated at once")
    func littleOfMissing() throws {
        func waits(brought: Int) throws -> Bool {
            var scheduler = StepScheduler(configuration: .init())
            _ = try next(&scheduler, context(headroom: 40, level: .critical))
            scheduler.stepEnded(1, promisedBytes: brought * mebibyte, at: .seconds(0))
            return scheduler.next(context(headroom: 40, level: .critical, at: 0.01)) == nil
        }
        #expect(try waits(brought: 10))
        #expect(try !waits(brought: 13))
    }

    @Test("After ten minutes of warning with nothing left to give it is told once by how much the limit is too small")
    func lack() throws {
        var scheduler = StepScheduler(configuration: .init())
        func short(_ seconds: Double, purgeable: Int = 0) -> ReclaimContext {
            context(headroom: 80, level: .warning, at: seconds, purgeable: purgeable)
        }
        _ = scheduler.next(short(0))
        scheduler.stepEnded(1, promisedBytes: 0, at: .seconds(0))
        for second in stride(from: 1.0, to: 600, by: 1) {
            _ = scheduler.next(short(second))
            #expect(scheduler.findLack(short(second)) == nil)
        }
        _ = scheduler.next(short(600, purgeable: 300))
        #expect(scheduler.findLack(short(600, purgeable: 300)) == nil, "there is something to give")
        #expect(scheduler.findLack(short(601)).map { $0 / mebibyte } == 51)
        #expect(scheduler.findLack(short(602)) == nil)
        // Another episode counts anew.
        _ = scheduler.next(context(headroom: 300, level: .normal, at: 603))
        _ = scheduler.next(short(604))
        #expect(scheduler.findLack(short(605)) == nil)
    }

    @Test("Where growth calls, a step asks for what it needs and no more, but for no less than is worth a step")
    func growthTarget() throws {
        var scheduler = StepScheduler(configuration: .init())
        let demand = try next(
            &scheduler, context(headroom: 150, level: .critical, rule: .timeToLimit, byGrowth: 190))
        #expect(rounded(demand) == 40)
        scheduler.stepEnded(1, promisedBytes: demand.targetBytes, at: .seconds(0))
        let small = try next(
            &scheduler, context(headroom: 189, level: .critical, rule: .timeToLimit, at: 0.1, byGrowth: 190))
        #expect(rounded(small) == 4)
        scheduler.stepEnded(2, promisedBytes: small.targetBytes, at: .seconds(0.1))
        #expect(
            scheduler.next(context(headroom: 190, level: .critical, rule: .timeToLimit, at: 0.2, byGrowth: 190)) == nil)
    }

    @Test("However many steps an episode has, the share of what a huge container misses stays a number of bytes")
    func manyStepsOfHugeContainer() throws {
        var scheduler = StepScheduler(configuration: .init())
        let gibibyte = 1 << 30
        var low = reading(headroom: 800 * gibibyte, limit: 1024 * gibibyte)
        low.unreclaimableBytes = 250 * gibibyte
        low.footprintBytes = 200 * gibibyte
        low.highBytes = 256 * gibibyte
        low.distanceToHighBytes = 1 * gibibyte
        for number in 1...70 {
            low.instant = .seconds(Double(number) * 10)
            let context = ReclaimContext(
                reading: low, thresholds: HeadroomThresholds(limitBytes: low.limitBytes, rule: .init()),
                level: .warning,
                reason: LevelReason(rule: .distanceToHigh, observed: 0, threshold: 0, unit: .none, cause: .sampler),
                vote: Vote(rule: .distanceToHigh, level: .warning, observed: 0, threshold: 0, unit: .none),
                millisecondsToLimit: nil, millisecondsAtOnce: nil,
                purgeableBytes: 100 * gibibyte, inFlightBytes: 0)
            let demand = try next(&scheduler, context)
            #expect(demand.step == number)
            #expect(demand.targetBytes > 0)
            #expect(demand.targetBytes <= demand.missingBytes)
            scheduler.stepEnded(number, promisedBytes: 8 * mebibyte, at: low.instant)
        }
    }

    @Test("At critical a step asks for all that is missing, as far as there is anything to purge")
    func criticalTarget() throws {
        var scheduler = StepScheduler(configuration: .init())
        let demand = try next(&scheduler, (context(headroom: 20, level: .critical, purgeable: 200)))
        #expect(rounded(demand) == 111)
        var capped = StepScheduler(configuration: .init())
        let less = try next(&capped, (context(headroom: 20, level: .critical, purgeable: 50)))
        #expect(less.targetBytes == 50 * mebibyte)
    }

    @Test("Steps at warning are twenty a second at most; at critical the next follows at once, but for nothing given")
    func spacing() {
        var scheduler = StepScheduler(configuration: .init())
        #expect(scheduler.next(context(headroom: 100, level: .warning)) != nil)
        scheduler.stepEnded(scheduler.step, promisedBytes: 1, at: .seconds(0.1))
        #expect(scheduler.next(context(headroom: 100, level: .warning, at: 0.14)) == nil)
        #expect(scheduler.next(context(headroom: 100, level: .warning, at: 0.15)) != nil)
        scheduler.stepEnded(scheduler.step, promisedBytes: 0, at: .seconds(0.2))
        #expect(scheduler.next(context(headroom: 100, level: .warning, at: 0.44)) == nil)
        #expect(scheduler.next(context(headroom: 100, level: .warning, at: 0.45)) != nil)
        scheduler.stepEnded(scheduler.step, promisedBytes: 1, at: .seconds(0.4))
        #expect(scheduler.next(context(headroom: 20, level: .critical, at: 0.4)) != nil)
        scheduler.stepEnded(scheduler.step, promisedBytes: 100 * mebibyte, at: .seconds(0.41))
        #expect(scheduler.next(context(headroom: 20, level: .critical, at: 0.41)) != nil)
        scheduler.stepEnded(scheduler.step, promisedBytes: 0, at: .seconds(0.42))
        #expect(scheduler.next(context(headroom: 20, level: .critical, at: 0.5)) == nil)
        #expect(scheduler.nothingLeftSince == .seconds(0.5))
        #expect(scheduler.next(context(headroom: 20, level: .critical, at: 0.67)) != nil)
    }

    @Test("While a step is under way only a higher level starts another")
    func oneStepAtATime() {
        var scheduler = StepScheduler(configuration: .init())
        #expect(scheduler.next(context(headroom: 100, level: .warning)) != nil)
        #expect(scheduler.next(context(headroom: 90, level: .warning, at: 5)) == nil)
        #expect(scheduler.next(context(headroom: 20, level: .critical, at: 5)) != nil)
        #expect(scheduler.next(context(headroom: 10, level: .critical, at: 6)) == nil)
    }

    @Test("Growth with time to spare sets limits and asks for nothing, however long it goes on")
    func growthSetsLimits() throws {
        var scheduler = StepScheduler(configuration: .init())
        let first = try next(
            &scheduler, context(headroom: 200, level: .warning, rule: .timeToLimit, byGrowth: 60, time: 5_000))
        #expect(first.targetBytes == 0)
        scheduler.stepEnded(scheduler.step, promisedBytes: 0, at: .seconds(0))
        #expect(
            scheduler.next(
                context(headroom: 110, level: .warning, rule: .timeToLimit, at: 3, byGrowth: 60, time: 2_700)) == nil)
    }

    @Test("A process asks itself for its share of what is missing, doubled with each step, for all when time is short")
    func shares() throws {
        var scheduler = StepScheduler(configuration: .init())
        // 412 MiB are used under the limit, 103 of them by this process: a quarter of 31 MiB.
        let first = try next(&scheduler, (context(headroom: 100, level: .warning, footprint: 103)))
        #expect(rounded(first) == 8)
        scheduler.stepEnded(scheduler.step, promisedBytes: 1, at: .seconds(0))
        let second = try next(&scheduler, (context(headroom: 100, level: .warning, at: 1, footprint: 103)))
        #expect(rounded(second) == 16)
        #expect(scheduler.next(context(headroom: 100, level: .warning, at: 1.2, footprint: 103)) == nil)
        scheduler.stepEnded(scheduler.step, promisedBytes: 1, at: .seconds(1))
        let hurried = try next(
            &scheduler, (context(headroom: 20, level: .critical, at: 2, footprint: 103, time: 20)))
        #expect(rounded(hurried) == 111)
        #expect(hurried.isUrgent)
    }

    @Test("While the level only waits to fall, a dip below the exit asks nobody; once it is voted for again, it does")
    func falling() {
        var scheduler = StepScheduler(configuration: .init())
        #expect(scheduler.next(context(headroom: 100, level: .warning)) != nil)
        scheduler.stepEnded(scheduler.step, promisedBytes: 1, at: .seconds(0))
        #expect(scheduler.next(context(headroom: 100, level: .warning, at: 1, vote: .normal)) == nil)
        #expect(scheduler.next(context(headroom: 100, level: .warning, at: 1)) != nil)
        scheduler.stepEnded(scheduler.step, promisedBytes: 1, at: .seconds(1))
        #expect(scheduler.next(context(headroom: 60, level: .critical, at: 2, vote: .warning)) != nil)
    }

    @Test("A sudden jump loses no time over a trim, and at critical makes a shared shortage one's own")
    func atOnce() throws {
        var scheduler = StepScheduler(configuration: .init())
        let calm = try next(&scheduler, context(headroom: 100, level: .warning, atOnce: 5_000))
        #expect(!calm.isUrgent)
        let sudden = try next(&scheduler, context(headroom: 20, level: .critical, at: 1, footprint: 103, atOnce: 20))
        #expect(sudden.isUrgent)
        #expect(rounded(sudden) == 111)
    }

    @Test("A cache that answers after its step has ended is slow, and not the end of what there is")
    func lateAnswer() {
        var scheduler = StepScheduler(configuration: .init())
        #expect(scheduler.next(context(headroom: 20, level: .critical)) != nil)
        scheduler.stepEnded(1, promisedBytes: 0, at: .seconds(0))
        #expect(scheduler.next(context(headroom: 20, level: .critical, at: 0.1)) == nil)
        #expect(scheduler.nothingLeftSince == .seconds(0.1))
        scheduler.answeredLate(promisedBytes: 100 * mebibyte)
        #expect(scheduler.next(context(headroom: 20, level: .critical, at: 0.15)) != nil)
        #expect(scheduler.nothingLeftSince == nil)
    }

    @Test("At critical a cache that was at work for the step before is asked as soon as it is back")
    func askedWhenBack() throws {
        func waits(isBack: Bool, _ level: PressureLevel = .critical) throws -> Bool {
            var scheduler = StepScheduler(configuration: .init())
            _ = try next(&scheduler, context(headroom: 20, level: level))
            // That was little of what is missing.
            scheduler.stepEnded(1, promisedBytes: 5 * mebibyte, at: .seconds(0))
            if isBack { scheduler.answeredLate(promisedBytes: mebibyte) }
            return scheduler.next(context(headroom: 20, level: level, at: 0.01)) == nil
        }
        #expect(try waits(isBack: false))
        #expect(try !waits(isBack: true))
        #expect(try waits(isBack: true, .warning))
    }

    @Test("While growth pauses a step that is under way is to bring nothing for it")
    func pausedGrowth() throws {
        func open(hasPaused: Bool, headroom: Int = 100) throws -> OpenBytes? {
            var scheduler = StepScheduler(configuration: .init())
            let demand = try next(&scheduler, context(headroom: 100, level: .critical))
            var grown = context(headroom: headroom, level: .critical, at: 0.05)
            grown.inFlightBytes = demand.targetBytes
            grown.required.byGrowth = 300 * mebibyte
            grown.hasGrowthPaused = hasPaused
            #expect(scheduler.next(grown) == nil)
            return scheduler.openBytes
        }
        let growing = try open(hasPaused: false)
        #expect(growing?.missing ?? 0 > 50 * mebibyte)
        #expect(growing?.most == nil, "growth may go on")
        let paused = try open(hasPaused: true)
        #expect(paused?.missing == 0)
        #expect(paused?.most ?? 0 < 0)
        // Of what the thresholds require some is missing still, and nothing of what growth would have required.
        let lower = try open(hasPaused: true, headroom: 80)
        #expect(lower == OpenBytes(missing: 20 * mebibyte, most: 20 * mebibyte))
    }

    @Test("An answer that comes late counts while the next step is under way, and one of next to nothing never")
    func lateAnswers() {
        for (bytes, isLeft) in [(100 * mebibyte, true), (4096, false)] {
            var scheduler = StepScheduler(configuration: .init())
            #expect(scheduler.next(context(headroom: 20, level: .critical)) != nil)
            scheduler.stepEnded(1, promisedBytes: 0, at: .seconds(0))
            #expect(scheduler.next(context(headroom: 20, level: .critical, at: 2)) != nil)
            #expect(scheduler.nothingLeftSince == .seconds(2))
            scheduler.answeredLate(promisedBytes: bytes)
            #expect(scheduler.next(context(headroom: 20, level: .critical, at: 2.1)) == nil)
            #expect(scheduler.nothingLeftSince == (isLeft ? nil : .seconds(2)))
            // Who gave it was still at work and could not be asked in that step: another one has to show what is left.
            scheduler.stepEnded(2, promisedBytes: 0, at: .seconds(2.2))
            let further = scheduler.next(context(headroom: 20, level: .critical, at: 2.3))
            #expect(scheduler.nothingLeftSince == (isLeft ? nil : .seconds(2)))
            guard isLeft else { continue }
            // It is counted once.
            #expect(further != nil)
            scheduler.stepEnded(3, promisedBytes: 0, at: .seconds(2.4))
            _ = scheduler.next(context(headroom: 20, level: .critical, at: 2.5))
            #expect(scheduler.nothingLeftSince == .seconds(2.5))
        }
    }

    @Test("What was asked for and not yet answered is not asked for again")
    func inFlight() throws {
        var scheduler = StepScheduler(configuration: .init())
        let demand = try next(&scheduler, (context(headroom: 20, level: .critical, inFlight: 100)))
        #expect(rounded(demand) == 11)
    }

    @Test("What was freed and is still retained by the allocator is not asked for again, but trimmed when that may be")
    func retained() throws {
        var scheduler = StepScheduler(configuration: .init())
        #expect(scheduler.next(context(headroom: 100, level: .warning)) != nil)
        scheduler.stepEnded(1, promisedBytes: 1, at: .seconds(0))
        var held = context(headroom: 100, level: .warning, at: 1)
        held.retainedBytes = 32 * mebibyte
        held.trimsFrom = .seconds(2)
        #expect(scheduler.next(held) == nil)
        held.trimsFrom = .seconds(1)
        #expect(try next(&scheduler, held).targetBytes == 0)
    }

    @Test("Caches that are empty are not the end while there is something to trim")
    func retainedAtTheEnd() {
        var scheduler = StepScheduler(configuration: .init())
        #expect(scheduler.next(context(headroom: 20, level: .critical, purgeable: 0)) != nil)
        scheduler.stepEnded(1, promisedBytes: 0, at: .seconds(0))
        var held = context(headroom: 20, level: .critical, at: 1, purgeable: 0)
        held.retainedBytes = 40 * mebibyte
        #expect(scheduler.next(held)?.step == 2)
        #expect(scheduler.nothingLeftSince == nil)
        scheduler.stepEnded(2, promisedBytes: 0, at: .seconds(1))
        _ = scheduler.next(context(headroom: 20, level: .critical, at: 2, purgeable: 0))
        #expect(scheduler.nothingLeftSince == .seconds(2))
    }

    @Test(
        "Of whom nothing is expected nobody asks but in the first step of a level and now and then; the rest is the end"
    )
    func hollow() {
        var scheduler = StepScheduler(configuration: .init())
        func critical(_ seconds: Double, hollow: Int) -> ReclaimContext {
            var context = context(headroom: 20, level: .critical, at: seconds, purgeable: 200)
            context.hollowBytes = hollow * mebibyte
            return context
        }
        #expect(scheduler.next(critical(0, hollow: 200))?.targetBytes ?? 0 > 100 * mebibyte)
        scheduler.stepEnded(1, promisedBytes: 0, at: .seconds(0))
        for tenth in 1..<50 { #expect(scheduler.next(critical(Double(tenth) / 10, hollow: 200)) == nil) }
        #expect(scheduler.nothingLeftSince == .seconds(0.1))
        #expect(scheduler.next(critical(5, hollow: 200))?.targetBytes ?? 0 > 100 * mebibyte)
        scheduler.stepEnded(2, promisedBytes: 50 * mebibyte, at: .seconds(5))
        #expect(scheduler.next(critical(5.1, hollow: 150))?.targetBytes == 50 * mebibyte)
        #expect(scheduler.nothingLeftSince == nil)
    }

    @Test(
        "A step whose caches were found out to give nothing is followed at once by one for the others, and by no more")
    func foundOut() throws {
        func critical(_ seconds: Double, hollow: Int) -> ReclaimContext {
            var context = context(headroom: 20, level: .critical, at: seconds, purgeable: 200)
            context.hollowBytes = hollow * mebibyte
            return context
        }
        var scheduler = StepScheduler(configuration: .init())
        #expect(rounded(try next(&scheduler, critical(0, hollow: 0))) == 111)
        scheduler.stepEnded(1, promisedBytes: 0, at: .seconds(0.1))
        // 150 MiB are of caches that hang or lied. The other 50 were asked of nobody.
        #expect(rounded(try next(&scheduler, critical(0.1, hollow: 150))) == 50)
        #expect(scheduler.nothingLeftSince == nil)
        // That brought nothing either, whatever comes out about the others.
        scheduler.stepEnded(2, promisedBytes: 0, at: .seconds(0.2))
        #expect(scheduler.next(critical(0.2, hollow: 170)) == nil)
        #expect(scheduler.nothingLeftSince == .seconds(0.2))
        // Nor does it begin anew where caches of whom nothing is expected grow meanwhile.
        #expect(scheduler.next(critical(5.1, hollow: 170)) != nil)
        scheduler.stepEnded(3, promisedBytes: 0, at: .seconds(5.2))
        #expect(scheduler.next(critical(5.2, hollow: 180)) == nil)
        #expect(scheduler.nothingLeftSince == .seconds(0.2))
    }

    @Test("Where nothing is left but caches that were found out, or a step for the others is not made, nothing waits")
    func foundOutAtTheEnd() {
        for (hollow, inFlight) in [(200, 0), (150, 200)] {
            var scheduler = StepScheduler(configuration: .init())
            #expect(scheduler.next(context(headroom: 20, level: .critical, purgeable: 200)) != nil)
            scheduler.stepEnded(1, promisedBytes: 0, at: .seconds(0.1))
            for (seconds, isLeft) in [(0.1, hollow < 200), (0.36, false)] {
                var later = context(
                    headroom: 20, level: .critical, at: seconds, purgeable: 200, inFlight: inFlight)
                later.hollowBytes = hollow * mebibyte
                #expect(scheduler.next(later) == nil)
                #expect((scheduler.nothingLeftSince == nil) == isLeft)
            }
        }
    }

    @Test("Back at normal the next episode counts from one, and nothing is demanded")
    func episodes() {
        var scheduler = StepScheduler(configuration: .init())
        _ = scheduler.next(context(headroom: 100, level: .warning))
        scheduler.stepEnded(scheduler.step, promisedBytes: 1, at: .seconds(0))
        #expect(scheduler.next(context(headroom: 300, level: .normal, at: 10)) == nil)
        #expect(scheduler.next(context(headroom: 100, level: .warning, at: 20))?.step == 1)
    }

    @Test("A step that waited for a handler asks for what is missing when it begins, and for no less than was decided")
    func renewed() throws {
        var scheduler = StepScheduler(configuration: .init())
        let demand = try next(&scheduler, context(headroom: 100, level: .critical))
        let later = demand.renewed(headroomBytes: 70 * mebibyte, comingBytes: 0)
        #expect(later.targetBytes == demand.targetBytes + 30 * mebibyte)
        #expect(demand.renewed(headroomBytes: 130 * mebibyte, comingBytes: 0).targetBytes == demand.targetBytes)
        #expect(later.renewed(headroomBytes: 0, comingBytes: 0) == later, "once is enough")
        #expect(later.sparedBytes == 0)
        // A later reading shows that growth has paused: 110 MiB of headroom are enough.
        for (headroom, coming, target) in [(90, 0, 20), (90, 15, 5), (115, 0, 0), (0, 0, 110)] {
            let paused = demand.renewed(
                headroomBytes: headroom * mebibyte, comingBytes: coming * mebibyte, wantedBytes: 110 * mebibyte)
            #expect(paused.targetBytes / mebibyte == target)
            let more = max(0, 100 - headroom - coming) * mebibyte
            #expect(paused.sparedBytes == demand.targetBytes + more - target * mebibyte)
        }
        let no = demand.renewed(headroomBytes: 100 * mebibyte, comingBytes: 0, wantedBytes: 900 * mebibyte)
        #expect(no.targetBytes == demand.targetBytes, "it is never more than was decided")

        var waiting = context(headroom: 100, level: .critical)
        waiting.inFlightBytes = 20 * mebibyte
        var second = StepScheduler(configuration: .init())
        let less = try next(&second, waiting)
        #expect(less.targetBytes == demand.targetBytes - 20 * mebibyte)
        #expect(less.renewed(headroomBytes: 100 * mebibyte, comingBytes: 0).targetBytes == demand.targetBytes)
    }

    @Test(
        "A step in which caches gave all that they were asked for does not show that nothing is left, however little that was"
    )
    func littleAsked() throws {
        func isNothingLeft(promised share: Int) throws -> Bool {
            var scheduler = StepScheduler(configuration: .init())
            let shared = context(headroom: 40, level: .critical, footprint: 5, time: 5_000)
            let demand = try next(&scheduler, shared)
            #expect(demand.targetBytes < demand.missingBytes / 64)
            scheduler.stepEnded(1, promisedBytes: demand.targetBytes * share / 100, at: .seconds(0))
            _ = scheduler.next(context(headroom: 40, level: .critical, at: 0.01, footprint: 5, time: 5_000))
            return scheduler.nothingLeftSince != nil
        }
        #expect(try !isNothingLeft(promised: 100))
        #expect(try isNothingLeft(promised: 5))
    }

    @Test("Caches that are expected to give nothing are asked every five seconds, in the last one every 250 ms")
    func lastRetry() throws {
        func asksAgain(at seconds: Double, time: Int) throws -> Bool {
            var scheduler = StepScheduler(configuration: .init())
            var hollow = context(headroom: 40, level: .critical, time: time)
            hollow.hollowBytes = hollow.purgeableBytes
            _ = try next(&scheduler, hollow)
            scheduler.stepEnded(1, promisedBytes: 0, at: .seconds(0))
            var later = context(headroom: 40, level: .critical, at: seconds, time: time)
            later.hollowBytes = later.purgeableBytes
            return scheduler.next(later).map { $0.targetBytes > 0 } ?? false
        }
        #expect(try asksAgain(at: 0.25, time: 900))
        #expect(try !asksAgain(at: 0.24, time: 900))
        #expect(try !asksAgain(at: 0.25, time: 1_100))
        #expect(try asksAgain(at: 5, time: 1_100))
    }

    @Test("No more than twenty steps begin in a second, whatever caches promise")
    func pace() {
        var scheduler = StepScheduler(configuration: .init())
        var began: [Double] = []
        for millisecond in 0..<3_000 {
            let seconds = Double(millisecond) * 1e-3
            guard let demand = scheduler.next(context(headroom: 40, level: .critical, at: seconds, time: 300)) else {
                continue
            }
            began.append(seconds)
            scheduler.stepEnded(demand.step, promisedBytes: demand.targetBytes, at: .seconds(seconds))
        }
        #expect(began.count >= 40)
        for index in began.indices.dropLast(20) { #expect(began[index + 20] - began[index] >= 0.999) }
    }

    @Test("While a critical step is under way the scheduler says what is missing beyond what was asked for")
    func openBytes() throws {
        var scheduler = StepScheduler(configuration: .init())
        let demand = try next(&scheduler, context(headroom: 100, level: .critical))
        #expect(scheduler.openBytes == nil)
        var grown = context(headroom: 60, level: .critical, at: 0.05)
        grown.inFlightBytes = demand.targetBytes
        #expect(scheduler.next(grown) == nil)
        #expect(scheduler.openBytes == OpenBytes(missing: 40 * mebibyte))
        // It has come, and what is in flight is more than is missing to warning's exit and a little more.
        var eased = context(headroom: 120, level: .critical, at: 0.06)
        eased.inFlightBytes = demand.targetBytes
        #expect(scheduler.next(eased) == nil)
        #expect((scheduler.openBytes?.most ?? 0) / mebibyte == -20)
        eased.reading.depth = .cheap
        #expect(scheduler.next(eased) == nil)
        #expect(scheduler.openBytes == nil, "it does not show yet what caches gave")
        grown.inFlightBytes += 40 * mebibyte
        #expect(scheduler.next(grown) == nil)
        #expect(scheduler.openBytes == OpenBytes(most: -1), "nothing is missing")

        var warning = StepScheduler(configuration: .init())
        _ = try next(&warning, context(headroom: 150, level: .warning))
        #expect(warning.next(context(headroom: 130, level: .warning, at: 0.1)) == nil)
        #expect(warning.openBytes == nil)
    }

    @Test(
        "A step that asks nobody trims, and one is made as long as anything is missing, whatever the allocator retains")
    func emptySteps() throws {
        for missing in 1...60 {
            for quarters in 0...240 {
                var scheduler = StepScheduler(configuration: .init())
                scheduler.stepEnded(
                    try next(&scheduler, context(headroom: 100, level: .warning)).step, promisedBytes: 1,
                    at: .seconds(0))
                var short = context(headroom: 131 - missing, level: .warning, at: 10)
                guard short.reading.headroomBytes < short.thresholds.warningEntry else { continue }
                short.retainedBytes = quarters * mebibyte / 4
                let demand = try next(&scheduler, short)
                guard demand.targetBytes == 0 else { continue }
                var trims = TrimSchedule(configuration: .init())
                trims.noteFreed(short.retainedBytes)
                let isDue = trims.isDue(
                    limitBytes: demand.limitBytes, missingBytes: demand.missingBytes, at: .seconds(10))
                #expect(isDue, "\(missing) MiB missing, \(quarters) quarters retained")
            }
        }
    }
}
