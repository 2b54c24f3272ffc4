import Dispatch
import MemoryPressure
import Synchronization
import Testing

@testable import Jetsam

/// What changes together in the process's life, without a lock.
struct LifecycleStateTests {
    private static let start = MonotonicInstant.seconds(100)
    /// Returns the result of a call that changes the state: `#expect` allows such a call only as an argument.
    private static func of<Result>(_ result: Result) -> Result { result }

    private static let reason = LaunchReason(starter: .operator)

    private static func ending(_ manner: ProcessEnding.Manner = .shutdown, at second: Double = 100) -> ProcessEnding {
        let clock = TerminationClock(
            began: .seconds(second), gracePeriod: .seconds(30), backgroundDeadline: .seconds(5), exitRoom: .seconds(2),
            taskGrace: .seconds(2))
        return ProcessEnding(manner, clock: clock, backgroundDeadline: .seconds(5))
    }

    private static func transition(_ from: ProcessState, _ to: ProcessState, _ cause: LifecycleCause)
        -> ProcessTransition
    {
        ProcessTransition(sequence: 1, from: from, to: to, cause: cause, instant: start)
    }

    /// A life that was launched, and stands at `inactive`.
    private static func launched(exitsOnSuspend: Bool = false) throws -> LifecycleState {
        var state = LifecycleState(exitsOnSuspend: exitsOnSuspend)
        state.beginLaunch(reason, deadline: start.advanced(by: .seconds(5)))
        try go(to: .inactive, .launch, &state)
        state.finishLaunch()
        return state
    }

    private static func go(to target: ProcessState, _ cause: LifecycleCause, _ state: inout LifecycleState) throws {
        let from = try state.begin(target, cause: cause).from
        state.commit(transition(from, target, cause))
    }

    @Test("The process becomes active by itself once, when the launch is done and the servers listen, in either order")
    func activation() throws {
        for listensFirst in [false, true] {
            var state = LifecycleState()
            state.askForGate(.reported)
            state.beginLaunch(Self.reason, deadline: Self.start)
            if listensFirst { #expect(Self.of(state.serversListen())) }
            try Self.go(to: .inactive, .launch, &state)
            #expect(!Self.of(state.takeActivation()), "the launch is not done")
            state.finishLaunch()
            #expect(!Self.of(state.takeActivation()), "the gate does not run")
            state.gateRuns()
            if !listensFirst {
                #expect(!Self.of(state.takeActivation()), "the servers do not listen")
                #expect(Self.of(state.serversListen()))
            }
            #expect(!Self.of(state.serversListen()))
            #expect(Self.of(state.takeActivation()))
            #expect(!Self.of(state.takeActivation()))
        }
    }

    @Test("Who asks for a state decides about it from then on, even where the request was refused")
    func askedBefore() throws {
        var state = try Self.launched()
        #expect(try Self.of(state.ask(for: .inactive, cause: .operator)) == .move)
        #expect(!Self.of(state.takeActivation()))
        state = try Self.launched(exitsOnSuspend: true)
        #expect(throws: LifecycleRefusal.self) { try state.ask(for: .suspended, cause: .launch) }
        #expect(!Self.of(state.takeActivation()))
    }

    @Test("A request that comes before the start or after the end is refused, and changes nothing")
    func asksNobody() throws {
        var state = LifecycleState()
        #expect(throws: LifecycleRefusal.notRunning) { try state.ask(for: .active, cause: .operator) }
        state.beginLaunch(Self.reason, deadline: Self.start)
        _ = try state.begin(.inactive, cause: .launch)
        #expect(throws: LifecycleRefusal.notRunning) { try state.ask(for: .active, cause: .operator) }
        state.commit(Self.transition(.notRunning, .inactive, .launch))
        state.finishLaunch()
        #expect(Self.of(state.takeActivation()), "the process does not run before its first change is complete")
        try Self.go(to: .notRunning, .launch, &state)
        #expect(throws: LifecycleRefusal.ended) { try state.ask(for: .active, cause: .operator) }
    }

    @Test("A process that ends instead of suspending leaves when it is asked, and stays when it is asked again")
    func leaves() throws {
        for target in [ProcessState.background, .suspended] {
            var state = try Self.launched(exitsOnSuspend: true)
            #expect(try Self.of(state.ask(for: .active, cause: .operator)) == .move)
            #expect(try Self.of(state.ask(for: target, cause: .operator)) == .leave)
            #expect(Self.of(state.begin(Self.ending(.insteadOfSuspending(.operator, byItself: true)))) == nil)
            #expect(try Self.of(state.ask(for: target, cause: .operator)) == .stay)
            #expect(try Self.of(state.ask(for: .inactive, cause: .operator)) == .move)
            // An end that passes through the background goes there.
            state = try Self.launched(exitsOnSuspend: true)
            #expect(Self.of(state.begin(Self.ending())) == nil)
            #expect(try Self.of(state.ask(for: target, cause: .operator)) == .move)
        }
    }

    @Test("The first end stays, and one without a grace period may still get one")
    func endings() throws {
        var state = try Self.launched()
        state.beginShutdown()
        #expect(state.isShuttingDown && state.ending == nil)
        let first = Self.ending(at: 101)
        #expect(Self.of(state.begin(first)) == nil)
        #expect(Self.of(state.begin(Self.ending(.insteadOfSuspending(.idle, byItself: true), at: 102))) == first)
        state.beginShutdown()
        #expect(state.ending == first)
    }

    @Test("Servers take new connections until the drain delay is over; an end without a grace period has none")
    func connections() throws {
        var state = try Self.launched()
        #expect(state.takesConnections(at: Self.start, drainDelay: .seconds(3)))
        var abandoned = state
        abandoned.beginShutdown()
        #expect(!abandoned.takesConnections(at: Self.start, drainDelay: .seconds(3)))
        _ = state.begin(Self.ending())
        #expect(state.takesConnections(at: Self.start.advanced(by: .milliseconds(2999)), drainDelay: .seconds(3)))
        #expect(!state.takesConnections(at: Self.start.advanced(by: .seconds(3)), drainDelay: .seconds(3)))
    }

    @Test("A launch's deadline moves until everything that has it is done")
    func extending() throws {
        var state = LifecycleState()
        #expect(Self.of(state.extendLaunch(by: .seconds(1))) == nil)
        state.askForGate(.reported)
        state.beginLaunch(Self.reason, deadline: Self.start)
        #expect(Self.of(state.extendLaunch(by: .seconds(1))) == .seconds(101))
        try Self.go(to: .inactive, .launch, &state)
        state.finishLaunch()
        #expect(Self.of(state.extendLaunch(by: .seconds(1))) == .seconds(102), "servers do not listen yet")
        #expect(state.launch.isDone)
        state.gateRuns()
        _ = state.serversListen()
        #expect(Self.of(state.extendLaunch(by: .seconds(1))) == nil)
        #expect(state.launch.deadline == .seconds(102))
    }

    @Test("A callback of the launch has its deadline; one that began before the end is cut short by it")
    func callbacks() throws {
        var state = try Self.launched()
        let late = Self.start.advanced(by: .seconds(60))
        let launch = Self.start.advanced(by: .seconds(5))
        #expect(state.end(of: .didFinishLaunching, by: late, isOfTheEnd: false) == launch)
        #expect(state.end(of: .didBecomeActive, by: late, isOfTheEnd: false) == late)
        let ending = Self.ending()
        _ = state.begin(ending)
        #expect(state.end(of: .didBecomeActive, by: late, isOfTheEnd: false) == ending.workEnd)
        #expect(state.end(of: .didBecomeActive, by: Self.start, isOfTheEnd: false) == Self.start)
        #expect(state.end(of: .willTerminate, by: late, isOfTheEnd: true) == late)
    }

    @Test(
        "Whatever happens: only an active process that does not end is ready, and what has begun stays",
        arguments: seedBatches)
    func invariants(seeds: ClosedRange<UInt64>) {
        for seed in seeds {
            var generator = SeededGenerator(seed: seed)
            var state = LifecycleState(exitsOnSuspend: Bool.random(using: &generator))
            state.beginLaunch(Self.reason, deadline: Self.start)
            var activations = 0
            for second in 0..<200 {
                let before = state
                switch UInt8.random(in: 0..<40, using: &generator) {
                case 0: state.beginShutdown()
                case 1: _ = state.begin(Self.ending(at: Double(second)))
                case 2...3: state.finishLaunch()
                case 4: _ = state.extendLaunch(by: .seconds(1))
                case 5: state.askForGate(.reported)
                case 6: state.gateRuns()
                case 7: _ = state.serversListen()
                case 8...11: activations += state.takeActivation() ? 1 : 0
                case 12...15:
                    let isReady = state.setReady(true)
                    #expect(isReady == state.machine.isReady, "seed \(seed)")
                case 16: _ = state.setReady(false)
                case 17...18:
                    _ = try? state.ask(for: ProcessState.allCases.randomElement(using: &generator)!, cause: .operator)
                case 19...28:
                    if let to = state.machine.pending {
                        state.commit(Self.transition(state.machine.state, to, .operator))
                        #expect(state.machine.state == to && state.machine.pending == nil, "seed \(seed)")
                    }
                default:
                    let to = ProcessState.allCases.randomElement(using: &generator)!
                    let cause = LifecycleCause.allCases.randomElement(using: &generator)!
                    if let from = try? state.begin(to, cause: cause).from {
                        #expect(from == state.machine.state && state.machine.pending == to, "seed \(seed)")
                    }
                }
                let machine = state.machine
                #expect(!machine.isReady || (machine.state == .active && !machine.isShuttingDown), "seed \(seed)")
                #expect(!before.isShuttingDown || state.isShuttingDown, "seed \(seed)")
                #expect(before.ending == nil || state.ending == before.ending, "seed \(seed)")
                #expect(state.ending == nil || state.isShuttingDown, "seed \(seed)")
                #expect(!before.machine.hasEnded || machine.hasEnded, "seed \(seed)")
                if before.isShuttingDown, machine.state == .active {
                    let wasThere = before.machine.state == .active || before.machine.pending == .active
                    #expect(wasThere, "seed \(seed): back in the foreground")
                }
            }
            #expect(activations <= 1, "seed \(seed)")
        }
    }
}

/// The same state under its lock.
struct LifecycleStorageTests {
    /// A process that is active.
    private static func active() throws -> LifecycleStorage {
        let storage = LifecycleStorage(exitsOnSuspend: false)
        storage.beginLaunch(LaunchReason(starter: .operator), deadline: .seconds(105))
        for (from, to) in [(ProcessState.notRunning, ProcessState.inactive), (.inactive, .active)] {
            _ = try storage.begin(to, cause: .launch)
            storage.commit(ProcessTransition(sequence: 1, from: from, to: to, cause: .launch, instant: .seconds(100)))
        }
        return storage
    }

    /// Returns when the other thread is here too, or does not come.
    private static func meet(_ arrived: borrowing Atomic<Int>) {
        arrived.add(1, ordering: .acquiringAndReleasing)
        for _ in 0..<20_000 where arrived.load(ordering: .acquiring) < 2 {}
    }

    @Test(
        "Readiness that is asked for while the end begins is false in the end, whoever comes last",
        arguments: seedBatches)
    func readiness(seeds: ClosedRange<UInt64>) throws {
        let clock = TerminationClock(
            began: .seconds(100), gracePeriod: .seconds(30), backgroundDeadline: .seconds(5),
            exitRoom: .seconds(2), taskGrace: .seconds(2))
        let ending = ProcessEnding(.shutdown, clock: clock, backgroundDeadline: .seconds(5))
        var wrong = 0
        for _ in 0..<(seeds.count * 20) {
            let storage = try Self.active()
            let arrived = Atomic<Int>(0)
            DispatchQueue.concurrentPerform(iterations: 2) { thread in
                Self.meet(arrived)
                if thread == 0 {
                    _ = storage.begin(ending)
                } else {
                    for _ in 0..<8 { _ = storage.setReady(true) }
                }
            }
            if storage.isReady || storage.current.machine.isReady { wrong += 1 }
        }
        #expect(wrong == 0)
    }
}
