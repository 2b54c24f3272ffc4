internal import Logging
internal import MemoryPressure

/// Those that are asked again and again whether they still answer, until they or the process end.
final class Responders: Sendable {
    private struct State {
        var members: [UInt64: Responder] = [:]
        var nextID: UInt64 = 0
    }

    private static let leastDeadline = Duration.milliseconds(1)
    private static let mostDeadline = Duration.seconds(3600)
    private static let longestName = 64

    private let state = Lock(State())
    private let missed: MissedDeadlines
    private let clock: any MonotonicClock
    private let deadlines: Deadlines
    private let logger: Logger

    init(missed: MissedDeadlines, deadlines: Deadlines, dependencies: LifecycleDependencies) {
        self.missed = missed
        self.deadlines = deadlines
        clock = dependencies.clock
        logger = dependencies.logger
    }

    var isEmpty: Bool { state.withLock { $0.members.isEmpty } }

    func watch(
        _ name: String, deadline: Duration,
        _ ask: @escaping @Sendable (_ answer: @escaping @Sendable () -> Void) -> Void
    ) -> LifecycleObservation {
        let name = String(name.prefix(Self.longestName))
        let responder = Responder(
            name: name, deadline: min(max(deadline, Self.leastDeadline), Self.mostDeadline), clock: clock,
            deadlines: deadlines, ask: ask, tell: { [weak self] in self?.tell($0, of: name) })
        let id = state.withLock { state in
            state.nextID += 1
            state.members[state.nextID] = responder
            return state.nextID
        }
        responder.begin()
        return LifecycleObservation { [weak self] in
            let ended = self?.state.withLock { $0.members.removeValue(forKey: id) }
            ended?.end()
        }
    }

    /// The process ends: who does not answer any more from here on is ending too.
    func end() {
        let members = state.withLock { state in
            defer { state.members = [:] }
            return state.members.values
        }
        for responder in members { responder.end() }
    }

    private func tell(_ news: Responder.News, of name: String) {
        switch news {
        case .late(let time): missed.noteSilence(of: name, for: time)
        case .back(let time):
            logger.notice(
                "Life cycle: '\(name.onOneLine)' answers again, after \(time.shortText)",
                metadata: ["responder": "\(name)", "milliseconds": "\(time.milliseconds)"])
        }
    }
}
