import Testing

@testable import MemoryPressure

private let limit = 512 << 20

private func after(_ seconds: Double) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: 1_000_000_000_000 + Int64(seconds * 1e9))
}

/// A look at `seconds`, with that many percent of the limit left, nil where headroom is not known; pages come back all the time.
private func look(
    _ seconds: Double, left percent: Int? = 90, trigger: PressureLevel = .normal, external: PressureLevel = .normal,
    stall: Double? = nil, events: MemoryEventCounters? = nil, refaults: Bool = true, swap: Int = 0,
    cache: Int = 0
) -> PressureGrader.Observation {
    var observation = PressureGrader.Observation(now: after(seconds))
    var reading = MemoryReading()
    reading.instant = after(seconds)
    reading.isLimited = percent != nil
    reading.limitBytes = percent == nil ? 0 : limit
    reading.headroomBytes = percent.map { limit * $0 / 100 } ?? 0
    reading.unreclaimableBytes = reading.limitBytes - reading.headroomBytes
    reading.usageBytes = reading.unreclaimableBytes + cache
    reading.usableSwapBytes = swap
    reading.refaultedPages = refaults ? UInt64(seconds * 10_000) + 10_000 : 0
    reading.stallSomeMicroseconds = stall.map { UInt64($0 * 1e6) }
    reading.events = events
    observation.reading = reading
    observation.triggerGrade = trigger
    observation.externalGrade = external
    return observation
}

private func counters(max: UInt64 = 0, oom: UInt64 = 0, kills: UInt64 = 0) -> MemoryEventCounters {
    var counters = MemoryEventCounters()
    counters.max = max
    counters.oom = oom
    counters.oomKill = kills
    return counters
}

@Suite struct PressureGraderTests {
    struct Story: Sendable, CustomTestStringConvertible {
        var name: String
        var looks: [(PressureGrader.Observation, announced: PressureLevel?)]
        var testDescription: String { name }
    }

    static let stories: [Story] = [
        Story(name: "plenty of room: nothing", looks: [(look(0), nil), (look(1, left: 21), nil), (look(60), nil)]),
        Story(
            name: "room runs short, then shorter, at once; normal 2 s and 5 s after it is back",
            looks: [
                (look(0, left: 19), .warning), (look(0.01, left: 9), .critical), (look(0.02, left: 9), nil),
                (look(1, left: 50), nil), (look(3, left: 50), nil),
                (look(7.99, left: 50), nil), (look(8, left: 50), .normal),
            ]),
        Story(
            name: "a grade counts until room has come back to its exit",
            looks: [
                (look(0, left: 19), .warning), (look(10, left: 24), nil), (look(14, left: 26), nil),
                (look(18.9, left: 24), nil), (look(19, left: 24), .normal),
            ]),
        Story(
            name: "critical goes down to warning where that is what is left",
            looks: [
                (look(0, left: 8), .critical), (look(2, left: 18), nil), (look(3.9, left: 18), nil),
                (look(4, left: 18), .warning), (look(6, left: 60), nil), (look(11, left: 60), .normal),
            ]),
        Story(
            name: "triggers count for two seconds where less than half is left",
            looks: [
                (look(0, left: 45), nil),
                (look(1, left: 45, trigger: .warning), .warning), (look(2, left: 45, trigger: .critical), .critical),
                (look(3.9, left: 45), nil), (look(4, left: 45), nil), (look(6, left: 45), nil),
                (look(10.9, left: 45), nil), (look(11, left: 45), .normal),
            ]),
        Story(
            name: "triggers do not count where no page comes back: somebody writes files",
            looks: [
                (look(0, left: 45, refaults: false), nil),
                (look(1, left: 45, trigger: .critical, refaults: false), nil),
                (look(2, left: 45, trigger: .critical, events: counters(), refaults: false), nil),
                // Touching the limit with hardly any page cache left is evidence, too.
                (look(3, left: 45, trigger: .critical, events: counters(max: 9), refaults: false), .critical),
            ]),
        Story(
            name: "with swap to be used nearness to the limit is a warning, unless tasks wait",
            looks: [
                (look(0, left: 8, swap: 60 << 20), .warning), (look(1, left: 8, swap: 60 << 20), nil),
                (look(2, left: 8, trigger: .warning, swap: 60 << 20), .critical),
                (look(4, left: 8, swap: 60 << 20), nil), (look(6, left: 8, swap: 60 << 20), .warning),
                (look(8, left: 8, swap: 10 << 20), .critical),
            ]),
        Story(
            name: "triggers do not count where half and more is left",
            looks: [(look(0, left: 50, trigger: .critical), nil), (look(1, left: 90, trigger: .warning), nil)]),
        Story(
            name: "triggers are all there is where headroom is not known",
            looks: [
                (look(0, left: nil, trigger: .warning), .warning), (look(2, left: nil), nil),
                (look(7, left: nil), .normal),
            ]),
        Story(
            name: "stall that is read counts by its share of two seconds, until that has come down to its exit",
            looks: [
                (look(0, left: 40, stall: 10), nil), (look(1, left: 40, stall: 10.1), nil),
                (look(2, left: 40, stall: 10.2), .warning), (look(3, left: 40, stall: 10.8), .critical),
                // 20 %, then 5 %.
                (look(5, left: 40, stall: 11.2), nil), (look(7, left: 40, stall: 11.3), nil),
                (look(9, left: 40, stall: 11.4), .warning), (look(15, left: 40, stall: 11.7), nil),
            ]),
        Story(
            name: "stall that is read does not count where half and more is left",
            looks: [(look(0, left: 60, stall: 10), nil), (look(1, left: 60, stall: 11), nil)]),
        Story(
            name: "touching the limit counts where room is short and hardly any page cache is left",
            looks: [
                (look(0, events: counters(max: 3)), nil), (look(1, events: counters(max: 378)), nil),
                (look(2, left: 45, events: counters(max: 900), cache: 60 << 20), nil),
                (look(3, left: 45, events: counters(max: 901)), .warning),
            ]),
        Story(
            name: "what was counted before the first look is nobody's news, a new kill is critical for two seconds",
            looks: [
                (look(0, events: counters(oom: 1, kills: 4)), nil), (look(1, events: counters(oom: 1, kills: 4)), nil),
                (look(2, events: counters(oom: 1, kills: 5), cache: limit / 5 * 4), .critical),
                (look(4, events: nil, cache: limit / 5 * 4), nil), (look(4.1, events: nil), nil),
                (look(6.1, events: nil), nil), (look(11.1, events: nil), .normal),
            ]),
        Story(
            name: "a kill after which most of the limit is not even used by page cache is over",
            looks: [
                (look(0, left: 8, events: counters(kills: 4)), .critical),
                (look(1, left: 90, events: counters(kills: 5)), nil), (look(3.1, left: 90), nil),
                (look(8.1, left: 90), .normal),
            ]),
        Story(
            name: "systemd's word is a warning whatever is left",
            looks: [
                (look(0, left: 90, external: .warning), .warning), (look(1, left: 90), nil),
                (look(5.9, left: 90), nil), (look(6, left: 90), .normal),
            ]),
        Story(
            name:
                "on the way down from critical a warning is announced once something calls for it, and so is a new critical",
            looks: [
                (look(0, left: 8), .critical), (look(1, left: 60), nil), (look(3, left: 60), nil),
                (look(4, left: 18), .warning), (look(5, left: 8), .critical), (look(6, left: 60), nil),
                (look(8, left: 60), nil), (look(9, left: 8), .critical),
            ]),
        Story(
            name: "a level that lasts is announced again after 30 s",
            looks: [
                (look(0, left: 15), .warning), (look(29.9, left: 15), nil), (look(30, left: 15), .warning),
                (look(31, left: 15), nil), (look(60, left: 15), .warning),
            ]),
    ]

    @Test("What is seen leads to what is announced", arguments: stories)
    func story(_ story: Story) {
        var grader = PressureGrader()
        for (index, step) in story.looks.enumerated() {
            #expect(grader.observe(step.0) == step.announced, "look \(index)")
        }
    }

    @Test(
        "Whatever is seen, nobody has been told of less than there is, nor of the same again within 30 s unless it rose to that",
        arguments: 1...20 as ClosedRange<UInt64>)
    func random(seed: UInt64) {
        var state = seed
        func next(_ bound: UInt64) -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (state >> 33) % bound
        }
        var grader = PressureGrader()
        var now = 0.0
        var announced = (level: PressureLevel.normal, at: 0.0)
        var hasFallen = false
        for _ in 0..<2000 {
            now += Double(next(3000)) / 1000
            let level = grader.observe(
                look(now, left: Int(next(100)), trigger: PressureLevel(rawValue: UInt8(next(3))) ?? .normal))
            if let level {
                #expect(level == grader.level)
                #expect(level != announced.level || (level != .normal && (hasFallen || now - announced.at >= 29.999)))
                announced = (level, now)
                hasFallen = false
            }
            #expect(grader.level <= announced.level && (grader.level == .normal) == (announced.level == .normal))
            hasFallen = hasFallen || grader.level < announced.level
        }
    }

    @Test("The shares of stall are those of the triggers")
    func shares() {
        for trigger in [PressureTrigger.warning, .critical] {
            #expect(trigger.stall * 100 == trigger.window * StallGrade.Thresholds().percent(of: trigger.grade))
        }
        #expect(PressureTrigger.warning.stall == .milliseconds(140))
        #expect(PressureTrigger.critical.stall == .milliseconds(600))
    }
}
