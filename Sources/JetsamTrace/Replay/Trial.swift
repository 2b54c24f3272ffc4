package import Jetsam
internal import MemoryPressure

/// Decides a trace again under another configuration.
///
/// Up to the first step that differs from the recorded one this is exact. From there on it is a model, and
/// ``Outcome/modelBegins`` says from when: what the trial would have had caches give, less what they gave in the recording, is
/// added to every later reading; a step is over after as long as recorded steps took, and brings what it asks for as far as
/// caches still have it; caches that gave more than recorded fill up again at the rate at which the recorded ones grew, and as
/// far as limits allow: each step lowers them to what is left, and regrowth raises them. A part of their growth counts as
/// fetched again: the same part as of the recorded growth after recorded releases, or all if there was none. Readings are those
/// that were recorded: one that looks more often sees no more here. Bytes that background tasks, scenes and the last resort
/// would have brought are not known, and count as nothing.
package struct Trial: Sendable {
    /// The result.
    package struct Outcome: Equatable, Sendable {
        package var readings = 0
        package var levelChanges = 0
        package var steps = 0
        /// Bytes that caches were asked for.
        package var purgedBytes = 0
        /// Nanoseconds at `warning` and at `critical`.
        package var warningTime: Int64 = 0
        package var criticalTime: Int64 = 0
        /// How often no headroom under a hard limit was left: the kernel would have killed.
        package var kills = 0
        /// The least headroom under a hard limit, in percent of it; 100 where there was none.
        package var leastHeadroomPercent = 100
        /// How often a later stage of the ladder would have acted.
        package var ladderActions = 0
        /// What releases brought, needed and wasted.
        package var releases = ReleaseAccount.Figures()
        /// From when on it is a model; nil where all of it is exact.
        package var modelBegins: MonotonicInstant?

        package init() {}
    }

    package private(set) var outcome = Outcome()
    /// The trial as a trace of its own, where that is wanted; the caller collects the lines.
    package private(set) var writer: TraceLineWriter?
    private var decider: Decider
    private let followsRecorded: Bool
    private var caches = ModelledCaches()
    private var refetches = ModelledRefetches()
    private var releases = ReleaseTally()
    /// A step that both make, until it is over.
    private var sharedStep: Int?
    /// The steps that have ended, and the bytes of each that came back, until the account of the manager had them. The next step
    /// may end before that.
    private var ended: [(step: Int, bytes: Int)] = []
    private var pending: PendingStep?
    private var expected = ExpectedRecords()
    private var lastInstant: MonotonicInstant?
    private var isDead = false
    /// A typical step's length, from those that were recorded.
    private var stepTime = Duration.milliseconds(50)

    private struct PendingStep {
        var step: Int
        var targetBytes: Int
        var end: MonotonicInstant
    }

    /// - Parameters:
    ///   - configuration: The one that is tried; nil for what was recorded, changes on the way included.
    ///   - header: The trace's first line.
    ///   - writesTrace: Whether ``writer`` is filled.
    package init(_ configuration: ManagerConfiguration?, header: TraceHeader, writesTrace: Bool = false) {
        var setup = header.setup
        if let configuration { setup.configuration = configuration }
        followsRecorded = configuration == nil
        decider = Decider(setup)
        if writesTrace { writer = TraceLineWriter() }
    }

    /// Forgets the lines that were written.
    package mutating func dropLines() {
        writer?.drop()
    }

    package mutating func feed(_ event: TraceEvent, at instant: MonotonicInstant) {
        switch event {
        case .trace(var header):
            if followsRecorded { decider.reconfigure(header.configuration) }
            header.source = .trial
            header.version = TraceSchema.version
            header.configuration = decider.setup.configuration
            writer?.append(header, at: instant)
        case .reading(let record): decide(record, at: instant)
        case .notice(let record): feed(record, at: instant)
        case .demand(let record):
            meet(event)
            if outcome.modelBegins == nil { sharedStep = record.step } else { caches.beginMissedStep() }
        case .regrowth, .ladder: meet(event)
        case .run(let record): begin(record)
        case .step(let record): feed(record, at: instant)
        case .lost:
            releases.abandon()
            ended = []
            if writer != nil { write(event, at: instant) }
        case .counts, .process, .scene: if writer != nil { write(event, at: instant) }
        default: break
        }
    }

    private mutating func write(_ event: TraceEvent, at instant: MonotonicInstant) {
        guard var writer else { return }
        self.writer = nil
        event.write(to: &writer, at: instant)
        self.writer = writer
    }

    package mutating func finish() {
        settle()
        outcome.releases = releases.total
    }

    /// Caches begin to be asked, by a run that the trial makes too.
    private mutating func begin(_ record: RunRecord) {
        let isExact = outcome.modelBegins == nil
        switch record.purpose {
        case .step: if isExact || record.step == sharedStep { releases.begin() }
        case .request, .prepare: if isExact { releases.begin() }
        case .raise, .lift, .hold: break
        }
    }

    private mutating func feed(_ record: StepRecord, at instant: MonotonicInstant) {
        guard record.stage == .caches else { return }
        stepTime = record.duration
        if !record.isDryRun { refetches.released(at: instant) }
        if outcome.modelBegins == nil || record.step == sharedStep {
            caches.followedStep()
            ended.append((record.step, record.cameBackBytes))
            writer?.append(record, at: instant)
        } else {
            caches.endMissedStep(promisedBytes: record.promisedBytes)
        }
    }

    // MARK: - Readings

    private mutating func decide(_ record: ReadingRecord, at instant: MonotonicInstant) {
        settle()
        let elapsed = lastInstant?.duration(to: instant).nanoseconds ?? 0
        lastInstant = instant
        count(elapsed)
        caches.note(record.reportedBytes, elapsed, isModel: outcome.modelBegins != nil)
        refetches.note(record, at: instant)
        if outcome.modelBegins != nil {
            if let step = pending, step.end <= instant { end(step) }
            caches.keepToLimit()
        }
        var observation = record.observation(at: instant)
        if outcome.modelBegins != nil { observation = shifted(observation) }
        observation.refetchedBytes = refetches.follow(
            observation.reportedBytes, recordedBytes: record.refetchedBytes, isModel: outcome.modelBegins != nil)
        let victims = observation.victims ?? Decider.Victims()
        observation.victims = nil
        let leaving = observation.leavingNanoseconds
        let decision = decider.decide(&observation, victims: { victims }, timeToLeave: { leaving })
        write(observation, decision)
        releases.look(at: observation.sample(decider.setup.configuration))
        outcome.readings += 1
        if case .changed = decision.outcome { outcome.levelChanges += 1 }
        noteHeadroom(observation.reading)
        if decision.demand != nil { outcome.steps += 1 }
        outcome.purgedBytes &+= decision.demand?.targetBytes ?? 0
        if decision.ladder != nil { outcome.ladderActions += 1 }
        if outcome.modelBegins == nil {
            decision.show(observation.reading, to: &expected)
            expected.events.removeAll { !Self.changesMemory($0) }
        } else {
            begin(decision, at: instant)
        }
    }

    private mutating func write(_ observation: Decider.Observation, _ decision: Decider.Decision) {
        guard var writer else { return }
        self.writer = nil
        let now = observation.reading.instant
        writer.append(ReadingRecord(observation, interval: decision.interval), at: now)
        var records = ExpectedRecords()
        decision.show(observation.reading, to: &records)
        for event in records.events { event.write(to: &writer, at: now) }
        self.writer = writer
    }

    private mutating func count(_ elapsed: Int64) {
        switch decider.level {
        case .normal: break
        case .warning: outcome.warningTime += elapsed
        case .critical: outcome.criticalTime += elapsed
        }
    }

    private mutating func noteHeadroom(_ reading: MemoryReading) {
        guard reading.isLimited, reading.limitBytes > 0 else { return }
        outcome.leastHeadroomPercent = min(
            outcome.leastHeadroomPercent, max(0, reading.headroomBytes) / max(1, reading.limitBytes / 100))
        if reading.headroomBytes <= 0, !isDead { outcome.kills += 1 }
        isDead = reading.headroomBytes <= 0
    }

    /// The reading as it would have been.
    private func shifted(_ observation: Decider.Observation) -> Decider.Observation {
        var shifted = observation.shifted(by: caches.difference)
        shifted.inFlightBytes = pending?.targetBytes ?? 0
        return shifted
    }

    // MARK: - Where the two part

    /// A difference in the level alone changes nothing in memory.
    private static func changesMemory(_ event: TraceEvent) -> Bool {
        switch event {
        case .demand, .regrowth, .ladder: true
        default: false
        }
    }

    /// A recorded decision of those that change memory.
    private mutating func meet(_ event: TraceEvent) {
        guard outcome.modelBegins == nil else { return }
        if let first = expected.events.first, first == event {
            expected.events.removeFirst()
            if case .regrowth(let regrowth) = event { caches.apply(regrowth) }
        } else {
            beginModel()
        }
    }

    /// All that followed from the last reading has been met, or the two part here.
    private mutating func settle() {
        if outcome.modelBegins == nil, !expected.events.isEmpty { beginModel() }
    }

    private mutating func beginModel() {
        let instant = lastInstant ?? MonotonicInstant(nanoseconds: 0)
        outcome.modelBegins = instant
        writer?.append(ModelRecord(), at: instant)
        if sharedStep == nil { releases.abandon() }
        for event in expected.events {
            switch event {
            case .demand(let demand): begin(demand, at: instant)
            case .regrowth(let regrowth): caches.apply(regrowth)
            default: break
            }
        }
        expected.events = []
    }

    // MARK: - The model

    private mutating func begin(_ decision: Decider.Decision, at instant: MonotonicInstant) {
        if let demand = decision.demand { begin(DemandRecord(demand), at: instant) }
        if let regrowth = decision.regrowth {
            caches.apply(RegrowthRecord(regrowth))
            if regrowth.mayLift, !caches.areLimited { decider.handle(.limitsLifted) }
        }
        if let action = decision.ladder { decider.handle(.ladderEnded(action, .gone, at: instant)) }
    }

    private mutating func begin(_ demand: DemandRecord, at instant: MonotonicInstant) {
        releases.begin()
        pending = PendingStep(
            step: demand.step, targetBytes: demand.targetBytes, end: instant.advanced(by: stepTime))
    }

    private mutating func end(_ step: PendingStep) {
        pending = nil
        let given = caches.give(step.targetBytes)
        releases.end(releasedBytes: given)
        var ended = StepRecord()
        ended.step = step.step
        ended.level = decider.level
        ended.targetBytes = step.targetBytes
        ended.promisedBytes = given
        ended.returnedBytes = given
        ended.duration = stepTime
        writer?.append(ended, at: step.end)
        decider.handle(.stepEnded(step.step, promisedBytes: given, at: step.end))
    }

    private mutating func feed(_ record: NoticeRecord, at instant: MonotonicInstant) {
        guard let notice = record.notice(at: instant) else { return }
        settle()
        switch notice {
        case .paused, .held, .supervisorWarns, .regrowthAllowed, .leadTimeMeasured, .hollow, .limitAnnounced:
            decider.handle(notice)
        case .stepEnded(let step, _, _) where outcome.modelBegins == nil || step == sharedStep:
            // A call of the application's may end while the step goes on.
            if step == sharedStep { sharedStep = nil }
            if let place = ended.firstIndex(where: { $0.step == step }) {
                releases.end(releasedBytes: ended.remove(at: place).bytes)
            }
            decider.handle(notice)
        case .answeredLate(let bytes) where outcome.modelBegins != nil: caches.endMissedStep(promisedBytes: bytes)
        case .stepEnded, .answeredLate, .limitsLifted, .ladderEnded:
            // From where the two part on, steps and their ends are the trial's own.
            guard outcome.modelBegins == nil else { return }
            if case .answeredLate(let bytes) = notice { releases.add(releasedBytes: bytes) }
            decider.handle(notice)
        }
    }
}
