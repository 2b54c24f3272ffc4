import JetsamTesting
import MemoryPressure
import ServiceLifecycle
import TestSupport
import Testing

@testable import Jetsam

struct WatchdogTests {
    /// What brings a running, active process to call each callback, and the configured deadline of that in seconds.
    static let callbacks: [(callback: String, deadline: Double, before: ProcessState?, target: ProcessState)] = [
        ("willResignActive", 2, nil, .inactive), ("didBecomeActive", 2, .inactive, .active),
        ("didEnterBackground", 3, .inactive, .background), ("willEnterForeground", 2, .background, .inactive),
    ]

    @Test(
        "Each callback has its deadline, to the moment; who misses it is named, and the change goes on",
        arguments: callbacks)
    func deadlines(callback: String, deadline: Double, before: ProcessState?, target: ProcessState) async throws {
        let fixture = try LifecycleFixture {
            $0.transitionDeadline = .seconds(2)
            $0.backgroundDeadline = .seconds(3)
        }
        let quick = LifecycleRecord()
        let observation = fixture.manager.observeLifecycle(name: "quick", quick)
        try await fixture.run { fixture in
            if let before { try await fixture.lifecycle.request(before, cause: .operator) }
            fixture.record.hold(callback)
            let heard = quick.events.filter { $0 == callback }.count + 1
            let change = Task { try await fixture.lifecycle.request(target, cause: .operator) }
            try await fixture.until("it is waited for") {
                fixture.nextDeadline == deadline && quick.events.filter { $0 == callback }.count == heard
                    && fixture.record.events.last == callback
            }
            await fixture.hasReturned("quick")
            fixture.machine.advance(by: .seconds(deadline) - .milliseconds(1))
            #expect(fixture.manager.status.process.missedDeadlines == 0)
            fixture.machine.advance(by: .milliseconds(1))
            try await change.value
            let process = fixture.manager.status.process
            #expect(process.state == target)
            #expect(process.missedDeadlines == 1)
            let late = try #require(process.lateObservers.first)
            #expect(late.name == "record" && late.callback == callback)
            #expect(late.deadline == MonotonicInstant.seconds(3600 + deadline))
            #expect(fixture.logs.warnings == ["Life cycle: observer 'record' in \(callback) missed its deadline"])
            #expect(fixture.exits.withLock { $0 }.isEmpty)
            fixture.record.release(callback)
        }
        observation.cancel()
    }

    @Test("A late call is cancelled, and what comes after it waits for its return")
    func cancelled() async throws {
        let fixture = try LifecycleFixture()
        fixture.record.on("willResignActive") {
            while !Task.isCancelled { await Task.yield() }
        }
        fixture.record.hold("willResignActive")
        try await fixture.run { fixture in
            let change = Task { try await fixture.manager.enterBackground() }
            await fixture.record.heard("willResignActive")
            try await fixture.until("it is waited for") { fixture.nextDeadline == 5 }
            fixture.machine.advance(by: .seconds(5))
            // The action came to its end: the call was cancelled. It is still held.
            try await fixture.until("the next one is waited for") { fixture.nextDeadline == 10 }
            #expect(fixture.record.events.last == "willResignActive")
            fixture.record.release("willResignActive")
            try await change.value
            #expect(fixture.record.events.last == "didEnterBackground")
            #expect(fixture.manager.status.process.missedDeadlines == 1)
        }
    }

    @Test("Where the policy is to exit, it does so with the documented status")
    func exit() async throws {
        let fixture = try LifecycleFixture { $0.missedDeadline = .exit }
        fixture.record.hold("willResignActive")
        try await fixture.run { fixture in
            let change = Task { try await fixture.manager.resignActive() }
            try await fixture.until("it is waited for") { fixture.nextDeadline == 5 }
            fixture.machine.advance(by: .milliseconds(4900))
            #expect(fixture.exits.withLock { $0 } == [])
            fixture.machine.advance(by: .milliseconds(100))
            #expect(fixture.exits.withLock { $0 } == [75])
            try await change.value
            fixture.record.release("willResignActive")
        }
        #expect(fixture.logs.warnings.contains { $0.contains("'record'") }, "who it was is logged before")
    }

    @Test("A process that was stopped in a callback gives it the whole time again; one that is ending does not")
    func pauses() async throws {
        let fixture = try LifecycleFixture()
        try await fixture.run { fixture in
            fixture.record.hold("willResignActive")
            let change = Task { try await fixture.manager.resignActive() }
            try await fixture.until("it is waited for") { fixture.nextDeadline == 5 }
            fixture.machine.clock.advance(by: .seconds(3600))
            fixture.machine.advance(by: .milliseconds(4900))
            #expect(fixture.manager.status.process.missedDeadlines == 0)
            fixture.machine.advance(by: .milliseconds(100))
            #expect(fixture.manager.status.process.missedDeadlines == 1)
            try await change.value
            fixture.record.release("willResignActive")
        }
        let ending = try LifecycleFixture()
        ending.record.hold("willResignActive")
        try await ending.run(servers: []) { fixture, group in
            await fixture.record.heard("didBecomeActive")
            await group.triggerGracefulShutdown()
            try await fixture.until("it is waited for") { fixture.nextDeadline == 5 }
            fixture.machine.clock.advance(by: .seconds(3600))
            fixture.machine.advance(by: .zero)
            #expect(fixture.manager.status.process.missedDeadlines >= 1)
            fixture.record.release("willResignActive")
        }
    }

    @Test("A launch that takes too long in all is late, at its last callback too")
    func launch() async throws {
        let fixture = try LifecycleFixture { $0.launchDeadline = .seconds(4) }
        defer { fixture.machine.tree.remove() }
        fixture.record.hold("willFinishLaunching")
        fixture.record.hold("didFinishLaunching")
        let running = Task { try await fixture.manager.run() }
        await fixture.record.heard("willFinishLaunching")
        try await fixture.until("it is waited for") { fixture.nextDeadline == 4 }
        fixture.machine.advance(by: .seconds(3))
        fixture.record.release("willFinishLaunching")
        await fixture.record.heard("didFinishLaunching")
        try await fixture.until("it is waited for") { fixture.nextDeadline == 4 }
        #expect(!fixture.manager.isReady)
        fixture.machine.advance(by: .seconds(1))
        try await fixture.until("it goes on") { fixture.manager.isReady }
        #expect(fixture.manager.status.process.lateObservers.map(\.callback) == ["didFinishLaunching"])
        fixture.record.release("didFinishLaunching")
        running.cancel()
        try await running.value
    }

    @Test("What follows an expiry is done before whoever waited goes on, also where it begins to wait meanwhile")
    func expiry() async throws {
        for isWaiting in [true, false] {
            let wait = TimedWait()
            let (begun, mayGoOn, order) = (Gate(), Gate(), Lock<[String]>([]))
            let waiting = Task {
                if !isWaiting { await begun.waitForArrivals(1) }
                let outcome = await wait.outcome()
                order.withLock { $0.append("\(outcome)") }
                return outcome
            }
            if isWaiting { try await eventually("it waits") { wait.isAwaited } }
            let thread = WorkThread("resolver")
            thread.add {
                let isFirst = wait.resolve(.expired) {
                    begun.arrive()
                    mayGoOn.waitUntilOpen()
                    order.withLock { $0.append("first") }
                }
                order.withLock { $0.append("\(isFirst)") }
            }
            await begun.waitForArrivals(1)
            #expect(!wait.isOpen && !wait.resolve(.done))
            if !isWaiting { try await eventually("it waits") { wait.isAwaited } }
            #expect(order.withLock { $0 } == [])
            mayGoOn.open()
            #expect(await waiting.value == .expired)
            try await eventually("it is resolved") { order.withLock { $0.count } == 3 }
            #expect(order.withLock { $0.first } == "first")
        }
    }

    @Test("An observer is called on the executor that was named for it")
    func executor() async throws {
        let fixture = try LifecycleFixture()
        let executor = ThreadExecutor()
        let wasThere = Lock<[Bool]>([])
        let second = LifecycleRecord()
        for event in ["willFinishLaunching", "didFinishLaunching", "didBecomeActive"] {
            second.on(event) { wasThere.withLock { $0.append(executor.isCurrent) } }
        }
        let observation = fixture.manager.observeLifecycle(on: executor, second)
        try await fixture.run { _ in }
        #expect(wasThere.withLock { $0 } == [true, true, true])
        observation.cancel()
    }
}
