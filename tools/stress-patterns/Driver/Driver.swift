internal import CommandOutput
internal import MemoryPressure

/// Carries a plan out on a load, by a clock of the caller's.
package struct Driver {
    /// What came of it.
    package struct Outcome: Equatable {
        package enum End: String {
            /// The pattern came to its end.
            case finished
            /// `--duration` was up.
            case duration
        }

        package var end = End.finished
        /// Taken in all, what was given back again included.
        package var takenBytes = 0
        package var peakBytes = 0
        /// Held at the end.
        package var heldBytes = 0
        /// How often all phases were gone through.
        package var rounds = 0
        package var elapsed = Duration.zero
    }

    private struct DurationIsUp: Error {}

    private let clock: any MonotonicClock
    private let sleep: (MonotonicInstant) -> Void
    private var progress: ProgressReport
    private let start: MonotonicInstant
    private var end: MonotonicInstant?
    private var outcome = Outcome()

    init(
        clock: any MonotonicClock = SystemMonotonicClock(),
        sleep: @escaping (MonotonicInstant) -> Void = System.sleep(until:),
        progress: ProgressReport
    ) {
        self.clock = clock
        self.sleep = sleep
        self.progress = progress
        start = clock.now
    }

    mutating func run(_ plan: Plan, on load: any Load) throws -> Outcome {
        end = plan.duration.map { start.advanced(by: $0) }
        let expectedEnd = start.advanced(by: plan.expectedDuration)
        do {
            var index = 0
            while index < plan.phases.count {
                try run(plan.phases[index], on: load, expectedEnd: expectedEnd)
                index += 1
                guard index == plan.phases.count else { continue }
                outcome.rounds += 1
                index = plan.repeatsFrom ?? index
                try checkEnd(clock.now)
            }
        } catch is DurationIsUp {
            outcome.end = .duration
        }
        outcome.heldBytes = load.heldBytes
        outcome.elapsed = start.duration(to: clock.now)
        return outcome
    }

    private mutating func run(_ phase: Phase, on load: any Load, expectedEnd: MonotonicInstant) throws {
        let began = clock.now
        let name = phase.name(holding: load.heldBytes)
        let say = { (bytes: Int, now: MonotonicInstant) in
            let left = now.duration(to: expectedEnd)
            return "jetsam-stress: \(name), \(ByteCount(bytes)) held, "
                + (left > .zero ? "\(left.shortText) left" : "no time left")
        }
        switch phase {
        case .hold(let time):
            try wait(until: began.advanced(by: time), load, say)
        case .keep:
            while true { try wait(until: end ?? .init(nanoseconds: .max), load, say) }
        case .walk:
            while true {
                try load.walk(bytes: Pacer.largestChunk)
                try checkEnd(clock.now)
                let now = clock.now
                progress.tick(at: now) { say(load.heldBytes, now) }
            }
        case .move(let target, let rate):
            let distance = target - load.heldBytes
            var pacer = Pacer(total: abs(distance), rate: rate, pageSize: System.pageSize, from: began)
            while let step = pacer.next() {
                if distance > 0 {
                    try load.grow(bytes: step.bytes)
                    outcome.takenBytes += step.bytes
                    outcome.peakBytes = max(outcome.peakBytes, load.heldBytes)
                } else {
                    load.giveBack(bytes: step.bytes)
                }
                try wait(until: step.nextDue, load, say)
            }
        }
    }

    private mutating func wait(
        until due: MonotonicInstant, _ load: any Load, _ say: (Int, MonotonicInstant) -> String
    ) throws {
        while true {
            let now = clock.now
            progress.tick(at: now) { say(load.heldBytes, now) }
            try checkEnd(now)
            guard now < due else { return }
            var wake = due
            if let end { wake = min(wake, end) }
            if let next = progress.nextInstant { wake = min(wake, next) }
            sleep(wake)
        }
    }

    private func checkEnd(_ now: MonotonicInstant) throws {
        if let end, now >= end { throw DurationIsUp() }
    }
}
