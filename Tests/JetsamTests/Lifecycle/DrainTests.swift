import JetsamTesting
import MemoryPressure
import ServiceLifecycle
import Testing

@testable import BackgroundTasks
@testable import Jetsam

/// The end of a process in a real service group.
struct DrainTests {
    private let group = GroupRecord()

    @Test("Readiness is false and observers were told before a server hears of the shutdown")
    func gateFirst() async throws {
        let fixture = try LifecycleFixture()
        let seen = Lock<[String]>([])
        let server = FakeService("server", in: group) {
            let manager = fixture.manager
            seen.withLock { $0 = ["\(manager.isReady)", "\(manager.processState)"] + fixture.record.events.suffix(1) }
        }
        fixture.record.on("willResignActive") { [group] in
            #expect(!fixture.manager.isReady)
            #expect(!group.events.contains("server is told"))
        }
        try await fixture.run(servers: [server]) { fixture, group in
            await fixture.record.heard("didBecomeActive")
            #expect(fixture.manager.isReady)
            await group.triggerGracefulShutdown()
        }
        #expect(seen.withLock { $0 } == ["false", "inactive", "willResignActive"])
        #expect(fixture.record.events.suffix(3) == ["willResignActive", "didEnterBackground", "willTerminate"])
        #expect(fixture.record.transitions.map(\.cause) == [.launch, .shutdown, .shutdown, .shutdown])
        #expect(fixture.manager.processState == .notRunning)
    }

    @Test("Servers are told when the drain delay is over, and not before")
    func drainDelay() async throws {
        let fixture = try LifecycleFixture { $0.drainDelay = .seconds(3) }
        let told = Lock<Double?>(nil)
        let server = FakeService("server", in: group) { told.withLock { $0 = fixture.seconds } }
        try await fixture.run(servers: [server]) { fixture, group in
            await fixture.record.heard("didBecomeActive")
            await group.triggerGracefulShutdown()
            await fixture.record.heard("willResignActive")
            try await fixture.until("the gate waits, or does not") {
                fixture.nextDeadline == 3 || told.withLock { $0 != nil }
            }
            fixture.machine.advance(by: .milliseconds(2500))
            #expect(!fixture.manager.isReady && fixture.manager.processState == .inactive)
            fixture.machine.advance(by: .milliseconds(500))
        }
        #expect(told.withLock { $0 } == 3)
    }

    @Test("What background work needs is open until the last task has ended, and the group ends right then")
    func heldTasks() async throws {
        let fixture = try LifecycleFixture()
        let database = FakeService("database", in: group)
        let server = FakeService("server", in: group)
        let (gates, opener) = (Lock<[CheckedContinuation<Void, Never>]>([]), group)
        try await fixture.run(needs: [database], servers: [server]) { fixture, group in
            await fixture.record.heard("didBecomeActive")
            let work = (0..<2).map { number in
                Task {
                    try await fixture.tasks.withBackgroundTask("work") {
                        await withCheckedContinuation { continuation in gates.withLock { $0.append(continuation) } }
                        opener.note("task \(number), database open: \(database.isOpen)")
                    }
                }
            }
            try await fixture.until("both are held") { gates.withLock { $0.count } == 2 }
            await group.triggerGracefulShutdown()
            await fixture.record.heard("didEnterBackground")
            try await fixture.until("it waits for them, or does not") {
                fixture.nextDeadline == 27.95 || !database.isOpen
            }
            #expect(opener.events.contains("server ended") && database.isOpen)
            gates.withLock { $0.removeFirst() }.resume()
            try await fixture.until("one is left") { fixture.tasks.heldCount == 1 }
            #expect(fixture.manager.processState == .background && !fixture.manager.status.process.isReady)
            gates.withLock { $0.removeFirst() }.resume()
            for task in work { try await task.value }
        }
        let events = group.events.filter { !$0.hasSuffix("runs") }
        #expect(events.prefix(2) == ["server is told", "server ended"])
        #expect(Set(events.dropFirst(2).prefix(2)) == ["task 0, database open: true", "task 1, database open: true"])
        #expect(events.dropFirst(4) == ["database is told", "database ended"])
        #expect(fixture.seconds == 0, "nobody had to wait for a deadline")
    }

    @Test("Tasks that never end are told once each, and the process is gone before the grace period is over")
    func neverEnding() async throws {
        let fixture = try LifecycleFixture { $0.terminationGracePeriod = .seconds(10) }
        let database = FakeService("database", in: group)
        let told = Lock<[Double]>([])
        fixture.record.hold("willTerminate")
        try await fixture.run(needs: [database], servers: []) { fixture, group in
            await fixture.record.heard("didBecomeActive")
            for _ in 0..<3 {
                let task = try fixture.tasks.begin("endless") { told.withLock { $0.append(fixture.seconds) } }
                _ = task.intoIdentifier()
            }
            let far = try fixture.tasks.begin("far", expiry: .after(.seconds(3600))) {
                told.withLock { $0.append(fixture.seconds) }
            }
            _ = far.intoIdentifier()
            await group.triggerGracefulShutdown()
            await fixture.record.heard("didEnterBackground")
            #expect(
                fixture.manager.status.process.terminationDeadline
                    == fixture.machine.clock.now.advanced(by: .seconds(10)))
            try await fixture.until("it waits for them") { fixture.nextDeadline == 7.95 }
            fixture.machine.advance(by: .milliseconds(7900))
            #expect(database.isOpen && fixture.manager.processState == .background)
            #expect(!fixture.record.events.contains("willTerminate"))
            // Waiting ends; the last callback hangs.
            fixture.machine.advance(by: .milliseconds(100))
            await fixture.record.heard("willTerminate")
            try await fixture.until("the last callback is waited for") { fixture.nextDeadline == 9 }
            #expect(!fixture.tasks.mayBegin(priority: .high))
            fixture.machine.advance(by: .seconds(1))
        }
        #expect(fixture.seconds == 9)
        // The grace of 2 s is spent after the deadline at 6 s; each is told a lead before that.
        #expect(told.withLock { $0 } == [5.5, 5.5, 5.5, 5.5])
        #expect(fixture.manager.status.process.lateObservers.map(\.callback) == ["willTerminate"])
        let warnings = fixture.logs.warnings.filter {
            $0.hasPrefix("4 background tasks have not ended and are waited for no longer: ")
        }
        #expect(warnings.count == 1)
        #expect(
            fixture.logs.lines.count { $0.text.hasPrefix("4 background tasks expired while the process drained") } == 1)
        #expect(warnings.allSatisfy { $0.contains("endless") && $0.contains("far") && $0.contains("DrainTests.swift") })
        fixture.record.release("willTerminate")
    }

    @Test("A task may begin until shortly before the end of the waiting, and has time to be told")
    func lastToBegin() async throws {
        let fixture = try LifecycleFixture { $0.terminationGracePeriod = .seconds(10) }
        let told = Lock<[Double]>([])
        try await fixture.run(servers: []) { fixture, group in
            await fixture.record.heard("didBecomeActive")
            _ = try fixture.tasks.begin("endless").intoIdentifier()
            await group.triggerGracefulShutdown()
            await fixture.record.heard("didEnterBackground")
            try await fixture.until("it waits for the task") { fixture.nextDeadline == 7.95 }
            fixture.machine.advance(by: .milliseconds(7940))
            _ = try fixture.tasks.begin("last") { told.withLock { $0.append(fixture.seconds) } }.intoIdentifier()
            fixture.machine.advance(by: .milliseconds(10))
            try await fixture.until("nothing begins any more") {
                fixture.nextDeadline == 8 && !fixture.tasks.mayBegin(priority: .high)
            }
            let calls = told.withLock { $0 }
            #expect(calls.count == 1 && calls.allSatisfy { $0 < 7.95 }, "\(calls)")
            fixture.machine.advance(by: .milliseconds(50))
        }
        let left = fixture.logs.warnings.filter {
            $0.hasPrefix("2 background tasks have not ended and are waited for no longer: ")
        }
        #expect(left.count == 1)
    }

    @Test("A handler hears that the process drains, and of no more time than the process waits")
    func timeLeft() async throws {
        // The process waits until 3 s. The deadline is at 2 s, and a grace of 2 s after it would be longer.
        let fixture = try LifecycleFixture { $0.terminationGracePeriod = .seconds(4) }
        let told = Lock<[(reason: BackgroundTaskExpiry.Reason, end: MonotonicInstant?)]>([])
        let start = fixture.machine.clock.now
        try await fixture.run(servers: []) { fixture, group in
            await fixture.record.heard("didBecomeActive")
            let task = try fixture.tasks.begin("work") { reason, timeLeft in
                told.withLock { $0.append((reason, timeLeft.map { fixture.machine.clock.now.advanced(by: $0) })) }
            }.intoIdentifier()
            await group.triggerGracefulShutdown()
            await fixture.record.heard("didEnterBackground")
            try await fixture.until("it waits for the task") { fixture.nextDeadline == 2.96 }
            fixture.machine.advance(by: .milliseconds(1900))
            fixture.tasks.endBackgroundTask(task)
        }
        let calls = told.withLock { $0 }
        #expect(calls.count == 1 && calls.first?.reason == .draining)
        #expect(calls.first?.end == start.advanced(by: .seconds(3)))
    }

    @Test("A task that became overdue long before the end is named when the process ends without it")
    func overdueBefore() async throws {
        let fixture = try LifecycleFixture { $0.terminationGracePeriod = .seconds(10) }
        try await fixture.run(servers: []) { fixture, group in
            await fixture.record.heard("didBecomeActive")
            _ = try fixture.tasks.begin("deaf", expiry: .after(.seconds(5))).intoIdentifier()
            fixture.machine.advance(by: .seconds(5))
            fixture.machine.advance(by: fixture.tasks.overdueGrace + .seconds(1))
            try await fixture.until("it is overdue") { fixture.tasks.statistics.overdueNow == 1 }
            await group.triggerGracefulShutdown()
        }
        let named = fixture.logs.warnings.filter {
            $0.hasPrefix("1 background task has not ended and is waited for no longer: 'deaf'")
        }
        #expect(named.count == 1)
    }

    @Test("A server that does not stop holds up neither entering the background nor the last callback")
    func stuckServer() async throws {
        let fixture = try LifecycleFixture { $0.terminationGracePeriod = .seconds(10) }
        let (spot, events) = (SlowSpot(), group)
        let server = FakeService("server", in: events) { await spot.stay() }
        try await fixture.run(servers: [server]) { fixture, group in
            await fixture.record.heard("didBecomeActive")
            await group.triggerGracefulShutdown()
            try await fixture.until("the server is told") { events.events.contains("server is told") }
            try await fixture.until("the server has some time") { fixture.nextDeadline == 3 }
            fixture.machine.advance(by: .milliseconds(2900))
            for _ in 0..<20 { await Task.yield() }
            #expect(!fixture.record.events.contains("didEnterBackground"))
            fixture.machine.advance(by: .milliseconds(100))
            await fixture.record.heard("didEnterBackground")
            try await fixture.until("the server is waited for") { fixture.nextDeadline == 7.95 }
            #expect(fixture.manager.processState == .background && !fixture.record.events.contains("willTerminate"))
            fixture.machine.advance(by: .seconds(5))
            await fixture.record.heard("willTerminate")
            #expect(events.events.last == "server is told")
            spot.open()
        }
        #expect(fixture.seconds == 8)
        #expect(fixture.manager.status.process.missedDeadlines == 0)
        #expect(fixture.logs.warnings.contains { $0.contains("servers have not stopped") })
    }

    @Test("Tasks that a server begins while it finishes are waited for as well")
    func workOfTheLastRequest() async throws {
        let fixture = try LifecycleFixture { $0.terminationGracePeriod = .seconds(10) }
        let (spot, held) = (SlowSpot(), Lock<BackgroundTaskIdentifier?>(nil))
        let server = FakeService("server", in: group) {
            await spot.stay()
            let task = try? fixture.tasks.begin("upload").intoIdentifier()
            held.withLock { $0 = task }
        }
        try await fixture.run(servers: [server]) { fixture, group in
            await fixture.record.heard("didBecomeActive")
            await group.triggerGracefulShutdown()
            try await fixture.until("the server has some time") { fixture.nextDeadline == 3 }
            fixture.machine.advance(by: .seconds(3))
            await fixture.record.heard("didEnterBackground")
            try await fixture.until("the server is waited for") { fixture.nextDeadline == 7.95 }
            spot.open()
            try await fixture.until("the task is held") { held.withLock { $0 } != nil }
            for _ in 0..<50 { await Task.yield() }
            #expect(!fixture.record.events.contains("willTerminate"))
            if let task = held.withLock({ $0 }) { fixture.tasks.endBackgroundTask(task) }
        }
        #expect(fixture.seconds == 3)
    }

    @Test("An overdue task holds the end up only where that is configured", arguments: [false, true])
    func overdue(holds: Bool) async throws {
        let fixture = try LifecycleFixture(overdueTasksHold: holds)
        try await fixture.run(servers: []) { fixture, group in
            await fixture.record.heard("didBecomeActive")
            _ = try fixture.tasks.begin("late", expiry: .after(.seconds(1))).intoIdentifier()
            fixture.machine.advance(by: .seconds(4))
            #expect(fixture.tasks.statistics.overdue == 1)
            await group.triggerGracefulShutdown()
            guard holds else { return }
            try await fixture.until("it waits for the task") { fixture.nextDeadline == 31.95 }
            fixture.machine.advance(by: .seconds(28))
        }
        #expect(fixture.seconds == (holds ? 32 : 4))
    }

    @Test("An observer that hangs leaves half of the time to the tasks that are held")
    func hangingObserver() async throws {
        let fixture = try LifecycleFixture {
            $0.terminationGracePeriod = .seconds(8)
            $0.backgroundDeadline = .seconds(100)
        }
        fixture.record.hold("didEnterBackground")
        try await fixture.run(servers: []) { fixture, group in
            await fixture.record.heard("didBecomeActive")
            await group.triggerGracefulShutdown()
            await fixture.record.heard("didEnterBackground")
            try await fixture.until("it is waited for") { fixture.nextDeadline == 3 }
            fixture.machine.advance(by: .seconds(3))
            // Behind the call that hangs.
            try await fixture.until("the last callback is waited for") { fixture.nextDeadline == 7 }
            fixture.record.release("didEnterBackground")
        }
        #expect(fixture.manager.status.process.lateObservers.map(\.callback) == ["didEnterBackground"])
        #expect(fixture.record.events.last == "willTerminate")
    }

    @Test(
        "A change that hangs when shutdown begins is not waited for longer than the grace period allows",
        arguments: ["willFinishLaunching", "didFinishLaunching", "willResignActive"], [false, true])
    func changeUnderWay(callback: String, hasGate: Bool) async throws {
        let fixture = try LifecycleFixture {
            $0.launchDeadline = .seconds(1000)
            $0.transitionDeadline = .seconds(1000)
            $0.terminationGracePeriod = .seconds(8)
        }
        defer { fixture.machine.tree.remove() }
        fixture.record.hold(callback)
        var group = ServiceGroupConfiguration(services: [fixture.manager], logger: fixture.logs.logger)
        if hasGate {
            group = fixture.manager.serviceGroupConfiguration(servers: [])
            // The group would count real seconds.
            group.maximumGracefulShutdownDuration = nil
        }
        let services = ServiceGroup(configuration: group)
        let running = Task { try await services.run() }
        let change =
            callback == "willResignActive"
            ? Task {
                await fixture.record.heard("didBecomeActive")
                try await fixture.manager.resignActive()
            } : nil
        await fixture.record.heard(callback)
        try await fixture.until("it is waited for") { fixture.nextDeadline == 1000 }
        await services.triggerGracefulShutdown()
        // When the process has to enter the background.
        try await fixture.until("it is waited for no longer than that") { fixture.nextDeadline == 2 }
        #expect(!fixture.manager.isReady)
        fixture.machine.advance(by: .seconds(2))
        try await fixture.until("it goes on") { fixture.manager.status.process.missedDeadlines > 0 }
        fixture.record.release(callback)
        try await running.value
        _ = await change?.result
        #expect(fixture.seconds == 2)
        #expect(fixture.record.events.last == "willTerminate")
        #expect(fixture.manager.status.process.lateObservers.first?.callback == callback)
    }

    @Test("Without a gate everything happens at the manager's turn")
    func noGate() async throws {
        let fixture = try LifecycleFixture()
        defer { fixture.machine.tree.remove() }
        let server = FakeService("server", in: group) { #expect(fixture.manager.isReady) }
        let services = ServiceGroup(services: [fixture.manager, server], logger: fixture.logs.logger)
        let running = Task { try await services.run() }
        await fixture.record.heard("didBecomeActive")
        await services.triggerGracefulShutdown()
        try await running.value
        #expect(group.events == ["server runs", "server is told", "server ended"])
        #expect(fixture.record.events.suffix(3) == ["willResignActive", "didEnterBackground", "willTerminate"])
    }
}
