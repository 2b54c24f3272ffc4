internal import Dispatch

/// Runs jobs that may block, one after another, on a thread of its own.
///
/// Not on a Dispatch queue: Swift's tasks share Dispatch's threads. There are as many of these as cores, so two that block
/// would delay all tasks of a small machine. The thread is started with the first job.
package final class WorkThread: Sendable {
    private struct State {
        var jobs: [@Sendable () -> Void] = []
        var worker = Worker.notStarted
        /// The thread ends when it finds no job any more.
        var hasEnded = false
    }

    /// The thread that takes the jobs, by its number. Earlier ones end when they come back.
    private enum Worker {
        case notStarted
        /// It waits for a job, or is about to look for one.
        case free(Int)
        /// It is in the middle of a job.
        case busy(Int)

        func isThread(_ number: Int) -> Bool {
            switch self {
            case .notStarted: false
            case .free(let own), .busy(let own): own == number
            }
        }
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
        let isFirst = core.state.withLock { state in
            state.jobs.append(job)
            guard case .notStarted = state.worker else { return false }
            state.worker = .free(0)
            return true
        }
        if isFirst { start(0) } else { core.spot.signal() }
    }

    /// Gives the jobs that wait to another thread, where the present one is in the middle of one.
    package func giveUpBusyThread() {
        let next = core.state.withLock { state -> Int? in
            guard case .busy(let number) = state.worker, core.threads.hasRoom else { return nil }
            state.worker = .free(number + 1)
            return number + 1
        }
        if let next { start(next) }
    }

    private func start(_ number: Int) {
        let core = core
        do {
            try core.threads.start(name) { Self.run(core, number) }
        } catch {
            // No thread can be had: better to borrow one of Dispatch's than never to come back.
            DispatchQueue.global().async {
                core.threads.enter()
                Self.run(core, number)
                core.threads.leave()
            }
        }
    }

    private static func run(_ core: Core, _ number: Int) {
        while true {
            let next = core.state.withLock { state -> (job: (@Sendable () -> Void)?, isOver: Bool) in
                guard state.worker.isThread(number) else { return (nil, true) }
                guard !state.jobs.isEmpty else {
                    state.worker = .free(number)
                    return (nil, state.hasEnded)
                }
                state.worker = .busy(number)
                return (state.jobs.removeFirst(), false)
            }
            if let job = next.job { job() } else if next.isOver { return } else { core.spot.wait(for: nil) }
        }
    }
}
