import JetsamTesting
import MemoryPressure
import Testing

@testable import BackgroundTasks
@testable import Jetsam
@testable import JetsamPolicy
@testable import JetsamSimulation
@testable import PurgeableCaches

/// Each invariant is shown what it has to object to, and what it has not.
struct InvariantTests {
    /// A world of 1 GiB with one server that has not begun: its caches are full, and nothing moves but the clock.
    private final class Stage {
        let tree: KernelTree
        let world: World
        let server: SimulatedServer

        init(isDryRun: Bool = false, budget: Int? = nil, high: Int? = nil) throws {
            tree = try KernelTree.v2(limit: 1 << 30)
            var configuration = ManagerConfiguration()
            configuration.isDryRun = isDryRun
            configuration.ladder.takesScenes = true
            configuration.footprint = budget.map { ManagerConfiguration.FootprintRule(budgetBytes: $0 * mebibyte) }
            var plan = WorldPlan(seed: 1, duration: 1)
            plan.limitBytes = 1 << 30
            plan.highBytes = high.map { $0 * mebibyte }
            world = try World(plan, tree: tree)
            let caches = [("low", ResourcePriority.low), ("high", .high)].map { name, priority in
                SimulatedCache.Plan(
                    name: name, priority: priority, wantedBytes: 200 * mebibyte, growthRate: 200_000_000,
                    releaseRate: 4_000_000_000, latency: 0)
            }
            server = try world.place(
                SimulatedServer.Plan(
                    name: "server", baseBytes: 100 * mebibyte, caches: caches, sceneCount: 0, sceneBytes: 0,
                    retainedShare: 0, hasCheapAllocator: true, hasLastResort: true, configuration: configuration,
                    seed: 1))
            server.move(by: 2_000_000_000)
            world.recount()
        }

        deinit {
            world.dismantle()
            tree.remove()
        }

        var low: SimulatedCache { server.caches[0] }
        var high: SimulatedCache { server.caches[1] }

        func pass(_ seconds: Double) {
            world.conductor.clock.advance(by: .nanoseconds(Int64(seconds * 1e9)))
        }

        /// Lets others take so much that this is left.
        func leave(headroom bytes: Int) {
            world.cgroup.neighbourBytes = world.cgroup.limitBytes - world.cgroup.serverBytes - bytes
        }

        func note(_ events: WorldEvent...) {
            for event in events { world.note(event, server) }
        }

        func work(_ number: Int = 1, _ priority: ResourcePriority = .normal, dueIn seconds: Int64?)
            -> SimulatedTasks.Work
        {
            let now = world.now
            return SimulatedTasks.Work(
                number, priority, bytes: 0, began: now, due: seconds.map { now + $0 * 1_000_000_000 })
        }

        var violated: [InvariantName] { world.record.violations.map(\.invariant) }
    }

    @Test(
        "A kill counts where the caches would have given enough in the time that there was, and not where they would not"
    )
    func survival() throws {
        let late = try Stage()
        late.leave(headroom: -mebibyte)
        late.world.afterMove()
        #expect(late.violated.isEmpty && late.world.record.killed == 1)
        let early = try Stage()
        early.leave(headroom: 100 * mebibyte)
        early.world.afterMove()
        early.pass(1)
        early.leave(headroom: -mebibyte)
        early.world.afterMove()
        #expect(early.violated == [.survival] && early.world.record.killed == 1)
    }

    @Test("A kill that caches could only have put off does not count")
    func putOff() throws {
        for (mebibytes, expected) in [(100, [InvariantName.survival]), (2000, [])] {
            let stage = try Stage()
            stage.leave(headroom: 100 * mebibyte)
            stage.world.afterMove()
            stage.pass(1)
            stage.world.disturbances = [
                Disturbance(
                    kind: .ramp500, begin: stage.world.now, end: stage.world.now + 60_000_000_000,
                    bytes: mebibytes * mebibyte)
            ]
            stage.world.active = [0]
            stage.leave(headroom: -mebibyte)
            stage.world.afterMove()
            #expect(stage.violated == expected, "what goes on to come is \(mebibytes) MiB")
        }
    }

    @Test("An episode may release a quarter more than it needs, five points of the limit and 16 MiB")
    func need() throws {
        let stage = try Stage()
        var figures = ReleaseAccount.Figures()
        figures.neededBytes = 100 * mebibyte
        figures.releasedBytes = 125 * mebibyte + (1 << 30) / 20 + 16 * mebibyte
        stage.world.ended(figures, stage.server)
        #expect(stage.violated.isEmpty)
        figures.releasedBytes += 1
        stage.world.ended(figures, stage.server)
        #expect(stage.violated == [.need])
    }

    @Test(
        "For a level that somebody holds half of what caches had may be released, and in the next episode nothing more")
    func needOfHeldLevel() throws {
        let stage = try Stage()
        stage.world.heldUntil = stage.world.now + 60_000_000_000
        stage.note(.gave(stage.low, bytes: 0))
        stage.world.heldUntil = .min
        var figures = ReleaseAccount.Figures()
        // Both have 200 MiB.
        figures.releasedBytes = 200 * mebibyte + (1 << 30) / 20 + 16 * mebibyte
        stage.world.ended(figures, stage.server)
        #expect(stage.violated.isEmpty)
        stage.world.ended(figures, stage.server)
        #expect(stage.violated == [.need])
    }

    @Test("A higher band may be asked only in a step that asks the lower ones for what they have left")
    func order() throws {
        let stage = try Stage()
        stage.note(.asked(stage.low, bytes: 1, level: .warning), .step(.made()))
        #expect(stage.violated.isEmpty)
        stage.note(.asked(stage.high, bytes: 1, level: .warning))
        #expect(stage.violated.isEmpty, "the step may ask the lower one yet")
        stage.note(.step(.made()))
        #expect(stage.violated == [.order])
        stage.low.manner = .throwing
        stage.note(.asked(stage.high, bytes: 1, level: .warning), .step(.made()))
        #expect(stage.violated == [.order])
    }

    @Test("Tasks expire early only in an emergency, and a dry run takes nothing")
    func gates() throws {
        let stage = try Stage()
        stage.leave(headroom: 50 * mebibyte)
        stage.note(.taskExpired(stage.work(dueIn: nil)))
        #expect(stage.violated.isEmpty)
        stage.leave(headroom: 500 * mebibyte)
        stage.note(.taskExpired(stage.work(dueIn: nil)))
        #expect(stage.violated == [.gates, .expiry])
        let dry = try Stage(isDryRun: true)
        dry.note(
            .asked(dry.low, bytes: 1, level: .critical), .limited(dry.low, bytes: 0), .limited(dry.low, bytes: nil))
        #expect(dry.violated == [.gates, .gates])
    }

    @Test(
        "A cache that wants more and gets no more for a minute counts where there is room, and not where there is none")
    func regrowth() throws {
        for (headroom, expected) in [(310, [InvariantName.regrowth]), (300, [])] {
            let stage = try Stage()
            stage.low.appetite = 2
            stage.leave(headroom: headroom * mebibyte)
            for _ in 0..<3 {
                stage.note(.look)
                stage.pass(31)
            }
            #expect(stage.violated == expected)
        }
        let thrashing = try Stage()
        thrashing.low.appetite = 2
        thrashing.leave(headroom: 310 * mebibyte)
        thrashing.world.cgroup.hotFileBytes = 400 * mebibyte
        for _ in 0..<3 {
            thrashing.note(.look)
            thrashing.pass(31)
        }
        #expect(thrashing.violated.isEmpty, "files need that room")
    }

    @Test("Twenty steps a second are allowed, one more is not")
    func pace() throws {
        let stage = try Stage()
        for count in 1...21 {
            stage.note(.step(.made(targetBytes: 1)))
            #expect(stage.violated == (count <= 20 ? [] : [.pace]))
            stage.pass(0.04)
        }
    }

    @Test("Five steps a second may ask for nothing, one more may not")
    func emptySteps() throws {
        let stage = try Stage()
        for count in 1...6 {
            stage.note(.step(.made()), .step(.made(targetBytes: 1)))
            #expect(stage.violated == (count <= 5 ? [] : [.pace]))
            stage.pass(0.1)
        }
    }

    @Test(
        "Five seconds beyond a budget or memory.high count once where caches have enough, and not where there is room",
        arguments: [(480, nil), (nil, 480), (520, nil), (nil, 520)] as [(Int?, Int?)])
    func softLimit(budget: Int?, high: Int?) throws {
        // The process has 500 MiB.
        let stage = try Stage(budget: budget, high: high)
        for look in 0..<22 {
            stage.note(.look)
            let isBeyond = budget ?? high ?? 0 < 500
            #expect(stage.violated == (isBeyond && look >= 20 ? [.softLimit] : []), "look \(look)")
            stage.pass(0.25)
        }
    }

    @Test("A level that stays up for twenty seconds with plenty of room counts once")
    func normal() throws {
        let stage = try Stage()
        stage.server.manager.simulate(.warning)
        for second in 0...40 {
            stage.pass(1)
            stage.note(.look)
            #expect(stage.violated == (second < 20 ? [] : [.normal]))
        }
    }

    @Test("While others grow towards the limit a level may stay up")
    func normalWhileOthersGrow() throws {
        let stage = try Stage()
        stage.server.manager.simulate(.warning)
        for second in 0...25 {
            stage.pass(1)
            // Less is left each second, and always enough for a level to be normal.
            stage.leave(headroom: (600 - 10 * second) * mebibyte)
            for _ in 0..<4 { stage.note(.look) }
        }
        #expect(stage.violated == [.normal], "so slowly that it does not matter")
        let fast = try Stage()
        fast.server.manager.simulate(.warning)
        for second in 0...120 {
            fast.pass(0.25)
            fast.leave(headroom: (600 - 30 * (second % 8)) * mebibyte)
            fast.note(.look)
        }
        #expect(fast.violated.isEmpty)
    }

    @Test("A task that expires before its time, twice, after its end or never counts")
    func expiry() throws {
        let stage = try Stage()
        let work = stage.work(dueIn: 10)
        stage.pass(9.5)
        work.expire()
        stage.note(.taskExpired(work))
        #expect(stage.violated.isEmpty)
        work.expire()
        stage.note(.taskExpired(work))
        #expect(stage.violated == [.expiry])
        let lost = try Stage()
        lost.server.tasks?.hold(lost.work(dueIn: 10))
        lost.pass(10.9)
        lost.note(.look)
        #expect(lost.violated.isEmpty)
        lost.pass(0.2)
        lost.note(.look, .look, .left)
        #expect(lost.violated == [.expiry])
    }

    @Test(
        "A byte that a cache answered to have given and that the ledger does not have counts, and so does one too many in a step"
    )
    func ledger() throws {
        let stage = try Stage()
        stage.note(.look)
        #expect(stage.violated.isEmpty)
        stage.low.forgiveLedger(1)
        stage.pass(10)
        stage.note(.look)
        #expect(stage.violated == [.ledger])
        var step = ReclaimStep.made()
        step.promisedBytes = 1
        stage.note(.step(step))
        #expect(stage.violated == [.ledger, .ledger])
    }

    @Test("The last resort counts where it comes without an emergency, while caches are full, and a second time")
    func lastResort() throws {
        let stage = try Stage()
        let reason = LevelReason(rule: .headroom, observed: 0, threshold: 0, unit: .none, cause: .sampler)
        stage.low.manner = .throwing
        stage.high.manner = .throwing
        stage.leave(headroom: 50 * mebibyte)
        stage.note(.lastResort(reason))
        #expect(stage.violated.isEmpty)
        stage.note(.lastResort(reason))
        #expect(stage.violated == [.lastResort])
        stage.low.manner = .honest
        stage.leave(headroom: 500 * mebibyte)
        stage.note(.lastResort(reason))
        // Again, and with room and caches to spare.
        #expect(stage.violated == [.lastResort, .lastResort, .lastResort])
        stage.leave(headroom: 50 * mebibyte)
        stage.note(.lastResort(reason))
        // Again, and with caches that have something left.
        #expect(stage.violated.count == 5)
    }
}

extension ReclaimStep {
    /// A step that did nothing.
    fileprivate static func made(targetBytes: Int = 0) -> ReclaimStep {
        let reason = LevelReason(rule: .headroom, observed: 0, threshold: 0, unit: .none, cause: .sampler)
        return ReclaimStep(
            sequence: 1, step: 1, level: .warning, reason: reason, missingBytes: 0, targetBytes: targetBytes,
            promisedBytes: 0,
            freedBytes: nil, returnedBytes: 0, isDisturbed: false, didTrim: false,
            headroomBefore: 0, headroomAfter: 0,
            timeToFirstRelease: nil, duration: .zero, parts: [])
    }
}
