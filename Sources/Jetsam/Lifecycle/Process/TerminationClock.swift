internal import MemoryPressure

/// The division of the termination grace period, from the moment at which shutdown began. It never moves. Pure.
///
///     began ── into the background, at the latest ── tasks expire ── their grace ── none begins ── waiting ends ── will terminate ── others stop ── end
struct TerminationClock: Sendable, Equatable {
    /// The time when shutdown began.
    let began: MonotonicInstant
    /// The time when the process enters the background, whether its servers have ended or not: what is left is for that, for
    /// expiry and for the end.
    let backgroundStart: MonotonicInstant
    /// The time when the side that asked for the end loses patience.
    let end: MonotonicInstant
    /// The process's deadline, as held background tasks are told it.
    let taskDeadline: MonotonicInstant
    /// The time from which no background task begins any more: whoever was let in before is told before the waiting ends.
    let admissionEnd: MonotonicInstant
    /// The time from which held background tasks are waited for no longer.
    let waitEnd: MonotonicInstant
    /// The time from which the last callback is waited for no longer.
    let terminateEnd: MonotonicInstant

    /// The time from the last admission to the end of the waiting. A task that begins when its time is over is told within two
    /// milliseconds where threads run at once.
    private static let timeToTell = Duration.milliseconds(50)

    /// - Parameters:
    ///   - backgroundDeadline: The time that entering the background may take; at most half of the time up to the background
    ///     tasks' deadline.
    ///   - exitRoom: The time that is kept free at the end; at most a quarter of the grace period.
    ///   - taskGrace: The time that a background task has after its deadline before it is overdue; at most a quarter, too.
    init(
        began: MonotonicInstant, gracePeriod: Duration, backgroundDeadline: Duration, exitRoom: Duration,
        taskGrace: Duration
    ) {
        self.began = began
        end = began.advanced(by: gracePeriod)
        let room = min(exitRoom, gracePeriod / 4)
        waitEnd = end.advanced(by: .zero - room)
        admissionEnd = waitEnd.advanced(by: .zero - min(Self.timeToTell, gracePeriod / 100))
        terminateEnd = end.advanced(by: .zero - room / 2)
        taskDeadline = waitEnd.advanced(by: .zero - min(taskGrace, gracePeriod / 4))
        let background = min(backgroundDeadline, began.duration(to: taskDeadline) / 2)
        backgroundStart = taskDeadline.advanced(by: .zero - background)
    }

    /// Returns the time from which entering the background is waited for no longer. It leaves at least half of what is left to
    /// the background tasks.
    func backgroundEnd(from now: MonotonicInstant, deadline: Duration) -> MonotonicInstant {
        let half = max(.zero, now.duration(to: waitEnd)) / 2
        return now.advanced(by: min(deadline, half))
    }

    /// Returns the time from which scenes that are being saved are waited for no longer. They may take all that is left but a
    /// quarter. That quarter is for the observers of the process, whose turn comes after.
    func savingEnd(from now: MonotonicInstant, deadline: Duration) -> MonotonicInstant {
        waitEnd.advanced(by: .zero - min(deadline, max(.zero, now.duration(to: waitEnd)) / 4))
    }
}
