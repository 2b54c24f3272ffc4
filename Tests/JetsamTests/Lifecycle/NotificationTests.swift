import JetsamTesting
import MemoryPressure
import Testing

@testable import Jetsam

struct NotificationTests {
    @Test("What happens to the process is told in the order in which it happened, to each observer alike")
    func order() async throws {
        let fixture = try LifecycleFixture()
        let second = LifecycleRecord()
        let observation = fixture.manager.observeLifecycle(second)
        try await fixture.run { fixture in
            var expected: [String] = []
            for number in 1...100 {
                fixture.lifecycle.noteStateStore(available: number.isMultiple(of: 2))
                expected.append("stateStoreBecame \(number.isMultiple(of: 2))")
                fixture.lifecycle.notePause(.seconds(number))
                expected.append("resumed \(Duration.seconds(number))")
            }
            try await fixture.until("all were told") { second.events.count + fixture.record.events.count == 406 }
            #expect(fixture.record.events.dropFirst(3) == expected[...])
            #expect(second.events.dropFirst(3) == expected[...])
        }
        observation.cancel()
    }

    @Test("Changes of state and other news come in one order, whatever their number", arguments: seedBatches)
    func oneOrder(seeds: ClosedRange<UInt64>) async throws {
        for seed in seeds {
            var generator = SeededGenerator(seed: seed)
            let fixture = try LifecycleFixture { $0.backgroundTimeLimit = .seconds(30) }
            let second = LifecycleRecord()
            let observation = fixture.manager.observeLifecycle(second)
            let plan = (0..<40).map { _ in UInt8.random(in: 0..<7, using: &generator) }
            try await fixture.run { fixture in
                let manager = fixture.manager
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for (number, choice) in plan.enumerated() {
                        switch choice {
                        case 0: group.addTask { try await manager.becomeActive() }
                        case 1: group.addTask { try await manager.enterBackground() }
                        case 2: group.addTask { try await manager.resignActive(cause: .operator) }
                        case 3: manager.lifecycle.notePause(.seconds(number))
                        // The zone is another one each time.
                        case 4:
                            fixture.machine.setTimeZone(secondsFromUTC: number + 1)
                            manager.lifecycle.lookAtTime()
                        case 5: manager.beginBackgroundMode("\(number)").end()
                        default: manager.lifecycle.noteWallClockChange(by: .seconds(number))
                        }
                    }
                    try await group.waitForAll()
                }
                // The last one: all before it have been told.
                manager.lifecycle.noteStateStore(available: false)
                await fixture.record.heard("stateStoreBecame false")
                await second.heard("stateStoreBecame false")
            }
            await fixture.record.heard("willTerminate")
            await second.heard("willTerminate")
            #expect(fixture.record.events == second.events, "seed \(seed)")
            #expect(fixture.record.transitions == second.transitions, "seed \(seed)")
            let transitions = fixture.record.transitions
            for (earlier, later) in zip(transitions, transitions.dropFirst()) {
                #expect(earlier.sequence < later.sequence, "seed \(seed)")
                #expect(earlier.to == later.from, "seed \(seed): a gap in the states")
            }
            func count(_ start: String) -> Int { fixture.record.events.count { $0.hasPrefix(start) } }
            #expect(count("resumed") == plan.count { $0 == 3 }, "seed \(seed): one was dropped")
            #expect(count("wallClock") == plan.count { $0 == 6 }, "seed \(seed): one was dropped")
            #expect(count("significantTimeChange wallClock") == plan.count { $0 == 6 }, "seed \(seed)")
            #expect(count("significantTimeChange timeZone") == plan.count { $0 == 4 }, "seed \(seed)")
            observation.cancel()
        }
    }

    @Test("Levels, steps and changes of state share one sequence of numbers")
    func sequence() async throws {
        let fixture = try LifecycleFixture()
        let numbers = Lock<[UInt64]>([])
        try await fixture.run { fixture in
            let manager = fixture.manager
            var levels = manager.levelChanges.makeAsyncIterator()
            var steps = manager.reclaimSteps.makeAsyncIterator()
            try await manager.resignActive()
            manager.simulate(.warning)
            let first = await levels.next(isolation: nil)
            let second = await steps.next()
            try await manager.becomeActive()
            manager.simulate(.normal)
            for transition in fixture.record.transitions { numbers.withLock { $0.append(transition.sequence) } }
            let told = numbers.withLock { $0 }
            try #require(told.count == 3)
            let level = try #require(first?.sequence)
            let step = try #require(second?.sequence)
            #expect(told[0] < told[1] && told[1] < level && level < step && step < told[2])
        }
    }

    @Test("After a pause growth is forgotten, the level is judged at once, and observers hear how long it was")
    func pause() async throws {
        let fixture = try LifecycleFixture()
        try await fixture.run { fixture in
            let machine = fixture.machine
            for number in 0..<60 {
                machine.tree.setUnreclaimable(bytes: (100 + number) * mebibyte)
                machine.advance(by: .milliseconds(200))
            }
            #expect(fixture.manager.governor.growthRate > 0)
            #expect(fixture.manager.level == .normal)
            let before = machine.samplerRuns
            // The clock alone: nothing of the process ran.
            machine.tree.setUnreclaimable(bytes: 505 * mebibyte)
            machine.clock.advance(by: .seconds(60))
            #expect(fixture.manager.level == .normal)
            machine.advance(by: .zero)
            #expect(machine.samplerRuns == before + 1)
            #expect(fixture.manager.level == .critical)
            #expect(fixture.manager.governor.growthRate == 0)
            try await fixture.until("it is told") { fixture.record.events.contains { $0.hasPrefix("resumed") } }
            let gap = try #require(fixture.record.gaps.first)
            #expect(gap >= .seconds(60) && gap <= .seconds(62), "no less than it was, and no more than one turn longer")
            machine.advance(by: .seconds(10))
            #expect(fixture.record.gaps.count == 1)
        }
    }

    @Test("A wall clock that was set is told, forward and back; a pause is no such thing", arguments: [3600, -3600])
    func wallClock(seconds: Int) async throws {
        let fixture = try LifecycleFixture()
        try await fixture.run { fixture in
            fixture.machine.advance(by: .seconds(5))
            fixture.machine.clock.advance(by: .seconds(600))
            fixture.machine.advance(by: .seconds(5))
            fixture.machine.setWallClock(by: .seconds(seconds))
            fixture.machine.advance(by: .seconds(5))
            try await fixture.until("it is told") { fixture.record.events.count == 6 }
            #expect(
                fixture.record.events.suffix(2) == [
                    "wallClockChanged \(Duration.seconds(seconds))", "significantTimeChange wallClock",
                ])
            #expect(fixture.record.gaps.count == 1)
        }
    }

    @Test(
        "An observer whose observation was cancelled hears nothing more, not even what waited for its turn; one whose observation was only dropped goes on",
        arguments: [false, true])
    func letGo(isDropped: Bool) async throws {
        let fixture = try LifecycleFixture()
        let second = LifecycleRecord()
        let observation = Lock<LifecycleObservation?>(fixture.manager.observeLifecycle(second))
        second.hold("stateStoreBecame true")
        try await fixture.run { fixture in
            fixture.lifecycle.noteStateStore(available: true)
            await second.heard("stateStoreBecame true")
            let change = Task { try await fixture.manager.resignActive() }
            await fixture.record.heard("willResignActive")
            if isDropped { Self.drop(observation) } else { observation.withLock { $0 }?.cancel() }
            second.release("stateStoreBecame true")
            try await change.value
            try await fixture.manager.becomeActive()
        }
        // The first is that of the launch.
        #expect(second.events.count { $0 == "didBecomeActive" } == (isDropped ? 2 : 1))
        if !isDropped { #expect(second.events.last == "stateStoreBecame true") }
    }

    /// In a function of its own, so that nothing holds it any longer.
    private static func drop(_ observation: borrowing Lock<LifecycleObservation?>) {
        let last = observation.withLock { observation in
            defer { observation = nil }
            return observation
        }
        _ = last
    }

    @Test("A manager that has run, and whoever observed it, are let go with all that was told")
    func released() async throws {
        weak var lifecycle: ProcessLifecycle?
        weak var observer: LifecycleRecord?
        // In a function of its own, so that nothing holds them any longer.
        func live() async throws {
            let fixture = try LifecycleFixture()
            lifecycle = fixture.lifecycle
            observer = fixture.record
            try await fixture.run { fixture in
                try await fixture.manager.enterBackground()
                fixture.lifecycle.noteStateStore(available: true)
                await fixture.record.heard("stateStoreBecame true")
            }
            await fixture.record.heard("willTerminate")
        }
        try await live()
        for _ in 0..<100_000 where lifecycle != nil || observer != nil { await Task.yield() }
        #expect(lifecycle == nil && observer == nil)
    }
}
