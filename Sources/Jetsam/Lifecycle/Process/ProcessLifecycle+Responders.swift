internal import Logging
internal import MemoryPressure

extension ProcessLifecycle {
    private static let leastDeadline = Duration.milliseconds(1)
    private static let mostDeadline = Duration.seconds(3600)
    private static let longestName = 64

    func watchResponses(
        of name: String, deadline: Duration,
        _ ask: @escaping @Sendable (_ answer: @escaping @Sendable () -> Void) -> Void
    ) -> LifecycleObservation {
        let name = String(name.prefix(Self.longestName))
        let responder = Responder(
            name: name, deadline: min(max(deadline, Self.leastDeadline), Self.mostDeadline),
            clock: dependencies.clock, deadlines: waits.deadlines, ask: ask,
            tell: { [weak self] in self?.tell($0, of: name) })
        let id = state.withLock { state in
            state.nextID += 1
            state.responders[state.nextID] = responder
            return state.nextID
        }
        responder.begin()
        return LifecycleObservation { [weak self] in
            let ended = self?.state.withLock { $0.responders.removeValue(forKey: id) }
            ended?.end()
        }
    }

    /// The process ends: who does not answer any more from here on is ending too.
    func endResponders() {
        let responders = state.withLock { state in
            defer { state.responders = [:] }
            return state.responders.values
        }
        for responder in responders { responder.end() }
    }

    private func tell(_ news: Responder.News, of name: String) {
        switch news {
        case .late(let time):
            state.withLock { $0.missedDeadlines += 1 }
            dependencies.reports?.recordMissedLifecycleDeadline()
            dependencies.logger.warning(
                "Life cycle: '\(name.onOneLine)' has not answered for \(time)",
                metadata: ["responder": "\(name)", "milliseconds": "\(time.milliseconds)"])
            exitIfConfigured()
        case .back(let time):
            dependencies.logger.notice(
                "Life cycle: '\(name.onOneLine)' answers again, after \(time)",
                metadata: ["responder": "\(name)", "milliseconds": "\(time.milliseconds)"])
        }
    }
}
