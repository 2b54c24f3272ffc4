internal import Dispatch

/// Runs jobs that may block, one after another, on a thread of its own.
///
/// Not on a Dispatch queue: Swift's tasks share Dispatch's threads. There are as many of these as cores, so two that block
/// would delay all tasks of a small machine. The thread is started with the first job.
package final class WorkThread: Sendable {
    private struct State {
        var jobs: [@Sendable () -> Void] = []
        /// The number of the thread that takes the jobs; earlier ones end when they come back.
        var generation = 0
        var hasThread = false
        var isBusy = false
        var hasEnded = false
    }

    private final class Core: Sendable {
        let state = Lock(State())
        let threads: ReplaceableThreads
        let spot: any WaitingSpot

        init(_ source: any ThreadSource) {
            threads = ReplaceableThreads(most: WorkThread.most, source: source)
            spot = source.makeSpot()
        }
    }

    private let core: Core
    private let name: String

    /// Threads that hang in a job are replaced up to this number in all.
    private static let most = 5

    /// - Parameters:
    ///   - name: At most 15 bytes of it are kept.
    ///   - threads: The source of its thread.
    package init(_ name: String, threads: any ThreadSource = SystemThreads()) {
        self.name = name
        core = Core(threads)
    }

    deinit {
        core.state.withLock { $0.hasEnded = true }
        core.spot.signal()
    }

    package func add(_ job: @escaping @Sendable () -> Void) {
        let generation = core.state.withLock { state -> Int? in
            state.jobs.append(job)
            defer { state.hasThread = true }
            return state.hasThread ? nil : state.generation
        }
        if let generation { start(generation) } else { core.spot.signal() }
    }

    /// Gives the jobs that wait to another thread, where the present one is in the middle of one.
    package func giveUpBusyThread() {
        let generation = core.state.withLock { state -> Int? in
            guard state.isBusy, core.threads.hasRoom else { return nil }
            state.generation += 1
            state.isBusy = false
            return state.generation
        }
        if let generation { start(generation) }
    }

    private func start(_ generation: Int) {
        let core = core
        do {
            try core.threads.start(name) { Self.run(core, generation) }
        } catch {
            // No thread can be had: better to borrow one of Dispatch's than never to come back.
            DispatchQueue.global().async {
                core.threads.enter()
                Self.run(core, generation)
                core.threads.leave()
            }
        }
    }

    private static func run(_ core: Core, _ generation: Int) {
        while true {
            let next = core.state.withLock { state -> (job: (@Sendable () -> Void)?, isOver: Bool) in
                guard state.generation == generation else { return (nil, true) }
                guard !state.jobs.isEmpty else {
                    state.isBusy = false
                    return (nil, state.hasEnded)
                }
                state.isBusy = true
                return (state.jobs.removeFirst(), false)
            }
            if let job = next.job { job() } else if next.isOver { return } else { core.spot.wait(for: nil) }
        }
    }
}
