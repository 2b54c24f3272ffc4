import Testing

@testable import Jetsam

struct ProcessMachineTests {
    /// Every change that there is, and the causes for it, written out by hand.
    private static let table: [(from: ProcessState, to: ProcessState, causes: Set<LifecycleCause>)] = [
        (.notRunning, .inactive, [.launch]),
        (.notRunning, .background, [.launch]),
        (.inactive, .active, [.launch, .operator, .resume]),
        (.active, .inactive, [.shutdown, .operator, .pressure]),
        (.inactive, .background, [.shutdown, .operator, .idle, .pressure]),
        (.background, .inactive, [.operator, .resume]),
        (.background, .suspended, [.operator, .idle, .pressure, .expiration]),
        (.suspended, .background, [.operator, .resume]),
        (.inactive, .notRunning, [.launch, .shutdown, .operator, .pressure]),
        (.background, .notRunning, [.launch, .shutdown, .operator, .idle, .pressure, .expiration]),
        (.suspended, .notRunning, [.shutdown, .pressure]),
    ]

    private static func allowed(_ from: ProcessState, _ to: ProcessState) -> Set<LifecycleCause> {
        table.first { $0.from == from && $0.to == to }?.causes ?? []
    }

    /// Brings a machine that has not ended to a state.
    private static func machine(in state: ProcessState, exitsOnSuspend: Bool = false) throws -> ProcessMachine {
        var machine = ProcessMachine(exitsOnSuspend: exitsOnSuspend)
        let way: [(ProcessState, LifecycleCause)] =
            switch state {
            case .notRunning: []
            case .inactive: [(.inactive, .launch)]
            case .active: [(.inactive, .launch), (.active, .launch)]
            case .background: [(.background, .launch)]
            case .suspended: [(.background, .launch), (.suspended, .idle)]
            }
        for (target, cause) in way {
            _ = try machine.request(to: target, cause: cause)
            machine.commit()
        }
        #expect(machine.state == state)
        return machine
    }

    @Test(
        "Exactly the changes of the table are allowed, for exactly its causes",
        arguments: ProcessState.allCases, ProcessState.allCases)
    func table(from: ProcessState, to: ProcessState) throws {
        for cause in LifecycleCause.allCases {
            var machine = try Self.machine(in: from)
            if Self.allowed(from, to).contains(cause) {
                let actions = try machine.request(to: to, cause: cause)
                #expect(actions.filter { $0 == .commit }.count == 1)
                machine.commit()
                #expect(machine.state == to)
            } else {
                let error = #expect(throws: LifecycleRefusal.self) { try machine.request(to: to, cause: cause) }
                #expect(error?.isForUnknownTransition == true)
                #expect(machine.state == from && machine.pending == nil)
            }
        }
    }

    @Test(
        "Once shutdown began nothing leads to the foreground", arguments: ProcessState.allCases, ProcessState.allCases)
    func noWayBack(from: ProcessState, to: ProcessState) throws {
        for cause in Self.allowed(from, to) {
            var machine = try Self.machine(in: from)
            machine.beginShutdown()
            if to == .active || (from, to) == (.background, .inactive) {
                #expect(throws: LifecycleRefusal.shuttingDown) { try machine.request(to: to, cause: cause) }
            } else {
                _ = try machine.request(to: to, cause: cause)
            }
        }
    }

    @Test("Nothing follows the end, and nothing begins while a change is under way")
    func ended() throws {
        var machine = try Self.machine(in: .background)
        _ = try machine.request(to: .notRunning, cause: .shutdown)
        #expect(throws: LifecycleRefusal.changeUnderWay) { try machine.request(to: .suspended, cause: .idle) }
        machine.commit()
        for target in ProcessState.allCases {
            #expect(throws: LifecycleRefusal.ended) { try machine.request(to: target, cause: .launch) }
        }
    }

    @Test(
        "A process that ends instead of suspending does so on every way to the background and to suspended, and on no other",
        arguments: ProcessState.allCases, ProcessState.allCases)
    func leaves(from: ProcessState, to: ProcessState) throws {
        let isOnTheWay =
            switch (from, to) {
            case (.active, .background), (.active, .suspended), (.inactive, .background), (.inactive, .suspended): true
            case (.background, .suspended): true
            default: false
            }
        for cause in LifecycleCause.allCases {
            let first = try Self.machine(in: from).path(to: to).first
            let fits = first.map { Self.allowed(from, $0).contains(cause) } ?? false
            for exitsOnSuspend in [false, true] {
                var machine = try Self.machine(in: from, exitsOnSuspend: exitsOnSuspend)
                if isOnTheWay, exitsOnSuspend, !fits {
                    #expect(throws: LifecycleRefusal.self) { try machine.leaves(for: to, cause: cause) }
                } else {
                    #expect(try machine.leaves(for: to, cause: cause) == (isOnTheWay && exitsOnSuspend))
                }
                machine.beginShutdown()
                #expect(try !machine.leaves(for: to, cause: cause), "it is on its way out already")
            }
        }
    }

    @Test(
        "Whoever ends without having been suspended is told, but for a launch that failed",
        arguments: ProcessState.allCases)
    func lastCall(from: ProcessState) throws {
        for cause in Self.allowed(from, .notRunning) {
            var machine = try Self.machine(in: from)
            let actions = try machine.request(to: .notRunning, cause: cause)
            let isTold = from == .background || (from == .inactive && cause != .launch)
            #expect(actions.contains(.tell(.willTerminate)) == isTold, "\(from), \(cause)")
        }
    }

    @Test("A random walk stays within the table, and never comes back once shutdown began", arguments: seedBatches)
    func walk(seeds: ClosedRange<UInt64>) {
        for seed in seeds {
            var generator = SeededGenerator(seed: seed)
            var machine = ProcessMachine()
            var shutdownBegan = false
            for _ in 0..<200 {
                let from = machine.state
                if UInt8.random(in: 0..<50, using: &generator) == 0 {
                    machine.beginShutdown()
                    shutdownBegan = true
                }
                let to = ProcessState.allCases.randomElement(using: &generator)!
                let cause = LifecycleCause.allCases.randomElement(using: &generator)!
                let isForeground = to == .active || (from == .background && to == .inactive)
                let expected =
                    Self.allowed(from, to).contains(cause) && !(shutdownBegan && isForeground) && !machine.hasEnded
                let accepted = (try? machine.request(to: to, cause: cause)) != nil
                #expect(accepted == expected, "seed \(seed): \(from) → \(to) (\(cause))")
                shutdownBegan = shutdownBegan || (accepted && cause == .shutdown)
                machine.commit()
                #expect(machine.state == (accepted ? to : from), "seed \(seed)")
            }
        }
    }

    @Test(
        "A way from one state to another is made of allowed changes only",
        arguments: ProcessState.allCases, ProcessState.allCases)
    func paths(from: ProcessState, to: ProcessState) throws {
        var state = from
        for next in try Self.machine(in: from).path(to: to) {
            // What is not allowed at all is left to the request to refuse.
            if next != to || !Self.allowed(state, next).isEmpty {
                #expect(!Self.allowed(state, next).isEmpty, "\(state) → \(next)")
            }
            state = next
        }
        #expect(state == to)
    }
}
