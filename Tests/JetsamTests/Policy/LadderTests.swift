import MemoryPressure
import Testing

@testable import BackgroundTasks
@testable import Jetsam
@testable import JetsamPolicy

struct LadderTests {
    private func configuration(scenes: Bool = true, tasks: Bool = true) -> ManagerConfiguration {
        var configuration = ManagerConfiguration()
        configuration.ladder.takesScenes = scenes
        configuration.ladder.expiresBackgroundTasks = tasks
        return configuration
    }

    private func context(
        at seconds: Double = 100, level: PressureLevel = .critical, headroom: Bool = true, oom: Bool = false,
        nothingLeftSince: Double? = 99, milliseconds: Int? = nil, held: Int = 100, scenes: Int = 3
    ) -> LadderContext {
        LadderContext(
            now: .seconds(seconds), level: level,
            emergency: Emergency(isHeadroomCritical: headroom, isOutOfMemory: oom),
            nothingLeftSince: nothingLeftSince.map { .seconds($0) }, millisecondsToLimit: milliseconds,
            heldBackgroundTasks: held, scenes: scenes)
    }

    @Test("No stage is entered without an emergency, at a lower level, or while caches have something left")
    func gates() {
        var ladder = LadderMachine(configuration: configuration(), hasLastResort: true)
        #expect(ladder.next(context(level: .warning)) == nil)
        #expect(ladder.next(context(headroom: false)) == nil)
        #expect(ladder.next(context(nothingLeftSince: nil)) == nil)
        #expect(ladder.next(context(headroom: false, nothingLeftSince: 0, milliseconds: 1)) == nil)
        #expect(ladder.next(context(headroom: false, oom: true)) == .expireBackgroundTasks(atMost: 8))
    }

    @Test("Background tasks go in batches that double, then scenes one at a time, then the last resort")
    func order() {
        var ladder = LadderMachine(configuration: configuration(), hasLastResort: true)
        for batch in [8, 16, 32] {
            #expect(ladder.next(context()) == .expireBackgroundTasks(atMost: batch))
            #expect(ladder.next(context()) == nil, "the batch before is not gone")
            ladder.ended(.expireBackgroundTasks(atMost: batch), .gone, at: .seconds(100))
        }
        #expect(ladder.next(context()) == .expireBackgroundTasks(atMost: 64))
        ladder.ended(.expireBackgroundTasks(atMost: 64), .nobody, at: .seconds(100))
        for _ in 0..<2 {
            #expect(ladder.next(context()) == .loseScene)
            #expect(ladder.next(context()) == nil)
            ladder.ended(.loseScene, .timedOut, at: .seconds(100))
        }
        #expect(ladder.next(context()) == .loseScene)
        ladder.ended(.loseScene, .nobody, at: .seconds(100))
        #expect(ladder.next(context()) == nil, "there is time")
        #expect(ladder.next(context(milliseconds: 1500)) == .lastResort)
        #expect(ladder.next(context(milliseconds: 1)) == nil, "once only")
    }

    @Test("Near the limit the last resort does not wait for whoever was told to go; after an oom it does")
    func lastResortDoesNotWait() {
        var ladder = LadderMachine(configuration: configuration(), hasLastResort: true)
        #expect(ladder.next(context()) == .expireBackgroundTasks(atMost: 8))
        #expect(ladder.next(context(milliseconds: 2000)) == nil)
        #expect(ladder.next(context(oom: true, milliseconds: 2000)) == nil)
        #expect(ladder.next(context(milliseconds: 1999)) == .lastResort)
        #expect(ladder.outstanding == .expireBackgroundTasks(atMost: 8))
    }

    @Test("An emergency that is not this process's takes nothing")
    func notOurs() {
        var ladder = LadderMachine(configuration: configuration(), hasLastResort: true)
        var others = context(oom: true, milliseconds: 1)
        others.emergency.isOurs = false
        #expect(ladder.next(others) == nil)
    }

    @Test("Where nobody was there to take, somebody may be there five seconds later", arguments: [true, false])
    func again(scenes: Bool) {
        var ladder = LadderMachine(configuration: configuration(tasks: !scenes), hasLastResort: false)
        let action = scenes ? LadderMachine.Action.loseScene : .expireBackgroundTasks(atMost: 8)
        #expect(ladder.next(context(scenes: scenes ? 3 : 0)) == action)
        ladder.ended(action, .nobody, at: .seconds(101))
        #expect(ladder.next(context(at: 105.9, scenes: scenes ? 3 : 0)) == nil)
        #expect(ladder.next(context(at: 106, scenes: scenes ? 3 : 0)) == action)
        ladder.ended(action, .nobody, at: .seconds(106))
        #expect(ladder.next(context(at: 106.1, level: .warning)) == nil)
        #expect(ladder.next(context(at: 106.2, scenes: scenes ? 3 : 0)) == action, "another episode")
    }

    @Test("Stages that are off are passed over")
    func stagesOff() {
        var ladder = LadderMachine(configuration: configuration(scenes: false, tasks: false), hasLastResort: false)
        #expect(ladder.next(context(at: 1000, oom: true, milliseconds: 1)) == nil)
        ladder = LadderMachine(configuration: ManagerConfiguration(), hasLastResort: false)
        #expect(ladder.next(context(held: 0)) == nil, "scenes are off unless configured")
    }

    @Test("Critical for too long with nothing left in the caches leads to the last resort even past a hung victim")
    func boundedDegradation() {
        var ladder = LadderMachine(configuration: configuration(), hasLastResort: true)
        #expect(ladder.next(context()) == .expireBackgroundTasks(atMost: 8))
        for time in 101...159 { #expect(ladder.next(context(at: Double(time))) == nil) }
        #expect(ladder.next(context(at: 159.9)) == nil)
        #expect(ladder.next(context(at: 160)) == .lastResort)
    }

    @Test("The time is counted from the first emergency: critical by another rule before that is not part of it")
    func degradedByAnotherRule() {
        var ladder = LadderMachine(configuration: configuration(), hasLastResort: true)
        for time in stride(from: 100.0, to: 4000, by: 10) {
            #expect(ladder.next(context(at: time, headroom: false)) == nil)
        }
        #expect(ladder.next(context(at: 4000)) == .expireBackgroundTasks(atMost: 8), "not the last resort")
        for time in 4001...4059 { #expect(ladder.next(context(at: Double(time))) == nil) }
        #expect(ladder.next(context(at: 4060)) == .lastResort)
    }

    @Test("Two short emergencies far from each other are not one long one")
    func dips() {
        var ladder = LadderMachine(configuration: configuration(), hasLastResort: true)
        #expect(ladder.next(context(at: 100)) == .expireBackgroundTasks(atMost: 8))
        for time in 101..<170 { #expect(ladder.next(context(at: Double(time), headroom: false)) == nil) }
        #expect(ladder.next(context(at: 170)) == nil)
    }

    @Test("A last resort that the re-read called off may come again; one that was called may not")
    func abandoned() {
        var ladder = LadderMachine(configuration: configuration(), hasLastResort: true)
        let end = context(milliseconds: 1, held: 0, scenes: 0)
        #expect(ladder.next(end) == .lastResort)
        ladder.ended(.lastResort, .abandoned, at: .seconds(100))
        #expect(ladder.next(end) == .lastResort)
        ladder.ended(.lastResort, .gone, at: .seconds(100))
        #expect(ladder.next(end) == nil)
    }

    @Test("A last resort that waits keeps no other order from being carried out, nor that it")
    func mail() {
        let channel = ReclaimChannel()
        func order(_ action: LadderMachine.Action) -> LadderOrder {
            LadderOrder(
                action: action, level: .critical,
                reason: LevelReason(rule: .headroom, observed: 0, threshold: 0, unit: .bytes, cause: .sampler),
                decidedAt: MonotonicInstant(nanoseconds: 0))
        }
        channel.post(order(.loseScene))
        channel.post(order(.lastResort))
        var mail = channel.collectMail()
        #expect(mail.ladder?.action == .loseScene && mail.lastResort?.action == .lastResort)
        channel.post(order(.lastResort))
        channel.post(order(.loseScene))
        mail = channel.collectMail()
        #expect(mail.ladder?.action == .loseScene && mail.lastResort?.action == .lastResort)
        #expect(channel.isEmpty)
    }

    @Test("Whatever comes, no gate is passed, no second victim is chosen, no stage is skipped", arguments: seedBatches)
    func randomly(seeds: ClosedRange<UInt64>) {
        for seed in seeds { walk(seed) }
    }

    private func walk(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let configuration = configuration(scenes: .random(using: &random), tasks: .random(using: &random))
        let hasLastResort = Bool.random(using: &random)
        var ladder = LadderMachine(configuration: configuration, hasLastResort: hasLastResort)
        var outstanding: LadderMachine.Action?
        var called = 0
        var time = 0.0
        var exhausted: [ReclaimStage: Double] = [:]
        var degraded: Double?
        var lastEmergency: Double?
        for _ in 0..<300 {
            time += Double.random(in: 0...2, using: &random)
            let since =
                Int.random(in: 0..<4, using: &random) > 0 ? max(0, time - .random(in: 0...70, using: &random)) : nil
            let context = context(
                at: time, level: Int.random(in: 0..<6, using: &random) > 0 ? .critical : .warning,
                headroom: .random(using: &random), oom: Int.random(in: 0..<8, using: &random) == 0,
                nothingLeftSince: since,
                milliseconds: Bool.random(using: &random) ? .random(in: 0...5000, using: &random) : nil,
                held: .random(in: 0...2, using: &random), scenes: .random(in: 0...2, using: &random))
            if context.level < .critical { exhausted = [:] }
            // In the ladder's own arithmetic: a margin on either side would be wrong within it.
            exhausted = exhausted.filter {
                MonotonicInstant.seconds($0.value).duration(to: .seconds(time)) < LadderMachine.rest
            }
            if context.level < .critical || since == nil {
                degraded = nil
            } else if context.emergency.isPresent {
                if let last = lastEmergency, time - last > 10 { degraded = nil }
                degraded = degraded ?? time
                lastEmergency = time
            }
            let lasted = degraded.map { time - $0 >= 59.999 } ?? false
            if let action = ladder.next(context) {
                #expect(context.level == .critical && context.emergency.isPresent && since != nil, "seed \(seed)")
                switch action {
                case .expireBackgroundTasks(let most):
                    #expect(outstanding == nil && configuration.ladder.expiresBackgroundTasks, "seed \(seed)")
                    #expect(
                        most >= 8 && context.heldBackgroundTasks > 0 && exhausted[.backgroundTasks] == nil,
                        "seed \(seed)")
                    outstanding = action
                case .loseScene:
                    #expect(outstanding == nil && configuration.ladder.takesScenes, "seed \(seed)")
                    let tasksLeft =
                        configuration.ladder.expiresBackgroundTasks && context.heldBackgroundTasks > 0
                        && exhausted[.backgroundTasks] == nil
                    #expect(!tasksLeft && context.scenes > 0 && exhausted[.scenes] == nil, "seed \(seed)")
                    outstanding = action
                case .lastResort:
                    called += 1
                    #expect(hasLastResort && called == 1, "seed \(seed)")
                    let isUrgent = (context.millisecondsToLimit ?? .max) < 2000 || context.emergency.isOutOfMemory
                    let isNear = (context.millisecondsToLimit ?? .max) < 2000
                    #expect(lasted || isNear || (outstanding == nil && isUrgent), "seed \(seed)")
                }
            }
            if let action = outstanding, Bool.random(using: &random) {
                let outcome = [LadderMachine.Outcome.gone, .nobody, .timedOut, .abandoned].randomElement(
                    using: &random)!
                ladder.ended(action, outcome, at: .seconds(time))
                if case .nobody = outcome { exhausted[action == .loseScene ? .scenes : .backgroundTasks] = time }
                outstanding = nil
            }
        }
    }
}
