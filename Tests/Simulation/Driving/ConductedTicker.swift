import Jetsam
import MemoryPressure
import SystemPackage

/// Calls one manager's sampler when the conductor's time has come to where it asked for.
final class ConductedTicker: Ticker, @unchecked Sendable {
    private let conductor: Conductor
    private var tick: (@Sendable () -> Duration)?
    private var due = Int64.max
    private var driven: [Driven] = []
    private(set) var ticks = 0

    private struct Driven {
        let work: any TimeDriven
        /// When something was due at the last look, in nanoseconds.
        var due = Int64.max
        /// What stayed due although it was run, and when that was: it waits for somebody else, and does not stop the time.
        var stuck: (due: Int64, at: Int64)?
    }

    init(_ conductor: Conductor) {
        self.conductor = conductor
    }

    var drivesDeadlines: Bool { true }

    func attach(_ work: any TimeDriven) {
        driven.append(Driven(work: work))
    }

    func start(_ tick: @escaping @Sendable () -> Duration) throws(Errno) {
        self.tick = tick
        ticks += 1
        let interval = tick()
        due = conductor.now + interval.nanoseconds
    }

    func wake() {
        if tick != nil { due = conductor.now }
    }

    func stop() async {
        tick = nil
        due = .max
    }

    func nextInstant(after now: Int64) -> Int64 {
        var next = due
        for index in driven.indices {
            let instant = driven[index].work.nextDue?.nanoseconds ?? .max
            driven[index].due = instant
            if let stuck = driven[index].stuck, stuck.due == instant, stuck.at == now { continue }
            next = min(next, instant)
        }
        return max(next, now)
    }

    func runDue(_ conductor: Conductor) {
        let now = conductor.now
        for index in driven.indices {
            guard driven[index].due <= now else { continue }
            let work = driven[index].work
            work.runDue()
            conductor.settle()
            driven[index].stuck = work.nextDue.flatMap { $0.nanoseconds <= now ? ($0.nanoseconds, now) : nil }
        }
        guard due <= now, let tick else { return }
        due = .max
        ticks += 1
        let interval = tick().nanoseconds
        // Woken meanwhile it is due at once.
        if due == .max, self.tick != nil { due = now + max(1, interval) }
    }
}
