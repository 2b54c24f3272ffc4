package import MemoryPressure

/// The facts that are known of one cache from the times that it was asked.
package struct LedgerEntry: Equatable {
    package private(set) var asks = 0
    package private(set) var promisedBytes = 0
    /// Nil where the allocator cannot tell.
    package private(set) var freedBytes: Int?
    package private(set) var returnedBytes = 0
    package private(set) var failures = 0
    package private(set) var missedDeadlines = 0
    /// Part of what was promised: what came after its step had ended.
    package private(set) var lateBytes = 0
    /// How fast its handler gave.
    package private(set) var speed = ReleaseSpeed()
    package private(set) var longestHandlerTime = Duration.zero
    /// A moving share of what was asked for that the answers promised, in undisturbed steps; nil before the first.
    private(set) var yield: Double?
    /// A moving share of what was promised that came back as memory, in undisturbed steps that can tell; nil before the first.
    private(set) var returnedShare: Double?
    private var returnsSeen = 0
    /// The number of steps in a row that brought next to nothing of what the cache promised, also where others grew meanwhile.
    package private(set) var emptySteps = 0
    /// The same of steps in which nobody else grew. Below critical one with a big promise counts twice.
    private var clearlyEmptySteps = 0
    /// The number of steps in a row in which its handler threw, and gave nothing.
    private var failuresInRow = 0
    /// The time of the last step that brought nothing and was counted.
    private var emptyAt: MonotonicInstant?
    /// The judgement of one step alone, while later readings can still show that it was wrong.
    private var verdict: Verdict?
    /// The time when it was last asked in a step.
    private var askedAt: MonotonicInstant?
    /// It missed its deadline and has not come back yet.
    private(set) var isHung = false
    /// It missed its deadline when it was last asked: its speed is that of a hang.
    private var wasHung = false
    /// The time when an undisturbed step last showed what comes back.
    private var shownAt: MonotonicInstant?
    /// Probes that told nothing since, and the last of them.
    private var vainProbes = 0
    private var probedAt: MonotonicInstant?
    private var heldOff: (until: MonotonicInstant, level: PressureLevel, headroomBytes: Int)?

    package init() {}

    package static func == (lhs: LedgerEntry, rhs: LedgerEntry) -> Bool {
        lhs.asks == rhs.asks && lhs.promisedBytes == rhs.promisedBytes && lhs.returnedBytes == rhs.returnedBytes
    }

    /// One answer of one handler.
    package struct Answer: Equatable {
        package var askedBytes: Int
        package var promisedBytes: Int
        package var freedBytes: Int?
        package var returnedBytes: Int
        package var duration: Duration
        package var failed = false
        package var missedDeadline = false
        /// Indicates whether the freed bytes had left the allocator when the step was measured.
        package var showsReturn = false
        /// The bytes by which this process's other memory is taken to have grown meanwhile, as far as that hides what the cache
        /// gave.
        package var hiddenBytes = 0
        /// The most of what came back that can have been its own; nil where all of `returnedBytes` was.
        package var mostReturnedBytes: Int?
        /// The part of what it promised that other signs than its word show: its thread freed it, or it reports so much less.
        package var provenBytes = 0
        /// Indicates whether others gave as well, so that it cannot be told whose bytes came back.
        package var isAmbiguous = false

        package init(
            askedBytes: Int, promisedBytes: Int, freedBytes: Int? = nil, returnedBytes: Int, duration: Duration,
            failed: Bool = false, missedDeadline: Bool = false, showsReturn: Bool = false, hiddenBytes: Int = 0,
            mostReturnedBytes: Int? = nil, isAmbiguous: Bool = false
        ) {
            self.askedBytes = askedBytes
            self.promisedBytes = promisedBytes
            self.freedBytes = freedBytes
            self.returnedBytes = returnedBytes
            self.duration = duration
            self.failed = failed
            self.missedDeadline = missedDeadline
            self.showsReturn = showsReturn
            self.hiddenBytes = hiddenBytes
            self.mostReturnedBytes = mostReturnedBytes
            self.isAmbiguous = isAmbiguous
        }

        /// Indicates whether next to nothing of what it promised has come back.
        package var broughtNothing: Bool {
            showsReturn && promisedBytes >= LedgerEntry.leastShown
                && (mostReturnedBytes ?? returnedBytes).addingSaturating(hiddenBytes) < promisedBytes / 10
        }

        /// Another portion of the same step.
        package mutating func add(_ other: Answer) {
            askedBytes = askedBytes.addingSaturating(other.askedBytes)
            promisedBytes = promisedBytes.addingSaturating(other.promisedBytes)
            if let freed = other.freedBytes { freedBytes = (freedBytes ?? 0).addingSaturating(freed) }
            duration += other.duration
            failed = failed || other.failed
            missedDeadline = missedDeadline || other.missedDeadline
        }
    }

    /// One step below critical has shown that nothing comes back. That holds unless memory grew meanwhile, which the readings before the
    /// step could not tell where the growth began in it.
    private struct Verdict {
        /// Half of what did not come back, in bytes.
        var missingBytes: Int
        /// So much growth, in bytes a second, would have hidden it.
        var hidingGrowth: Int
        var instant: MonotonicInstant
        // What was known before it.
        var emptySteps: Int
        var clearlyEmptySteps: Int
        var returnedShare: Double?
        var returnsSeen: Int
    }

    /// WebKit's hold-off after a purge: twenty times its duration, five seconds at least, thirty after less than 1 MiB.
    private static let holdOffFactor = 20
    private static let holdOffMinimum = Duration.seconds(5)
    private static let holdOffAfterNothing = Duration.seconds(30)
    private static let littleBytes = 1 << 20
    /// Less than this says nothing about what comes back: a probe asks for a little more.
    static let leastShown = 3 << 18
    /// So much in one undisturbed step below critical says what comes back of it, less has to be seen twice.
    private static let enoughShown = 16 << 20
    /// Others may grow by as much as a tenth in a step that is not disturbed: what is above this is all.
    private static let fullReturn = 0.9

    /// Adds what the cache did in a step.
    ///
    /// - Parameter measuredOver: The time between the readings before and after the step.
    package mutating func add(
        _ answer: Answer, isDisturbed: Bool, level: PressureLevel, headroomBytes: Int, measuredOver: Duration = .zero,
        at now: MonotonicInstant
    ) {
        asks += 1
        askedAt = now
        promisedBytes = promisedBytes.addingSaturating(answer.promisedBytes)
        returnedBytes = returnedBytes.addingSaturating(answer.returnedBytes)
        if let freed = answer.freedBytes { freedBytes = (freedBytes ?? 0).addingSaturating(freed) }
        failures += answer.failed ? 1 : 0
        failuresInRow = answer.failed && answer.promisedBytes == 0 ? failuresInRow + 1 : 0
        missedDeadlines += answer.missedDeadline ? 1 : 0
        longestHandlerTime = max(longestHandlerTime, answer.duration)
        isHung = answer.missedDeadline
        wasHung = answer.missedDeadline
        let repeatsEmptyStep = repeatsEmptyStep(answer, at: now)
        // What the step before it seemed to show may still be taken back.
        if !repeatsEmptyStep { verdict = nil }
        if answer.showsReturn, answer.promisedBytes >= Self.leastShown {
            if !answer.broughtNothing {
                (emptySteps, clearlyEmptySteps, emptyAt) = (0, 0, nil)
            } else if !repeatsEmptyStep {
                noteEmptyStep(answer, isDisturbed: isDisturbed, level: level, measuredOver, at: now)
            }
        }
        guard answer.askedBytes > 0 else { return }
        let share = min(1, Double(answer.promisedBytes) / Double(answer.askedBytes))
        // Whatever else grows: one that promises again what it is asked for may have it again.
        if !isDisturbed || yield.map({ share > $0 }) ?? false { yield = yield.map { $0 * 0.7 + share * 0.3 } ?? share }
        guard !isDisturbed else { return }
        if answer.showsReturn, !answer.isAmbiguous, !repeatsEmptyStep, answer.promisedBytes >= Self.leastShown {
            shownAt = now
            vainProbes = 0
            let share = min(1, Double(answer.returnedBytes) / Double(answer.promisedBytes))
            // The first one is believed as it is, but at critical.
            let known = returnedShare ?? (level < .critical ? share : 1)
            returnedShare = known * 0.7 + share * 0.3
            returnsSeen += 1
        }
        let isIneffective = answer.promisedBytes < min(Self.littleBytes, answer.askedBytes / 2)
        if isIneffective {
            let byTime = answer.duration * Self.holdOffFactor
            let least = answer.promisedBytes < Self.littleBytes ? Self.holdOffAfterNothing : Self.holdOffMinimum
            heldOff = (now.advanced(by: max(byTime, least)), level, headroomBytes)
        } else {
            heldOff = nil
        }
    }

    private mutating func noteEmptyStep(
        _ answer: Answer, isDisturbed: Bool, level: PressureLevel, _ measuredOver: Duration, at now: MonotonicInstant
    ) {
        emptySteps += 1
        emptyAt = now
        guard !isDisturbed else { return }
        // At critical what is believed cannot be taken back, and growth that has just begun was not seen before the step.
        let isEnough = answer.promisedBytes >= Self.enoughShown && level < .critical
        if isEnough { verdict = makeVerdict(answer, measuredOver, at: now) }
        clearlyEmptySteps += isEnough ? 2 : 1
    }

    /// Returns whether a step that brought nothing proves no more than the one before it: it came so soon that a burst which took the bytes
    /// of both does not show yet. This holds only for a cache that did let go of its bytes, as that one runs out of them. One that only
    /// says so would be asked again and again.
    private func repeatsEmptyStep(_ answer: Answer, at now: MonotonicInstant) -> Bool {
        guard let emptyAt, answer.broughtNothing, answer.provenBytes >= answer.promisedBytes / 2 else { return false }
        return emptyAt.duration(to: now) < Self.shortestWindow
    }

    /// The default of `timeToLimit.window`, the shortest window in which growth is measured.
    private static let shortestWindow = Duration.milliseconds(200)

    /// Growth that began in a step shows within this time after it: three times the shortest window in which growth is measured, and the
    /// way of a reading.
    private static let verdictAge = Duration.seconds(1)

    private func makeVerdict(_ answer: Answer, _ duration: Duration, at now: MonotonicInstant) -> Verdict? {
        guard duration > .zero else { return nil }
        let hidden = (answer.promisedBytes - answer.returnedBytes) / 2
        return Verdict(
            missingBytes: hidden, hidingGrowth: Int(saturating: Double(hidden) / (Double(duration.nanoseconds) * 1e-9)),
            instant: now,
            emptySteps: emptySteps - 1, clearlyEmptySteps: clearlyEmptySteps, returnedShare: returnedShare,
            returnsSeen: returnsSeen)
    }

    /// The growth of unmanaged memory, in bytes a second, that would show the newest step to have been judged wrongly; nil where
    /// none would.
    package var hidingGrowth: Int? { verdict?.hidingGrowth }

    /// Takes back what one step seemed to show, where memory turns out to have grown in it.
    ///
    /// - Returns: Whether anything was taken back.
    package mutating func reconsider(growthRate: Int, at now: MonotonicInstant) -> Bool {
        guard let verdict, growthRate >= verdict.hidingGrowth,
            verdict.instant.duration(to: now) <= Self.verdictAge
        else { return false }
        takeBack(verdict)
        return true
    }

    /// Takes it back where the step ends now and memory had jumped by so many bytes between the last readings before it. A jump does not
    /// say how fast memory grows: it may have grown on by as much in the step.
    ///
    /// - Returns: Whether it was taken back.
    package mutating func reconsider(jumpBytes: Int, at now: MonotonicInstant) -> Bool {
        guard let verdict, jumpBytes >= verdict.missingBytes, verdict.instant == now else { return false }
        takeBack(verdict)
        return true
    }

    private mutating func takeBack(_ verdict: Verdict) {
        // Meanwhile they may have been forgiven.
        emptySteps = min(emptySteps, verdict.emptySteps)
        clearlyEmptySteps = min(clearlyEmptySteps, verdict.clearlyEmptySteps)
        returnedShare = verdict.returnedShare
        returnsSeen = verdict.returnsSeen
        self.verdict = nil
    }

    /// An answer that came when its step had ended: `answer` tells what it brought, but it is no ask of its own.
    package mutating func addLate(_ answer: Answer) {
        promisedBytes = promisedBytes.addingSaturating(answer.promisedBytes)
        returnedBytes = returnedBytes.addingSaturating(answer.returnedBytes)
        lateBytes = lateBytes.addingSaturating(answer.promisedBytes)
        if let freed = answer.freedBytes { freedBytes = (freedBytes ?? 0).addingSaturating(freed) }
        failures += answer.failed ? 1 : 0
        longestHandlerTime = max(longestHandlerTime, answer.duration)
        speed.note(answer.promisedBytes, in: answer.duration)
        isHung = false
        guard answer.promisedBytes >= Self.littleBytes else { return }
        // It is slow, not empty: the step booked nothing for it.
        heldOff = nil
        if let yield, answer.askedBytes > 0 {
            self.yield = min(1, yield + 0.3 * Double(answer.promisedBytes) / Double(answer.askedBytes))
        }
    }

    /// The time after which what comes back is looked at anew.
    private static let probeAge = Duration.seconds(600)
    private static let probeSpacing = Duration.seconds(10)

    /// Returns whether the cache should be probed: it is not known what comes back of what it gives, or that was last seen long
    /// ago. Probes that tell nothing, because others grow meanwhile, follow each other ever more slowly.
    package func isProbeDue(at now: MonotonicInstant) -> Bool {
        if let probedAt, probedAt.duration(to: now) < Self.probeSpacing * (1 << min(vainProbes, 6)) { return false }
        guard returnsSeen >= 2, let shownAt else { return true }
        return shownAt.duration(to: now) >= Self.probeAge
    }

    package mutating func noteProbe(at now: MonotonicInstant) {
        probedAt = now
        vainProbes += 1
    }

    /// Its handler has come back, whatever it brought.
    package mutating func cameBack() {
        isHung = false
    }

    /// A step begins. What it did long ago counts for nothing: one that is never asked cannot show that it gives again.
    ///
    /// - Parameter isNewShortage: What it did in the shortage before may have been a fault that is mended.
    package mutating func forgive(isNewShortage: Bool, at now: MonotonicInstant) {
        if isNewShortage { emptySteps = 0 }
        guard let askedAt, askedAt.duration(to: now) >= Self.probeAge else { return }
        emptySteps = 0
        clearlyEmptySteps = 0
        failuresInRow = 0
        yield = nil
        if wasHung { speed = ReleaseSpeed() }
        wasHung = false
    }

    /// Takes how fast it gave in a step, call by call.
    package mutating func note(_ speed: ReleaseSpeed) {
        self.speed = speed
    }

    /// Returns whether an ineffective purge still holds this cache off. It never holds up a higher level. It is void when
    /// headroom fell by 2 % of the limit since.
    package func isHeldOff(at now: MonotonicInstant, level: PressureLevel, headroomBytes: Int, limitBytes: Int) -> Bool
    {
        guard let heldOff, now < heldOff.until, level <= heldOff.level else { return false }
        return headroomBytes > heldOff.headroomBytes - limitBytes / 50
    }

    /// Promises nothing, has thrown twice in a row, or promises what never comes back.
    package var givesNothing: Bool { (asks >= 2 && (yield ?? 1) < 0.05) || failuresInRow >= 2 || isHollow }

    /// Next to nothing of what it promises comes back: seen twice, or once below critical where it was much and nobody else grew.
    package var isHollow: Bool { emptySteps >= 2 || clearlyEmptySteps >= 2 }

    /// The share of its promised bytes that comes back as memory, as far as is known.
    package var returningShare: Double {
        isHollow ? 0 : returnedShare.map { $0 >= Self.fullReturn ? 1 : $0 } ?? 1
    }

    /// The share of its reported bytes that can be had, as far as is known. It is 0 for a handler that hangs, or throws, or gives
    /// what does not come back.
    package var obtainableShare: Double { isHung || givesNothing ? 0 : returningShare }

    /// The share of an ask that is expected to come back as memory.
    package var expectedShare: Double { (yield ?? 1) * (returnedShare ?? 1) }
}
