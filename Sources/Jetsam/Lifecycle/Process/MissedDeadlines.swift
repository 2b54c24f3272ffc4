internal import Logging
internal import MemoryPressure

/// The deadlines that observers, servers and responders have missed. Does what the configuration says about each.
final class MissedDeadlines: Sendable {
    struct Report: Sendable {
        fileprivate(set) var count = 0
        /// The last observers of them, ``ProcessStatus/lateCapacity`` at most.
        fileprivate(set) var late: [LateObserver] = []
    }

    /// EX_TEMPFAIL of sysexits.h: started anew, it may well work.
    private static let exitStatus: Int32 = 75

    private let policy: ManagerConfiguration.Lifecycle.MissedDeadlinePolicy
    private let logger: Logger
    private let reports: (any LifecycleReports)?
    private let exit: @Sendable (Int32) -> Void
    private let state = Lock(Report())

    init(_ policy: ManagerConfiguration.Lifecycle.MissedDeadlinePolicy, dependencies: LifecycleDependencies) {
        self.policy = policy
        logger = dependencies.logger
        reports = dependencies.reports
        exit = dependencies.exit
    }

    /// A copy.
    var report: Report { state.withLock { $0 } }

    /// Records those that were not done at a deadline.
    ///
    /// - Parameter isLogged: True where the log has it already.
    func note(_ names: [String], in callback: String, by deadline: MonotonicInstant, isLogged: Bool = false) {
        guard !names.isEmpty else { return }
        let late = names.map { LateObserver(name: $0, callback: callback, deadline: deadline) }
        state.withLock { state in
            state.count += late.count
            state.late = (state.late + late).suffix(ProcessStatus.lateCapacity)
        }
        for observer in late {
            reports?.recordMissedLifecycleDeadline()
            if !isLogged { logger.warning("Life cycle: observer \(observer.line) missed its deadline") }
        }
        exitIfConfigured()
    }

    /// Records a responder that has not answered for `time`.
    func noteSilence(of name: String, for time: Duration) {
        state.withLock { $0.count += 1 }
        reports?.recordMissedLifecycleDeadline()
        logger.warning(
            "Life cycle: '\(name.onOneLine)' has not answered for \(time.shortText)",
            metadata: ["responder": "\(name)", "milliseconds": "\(time.milliseconds)"])
        exitIfConfigured()
    }

    private func exitIfConfigured() {
        guard policy == .exit else { return }
        logger.critical(
            "Life cycle: the process exits with status \(Self.exitStatus), as configured for a missed deadline")
        reports?.recordForcedExit()
        exit(Self.exitStatus)
    }
}
