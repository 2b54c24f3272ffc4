internal import Synchronization
package import SystemPackage

/// The timer that calls the sampler again after the time that it asked for.
package protocol Ticker: Sendable {
    /// Calls `tick` now, and again each time after the duration that it gave, or sooner when woken. It throws where no thread can be
    /// had.
    func start(_ tick: @escaping @Sendable () -> Duration) throws(Errno)
    /// The next tick is due now.
    func wake()
    /// No tick begins after this returns.
    func stop() async
    /// Indicates whether it moves the time. Otherwise real time drives the work that has deadlines.
    var drivesDeadlines: Bool { get }
    /// Adds work that it runs as it moves the time.
    func attach(_ work: any TimeDriven)
}

/// Work that falls due at an instant. Whoever moves the time runs it.
package protocol TimeDriven: AnyObject, Sendable {
    /// Nil where nothing is to come.
    var nextDue: MonotonicInstant? { get }
    func runDue()
}

extension Deadlines: TimeDriven {}

extension Ticker {
    package var drivesDeadlines: Bool { false }
    package func attach(_ work: any TimeDriven) {}
}

/// The sampler's own thread. After its start it allocates nothing itself.
package final class SamplerThread: Ticker {
    private let spot = ParkingSpot()
    private let isStopped = Atomic<Bool>(false)
    private let ended = Lock<Ending>(Ending())

    private let threads: any ThreadSource

    private struct Ending {
        var isRunning = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    package init(threads: any ThreadSource = SystemThreads()) {
        self.threads = threads
    }

    package func start(_ tick: @escaping @Sendable () -> Duration) throws(Errno) {
        ended.withLock { $0.isRunning = true }
        do {
            try threads.start("jetsam.sampler") { self.loop(tick) }
        } catch {
            ended.withLock { $0.isRunning = false }
            throw error
        }
    }

    private func loop(_ tick: @Sendable () -> Duration) {
        while !isStopped.load(ordering: .acquiring) {
            spot.wait(for: tick())
        }
        let waiter = ended.withLock { ended in
            ended.isRunning = false
            defer { ended.waiter = nil }
            return ended.waiter
        }
        waiter?.resume()
    }

    package func wake() {
        spot.signal()
    }

    package func stop() async {
        isStopped.store(true, ordering: .releasing)
        spot.signal()
        await withCheckedContinuation { continuation in
            let isRunning = ended.withLock { ended in
                if ended.isRunning { ended.waiter = continuation }
                return ended.isRunning
            }
            if !isRunning { continuation.resume() }
        }
    }
}
