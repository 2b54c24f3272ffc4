extension ManagerConfiguration {
    /// The settings for how the process is launched, becomes active, idles and ends.
    public struct Lifecycle: Sendable, Equatable {
        /// The moment when a launched process becomes active.
        public enum Activation: String, Sendable {
            /// Activation when the launch is done. In a group that
            /// `ResourceManager.serviceGroupConfiguration(needs:servers:serving:)` has built, the servers must take connections
            /// too. The default.
            case automatic
            /// Activation when the application calls `ResourceManager.becomeActive(cause:)`.
            case onRequest
        }

        /// The manager's reaction to an observer that misses a deadline.
        public enum MissedDeadlinePolicy: String, Sendable {
            /// Record it and go on without the observer. The default.
            case goOn
            /// Record it and end the process at once with the status 75 (`EX_TEMPFAIL` of sysexits.h), so that a supervisor
            /// restarts it. Nothing is flushed.
            case exit
        }

        /// The time that a launch may take, from the first callback until the servers take connections. 1 ms…1 h, default 5 s;
        /// see `ResourceManager.extendLaunch(by:)`.
        ///
        /// Why: Longer than a healthy start; a launch can ask for more.
        public var launchDeadline = Duration.seconds(5)
        /// The time that entering the background may take. 1 ms…1 h, default 5 s. At the end of the process it is never more than
        /// is left of the grace period; scenes that are being saved have more.
        ///
        /// Why: Time to save; never more than half of what is left of the grace period.
        public var backgroundDeadline = Duration.seconds(5)
        /// The time that each other callback may take. 1 ms…1 h, default 5 s.
        ///
        /// Why: As for the background.
        public var transitionDeadline = Duration.seconds(5)
        /// The manager's reaction to a missed deadline. Default ``MissedDeadlinePolicy/goOn``.
        ///
        /// Why: An observer that hangs does not take the process with it.
        public var missedDeadline = MissedDeadlinePolicy.goOn
        /// The moment when a launched process becomes active. Default ``Activation/automatic``.
        ///
        /// Why: Ready when the launch is over and, in a group, the servers take connections.
        public var activation = Activation.automatic
        /// Indicates whether the process is launched into the background: a job or a standby, which becomes ready only on
        /// request. Default false.
        ///
        /// Why: Most servers should serve at once.
        public var launchesIntoBackground = false
        /// The time between the request to end the process and the kill: Kubernetes's `terminationGracePeriodSeconds`, systemd's
        /// `TimeoutStopSec`. The process is gone before. 0.1…3600 s, default 30 s.
        ///
        /// Why: The default of Kubernetes.
        public var terminationGracePeriod = Duration.seconds(30)
        /// The time that is kept free at the end of the grace period, for the last callback and for the services that stop after
        /// the manager; at most a quarter of the grace period counts. 0…3600 s, default 2 s.
        ///
        /// Why: For the last callback, and for services that stop after the manager.
        public var exitRoom = Duration.seconds(2)
        /// The time for which the gate holds the group up, from the beginning of shutdown, so that load balancers notice that
        /// readiness is false. Not negative, and less than the grace period; default 0.
        ///
        /// Why: 0 if no balancer polls; 5 s in Kubernetes; for a balancer that polls, its interval × failures, and 1 s.
        public var drainDelay = Duration.zero
        /// The time without any background task, in the background, after which the process suspends itself. 1 ms…1 h; nil, the
        /// default, for never.
        ///
        /// Why: The application decides whether the process suspends by itself.
        public var idleDelay: Duration?
        /// The time that the process may stay in the background before it suspends itself, even while background tasks are held.
        /// These tasks expire by the end of it. A background mode stops the time; it begins anew when the last mode ends. Time in
        /// which the process did not run does not count. 1 ms…1 h; nil, the default, for no limit.
        ///
        /// Why: The application decides; on a phone it is about 30 s.
        public var backgroundTimeLimit: Duration?
        /// Named reasons that bar suspension for as long as the process runs, such as `replication`.
        ///
        /// Why: Only the application has reasons to prevent suspension.
        public var backgroundModes: [String] = []
        /// Indicates whether the process ends instead of suspending. A process that would enter the background or suspend then
        /// calls ``LifecycleObserver/willResignActive(_:)`` and ``LifecycleObserver/willTerminate(_:)``, and its group shuts down
        /// gracefully. An end that was asked for goes through the background all the same. Default false.
        ///
        /// Why: The application decides.
        public var exitsOnSuspend = false

        package init() {}
    }
}

extension ManagerConfiguration.Lifecycle: ConfigurationPart {
    static let isFixed = true

    static let settings: [ManagerSetting] = [
        .duration("lifecycle.launchDeadline", \.lifecycle.launchDeadline, from: .milliseconds(1)),
        .duration("lifecycle.backgroundDeadline", \.lifecycle.backgroundDeadline, from: .milliseconds(1)),
        .duration("lifecycle.transitionDeadline", \.lifecycle.transitionDeadline, from: .milliseconds(1)),
        .word("lifecycle.missedDeadline", \.lifecycle.missedDeadline, of: [.goOn, .exit]),
        .word("lifecycle.activation", \.lifecycle.activation, of: [.automatic, .onRequest]),
        .flag("lifecycle.launchesIntoBackground", \.lifecycle.launchesIntoBackground),
        .duration("lifecycle.terminationGracePeriod", \.lifecycle.terminationGracePeriod, from: .milliseconds(100)),
        .duration("lifecycle.exitRoom", \.lifecycle.exitRoom, from: .zero),
        .duration("lifecycle.drainDelay", \.lifecycle.drainDelay, from: .zero),
        .duration("lifecycle.idleDelay", \.lifecycle.idleDelay, from: .milliseconds(1)),
        .duration("lifecycle.backgroundTimeLimit", \.lifecycle.backgroundTimeLimit, from: .milliseconds(1)),
        .texts("lifecycle.backgroundModes", \.lifecycle.backgroundModes),
        .flag("lifecycle.exitsOnSuspend", \.lifecycle.exitsOnSuspend),
    ]

    func checkOrder(_ findings: inout ConfigurationFindings) {
        findings.below("lifecycle.drainDelay", drainDelay, "lifecycle.terminationGracePeriod", terminationGracePeriod)
    }
}
