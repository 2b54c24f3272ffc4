import Dispatch
import HeapModule
import JetsamTesting
import MemoryPressure

/// Moves the time of a simulated world, and lets one thing happen at a time.
///
/// It runs on one thread. Threads of the product take turns with it: one that is resumed has the world for itself until it waits
/// or sleeps. So what happens, and in which order, follows from the seed alone, and no state of the world needs a lock.
final class Conductor: @unchecked Sendable {
    private struct Timer: Comparable {
        var instant: Int64
        var order: UInt64

        static func < (first: Timer, second: Timer) -> Bool {
            (first.instant, first.order) < (second.instant, second.order)
        }
    }

    let clock = ManualClock(start: MonotonicInstant(nanoseconds: 3_600_000_000_000))
    /// Called before the clock moves on, with the nanoseconds by which it does.
    var onMove: (Int64) -> Void = { _ in }
    /// Called after the clock has moved on.
    var afterMove: () -> Void = {}
    /// The thread that has the world; nil while the conductor itself does.
    private(set) var current: ConductedThread?
    /// How often anything was resumed: threads, jobs, bells, timers and samplers.
    private(set) var turns = 0
    /// How often samplers of servers that are gone ran.
    private(set) var ticks = 0

    private var timers = Heap<Timer>()
    private var actions: [UInt64: () -> Void] = [:]
    private var nextOrder: UInt64 = 0
    private var runnable: [ConductedThread] = []
    private var tickers: [ConductedTicker] = []
    private var rung: [ConductedBell] = []
    private(set) var liveThreads = 0

    /// More turns than this in one instant are a circle that no time breaks.
    private static let mostTurnsAtOnce = 1_000_000

    var now: Int64 { clock.now.nanoseconds }

    /// Calls `action` when so many nanoseconds have passed.
    func after(_ nanoseconds: Int64, _ action: @escaping () -> Void) {
        at(now + max(0, nanoseconds), action)
    }

    func at(_ instant: Int64, _ action: @escaping () -> Void) {
        nextOrder += 1
        timers.insert(Timer(instant: instant, order: nextOrder))
        actions[nextOrder] = action
    }

    /// Lets so much time pass for the calling thread, which must be one of those that are conducted.
    func sleep(_ nanoseconds: Int64) {
        guard let thread = current else { preconditionFailure("only a conducted thread can sleep") }
        after(nanoseconds) { [self] in runnable.append(thread) }
        handBack(thread)
    }

    /// Lets so much time pass for the calling task.
    func pause(_ nanoseconds: Int64) async {
        await withCheckedContinuation { continuation in
            after(nanoseconds) { continuation.resume() }
        }
    }

    // MARK: Threads

    func add(_ thread: ConductedThread) {
        liveThreads += 1
        runnable.append(thread)
    }

    func makeRunnable(_ thread: ConductedThread) {
        runnable.append(thread)
    }

    /// The calling thread gives the world back and waits until it is resumed.
    func handBack(_ thread: ConductedThread) {
        thread.back.signal()
        thread.go.wait()
    }

    func ended(_ thread: ConductedThread) {
        liveThreads -= 1
        thread.back.signal()
    }

    func ring(_ bell: ConductedBell) {
        rung.append(bell)
    }

    func add(_ ticker: ConductedTicker) {
        tickers.append(ticker)
    }

    func remove(_ ticker: ConductedTicker) {
        ticks += ticker.ticks
        tickers.removeAll { $0 === ticker }
    }

    // MARK: Time

    /// Runs all that can go on without time passing.
    func settle() {
        var turnsAtOnce = 0
        while true {
            if !runnable.isEmpty {
                let thread = runnable.removeFirst()
                current = thread
                thread.go.signal()
                thread.back.wait()
                current = nil
            } else if !rung.isEmpty {
                rung.removeFirst().answer()
            } else if !JobQueue.shared.runNext() {
                return
            }
            turns += 1
            turnsAtOnce += 1
            precondition(turnsAtOnce < Self.mostTurnsAtOnce, "the world goes round in circles at one instant")
        }
    }

    /// Moves the time on to `end`, and lets everything happen that is due before it.
    func run(until end: Int64) {
        settle()
        while let next = nextInstant(), next < end {
            move(to: next)
            runTimers()
            for ticker in tickers {
                ticker.runDue(self)
                settle()
            }
        }
        move(to: end)
    }

    /// Lets go of everything that is still to come.
    func dismantle() {
        timers = Heap()
        actions = [:]
        tickers = []
        rung = []
        onMove = { _ in }
        afterMove = {}
    }

    private func nextInstant() -> Int64? {
        var next = timers.min?.instant ?? .max
        for ticker in tickers { next = min(next, ticker.nextInstant(after: now)) }
        return next == .max ? nil : next
    }

    private func move(to instant: Int64) {
        let distance = instant - now
        guard distance > 0 else { return }
        onMove(distance)
        clock.advance(by: .nanoseconds(distance))
        afterMove()
    }

    private func runTimers() {
        while let first = timers.min, first.instant <= now {
            timers.removeMin()
            turns += 1
            actions.removeValue(forKey: first.order)?()
            settle()
        }
    }
}
