import MemoryPressure
import Testing

@testable import BackgroundTasks
@testable import Jetsam
@testable import JetsamPolicy

struct SoftLimitTests {
    private let rule = ManagerConfiguration.FootprintRule(budgetBytes: 500 * mebibyte)

    /// A process of `footprint` MiB on a large machine without a limit.
    private func view(footprint: Int) throws -> (budget: SoftLimit, machine: MemoryReading) {
        var machine = reading(headroom: 22 << 30, limit: 24 << 30)
        machine.footprintBytes = footprint * mebibyte
        var configuration = ManagerConfiguration()
        configuration.footprint = rule
        return (try #require(SoftLimit.budget(machine, configuration)), machine)
    }

    @Test("What is left of the budget is its headroom, never less than nothing")
    func headroom() throws {
        #expect(try view(footprint: 380).budget.reading.headroomBytes == 120 * mebibyte)
        #expect(try view(footprint: 600).budget.reading.headroomBytes == 0)
    }

    @Test("Its thresholds are where the footprint rule votes")
    func thresholds() throws {
        let thresholds = try view(footprint: 0).budget.thresholds
        #expect(thresholds.warningEntry == 100 * mebibyte)
        #expect(thresholds.warningExit == 125 * mebibyte)
        #expect(thresholds.criticalEntry == 40 * mebibyte)
        #expect(thresholds.criticalExit == 65 * mebibyte)
    }

    @Test("The sampler does not sleep past a budget that is near, however much memory the machine has")
    func pace() throws {
        let (budget, machine) = try view(footprint: 380)
        let pace = SamplingPace(configuration: .init())
        let byMachine = pace.interval(
            after: machine, thresholds: HeadroomThresholds(limitBytes: machine.limitBytes, rule: .init()),
            level: .normal, isCoveredByKernel: false)
        let byBudget = pace.interval(
            after: budget.reading, thresholds: budget.thresholds, level: .normal, isCoveredByKernel: false)
        #expect(byMachine == .seconds(2))
        #expect(byBudget < .milliseconds(30))
    }

    @Test("For a small budget that is nearly used no more than fifty readings are taken in a second")
    func paceOfSmallBudget() {
        var configuration = ManagerConfiguration()
        configuration.footprint = ManagerConfiguration.FootprintRule(budgetBytes: 64 * mebibyte)
        var decider = Decider(Decider.Setup(configuration: configuration))
        for step in 1...10 {
            #expect(decide(&decider, managed: 40, at: Double(step) / 10).interval == .milliseconds(20))
        }
    }

    @Test("Limits do not rise towards the budget's warning")
    func regrowth() throws {
        let (budget, _) = try view(footprint: 396)
        var regrowth = Regrowth(configuration: .init())
        let decision = regrowth.next(
            reading: budget.reading, thresholds: budget.thresholds, level: .normal, growthRate: 0)
        #expect(decision == nil)
    }

    /// Decides on a process whose caches hold `managed` MiB, on a machine where others hold `others` MiB.
    private func decide(
        _ decider: inout Decider, managed: Double, others: Double = 500, at seconds: Double
    ) -> Decider.Decision {
        var observation = Decider.Observation()
        var machine = reading(
            headroom: (23 << 30) - Int((others + managed) * Double(mebibyte)), limit: 24 << 30, at: seconds)
        machine.isLimited = false
        machine.footprintBytes = Int((10 + managed) * Double(mebibyte))
        observation.reading = machine
        observation.reportedBytes = Int(managed * Double(mebibyte))
        return decider.decide(&observation, victims: { Decider.Victims() })
    }

    private var decider: Decider {
        var configuration = ManagerConfiguration()
        configuration.footprint = rule
        return Decider(Decider.Setup(configuration: configuration))
    }

    @Test("A budget that is less than what critical keeps free of the machine lets caches grow to its own warning")
    func growsOnLargeMachine() throws {
        var decider = decider
        var held: Double?
        for step in 0...800 {
            let managed = Double(step) / 2
            guard decide(&decider, managed: managed, at: Double(step) / 50).holdBytes != nil else { continue }
            held = managed
            break
        }
        // Warning begins at 400 MiB of the footprint, and ends at 375.
        #expect((300...370).contains(try #require(held)))
    }

    @Test("Caches grow to the budget where nothing else is known of the memory")
    func growsWhereOnlyBudgetIsKnown() {
        var decider = decider
        for step in 0...200 {
            var observation = Decider.Observation()
            observation.reading = reading(headroom: 0, limit: 0, at: Double(step) / 50, footprint: step * mebibyte)
            observation.reportedBytes = step * mebibyte
            #expect(decider.decide(&observation, victims: { Decider.Victims() }).holdBytes == nil, "\(step) MiB")
        }
    }

    @Test("Limits under a budget rise beside others on the machine that take memory and give it back")
    func growsBesideOthers() {
        func rise(_ taken: Double) -> Int {
            var decider = decider
            decider.handle(.limitAnnounced(AnnouncedLimit(bytes: 30 << 30, until: .seconds(1))))
            var bytes = 0
            for step in 1...600 {
                let seconds = Double(step) / 20
                let others = 500 + (seconds.truncatingRemainder(dividingBy: 4) < 2 ? taken : 0)
                bytes += decide(&decider, managed: 200, others: others, at: seconds).regrowth?.bytes ?? 0
            }
            return bytes
        }
        #expect(rise(0) > 100 * mebibyte)
        #expect(rise(4000) == rise(0))
    }

    @Test("Limits rise by the room in the budget, also where a smaller share of the machine's memory is left")
    func growsByBudgetOnBusyMachine() {
        func rise(others: Double) -> Int {
            var decider = decider
            decider.handle(.limitAnnounced(AnnouncedLimit(bytes: 30 << 30, until: .seconds(1))))
            var most = 0
            for step in 1...200 {
                let decision = decide(&decider, managed: 100, others: others, at: Double(step) / 20)
                most = max(most, decision.regrowth?.bytes ?? 0)
            }
            return most
        }
        #expect((1...30 * mebibyte).contains(rise(others: 500)))
        #expect(rise(others: 18_000) == rise(others: 500))
    }

    @Test("Memory of the process's own that comes and goes is kept free in a budget")
    func keepsRoomForOwn() {
        func rise(_ taken: Double) -> Int? {
            var decider = decider
            decider.handle(.limitAnnounced(AnnouncedLimit(bytes: 30 << 30, until: .seconds(1))))
            var bytes: Int?
            for step in 1...600 {
                let seconds = Double(step) / 20
                var observation = Decider.Observation()
                observation.reading = reading(headroom: 22 << 30, limit: 24 << 30, at: seconds)
                let own = seconds.truncatingRemainder(dividingBy: 8) < 4 ? taken : 0
                observation.reading.footprintBytes = Int((110 + own) * Double(mebibyte))
                observation.reportedBytes = 100 * mebibyte
                let decision = decider.decide(&observation, victims: { Decider.Victims() })
                if own == 0, let regrowth = decision.regrowth { bytes = regrowth.bytes }
            }
            return bytes
        }
        let calm = rise(0) ?? 0
        let wild = rise(100) ?? 0
        #expect(calm > 0)
        #expect(calm - wild > 3 * mebibyte)
    }

    /// Decides on a process of 10 MiB and its caches in a cgroup with a `memory.high` of 500 MiB and no limit, on a machine where
    /// others hold `others` MiB.
    private func decideUnderHigh(
        _ decider: inout Decider, managed: Double, others: Double = 500, at seconds: Double
    ) -> Decider.Decision {
        var observation = Decider.Observation()
        observation.reading = reading(
            headroom: (23 << 30) - Int((others + managed) * Double(mebibyte)), limit: 24 << 30, at: seconds,
            footprint: Int((10 + managed) * Double(mebibyte)))
        observation.reading.isLimited = false
        observation.reading.highBytes = 500 * mebibyte
        observation.reading.distanceToHighBytes = Int((490 - managed) * Double(mebibyte))
        observation.reportedBytes = Int(managed * Double(mebibyte))
        return decider.decide(&observation, victims: { Decider.Victims() })
    }

    @Test("Caches stop before memory.high makes a warning, and the sampler does not sleep past it")
    func growsTowardsHigh() throws {
        var decider = Decider(Decider.Setup())
        var held: Double?
        for step in 0...900 {
            let managed = Double(step) / 2
            let decision = decideUnderHigh(&decider, managed: managed, at: Double(step) / 50)
            if managed > 300 { #expect(decision.interval <= .milliseconds(65), "\(managed) MiB") }
            guard decision.holdBytes != nil else { continue }
            held = managed
            break
        }
        // Warning begins at 475 MiB in the cgroup, and ends at 450.
        #expect((400...440).contains(try #require(held)))
    }

    @Test(
        "Limits under memory.high rise up to where its warning begins, whatever others on the machine take and give back"
    )
    func regrowthUnderHigh() {
        func rise(managed: Double, taken: Double) -> Int {
            var decider = Decider(Decider.Setup())
            decider.handle(.limitAnnounced(AnnouncedLimit(bytes: 30 << 30, until: .seconds(1))))
            var bytes = 0
            for step in 1...600 {
                let seconds = Double(step) / 20
                let others = 500 + (seconds.truncatingRemainder(dividingBy: 4) < 2 ? taken : 0)
                let decision = decideUnderHigh(&decider, managed: managed, others: others, at: seconds)
                bytes += decision.regrowth?.bytes ?? 0
            }
            return bytes
        }
        #expect(rise(managed: 200, taken: 0) > 100 * mebibyte)
        #expect(rise(managed: 200, taken: 4000) == rise(managed: 200, taken: 0))
        #expect(rise(managed: 463, taken: 0) == 0, "27 MiB are left, and at 25 it is a warning")
    }
}
