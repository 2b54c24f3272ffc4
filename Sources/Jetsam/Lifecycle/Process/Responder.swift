internal import MemoryPressure

/// Somebody who is asked again and again whether it still answers.
final class Responder: Sendable {
    /// The news of a responder. Called on the timer's thread or on that of the answer, under no lock.
    enum News {
        /// It has not answered for so long.
        case late(Duration)
        /// It answers again, after so long.
        case back(Duration)
    }

    private struct State {
        /// The time of the question that it has not answered; nil while it is left alone.
        var asked: MonotonicInstant?
        /// Of the last question: an answer to an earlier one says nothing.
        var number: UInt64 = 0
        var isLate = false
        var isOver = false
        var timer: UInt64?
    }

    /// A timer that fires later than this after its instant did not run meanwhile: the process was stopped, and so was whoever is asked.
    private static let pause = Duration.seconds(1)

    let name: String
    private let deadline: Duration
    private let clock: any MonotonicClock
    private let deadlines: Deadlines
    private let ask: @Sendable (_ answer: @escaping @Sendable () -> Void) -> Void
    private let tell: @Sendable (News) -> Void
    private let state = Lock(State())

    init(
        name: String, deadline: Duration, clock: any MonotonicClock, deadlines: Deadlines,
        ask: @escaping @Sendable (_ answer: @escaping @Sendable () -> Void) -> Void,
        tell: @escaping @Sendable (News) -> Void
    ) {
        self.name = name
        self.deadline = deadline
        self.clock = clock
        self.deadlines = deadlines
        self.ask = ask
        self.tell = tell
    }

    /// Asks, and from then on again half a deadline after each answer.
    func begin() {
        let now = clock.now
        let number = state.withLock { state -> UInt64? in
            guard !state.isOver else { return nil }
            state.number += 1
            state.asked = now
            return state.number
        }
        guard let number else { return }
        lookLater(number, at: now.advanced(by: deadline))
        ask { [weak self] in self?.answered(number) }
    }

    /// Asks no more, and tells nothing any more.
    func end() {
        let timer = state.withLock { state in
            state.isOver = true
            state.asked = nil
            return state.timer
        }
        if let timer { deadlines.cancel(timer) }
    }

    private func lookLater(_ number: UInt64, at instant: MonotonicInstant) {
        set(deadlines.add(instant) { [weak self] in self?.look(number, due: instant) }, for: number)
    }

    private func set(_ timer: UInt64, for number: UInt64) {
        let isWanted = state.withLock { state in
            guard !state.isOver, state.number == number else { return false }
            state.timer = timer
            return true
        }
        if !isWanted { deadlines.cancel(timer) }
    }

    private func look(_ number: UInt64, due: MonotonicInstant) {
        let now = clock.now
        guard due.duration(to: now) < Self.pause else { return lookLater(number, at: now.advanced(by: deadline)) }
        let waited = state.withLock { state -> Duration? in
            guard state.number == number, let asked = state.asked, !state.isLate else { return nil }
            state.isLate = true
            return asked.duration(to: now)
        }
        if let waited { tell(.late(waited)) }
    }

    private func answered(_ number: UInt64) {
        let now = clock.now
        let (isAnswer, late, timer) = state.withLock { state -> (Bool, Duration?, UInt64?) in
            guard state.number == number, let asked = state.asked else { return (false, nil, nil) }
            defer { state.isLate = false }
            state.asked = nil
            return (true, state.isLate ? asked.duration(to: now) : nil, state.timer)
        }
        guard isAnswer else { return }
        if let timer { deadlines.cancel(timer) }
        if let late { tell(.back(late)) }
        set(deadlines.add(now.advanced(by: deadline / 2)) { [weak self] in self?.begin() }, for: number)
    }
}
