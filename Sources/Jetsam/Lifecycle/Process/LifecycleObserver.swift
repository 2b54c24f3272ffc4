/// The life-cycle callbacks of the process. All of them have defaults that do nothing.
///
/// One observer is called serially, in the order of the notifications, in a task on the executor that was named when it was
/// registered, and under no lock; several observers are called at the same time. Notifications are never dropped. Each has a
/// deadline: one that is missed is recorded with the observer's name, the call's task is cancelled, and the process goes on or
/// exits, as ``ManagerConfiguration/Lifecycle/missedDeadline`` says. Later calls wait for their turn.
///
/// Suspension, SIGKILL, an OOM kill and power loss announce nothing: after ``didEnterBackground(_:)`` nothing is owed. In a
/// process that ends instead of suspending (``ManagerConfiguration/Lifecycle/exitsOnSuspend``), only ``willTerminate(_:)`` is
/// called. A change of the process's state cannot be awaited from inside a callback: it is refused.
public protocol LifecycleObserver: Sendable {
    /// The first code of the application's in a launch: nothing is restored yet, nothing is measured yet.
    ///
    /// Deadline: ``ManagerConfiguration/Lifecycle/launchDeadline``, for the whole launch; it can be extended.
    func willFinishLaunching(_ reason: LaunchReason) async
    /// The last step of the launch: scenes are restored, readiness may follow.
    func didFinishLaunching() async
    /// The process is ready. Scenes become active only after all observers have returned or were late.
    func didBecomeActive(_ transition: ProcessTransition) async
    /// Readiness is false already; stop taking work. The process may become active again, unless the cause is a shutdown.
    func willResignActive(_ transition: ProcessTransition) async
    /// The process drains before its end, or idles. Save what must not be lost.
    ///
    /// Deadline: ``ManagerConfiguration/Lifecycle/backgroundDeadline``.
    func didEnterBackground(_ transition: ProcessTransition) async
    /// The process is about to leave the background.
    func willEnterForeground(_ transition: ProcessTransition) async
    /// The last call of a process that ends in the background; a suspended one gets none.
    func willTerminate(_ transition: ProcessTransition) async
    /// Memory is short, or still is: free what can be made again. Called beside the changes of state, in their order; what is a
    /// registered cache is asked anyway. Not at a return to normal: see ``ResourceManager/levelChanges``.
    func didReceiveMemoryWarning(_ change: LevelChange) async
    /// The process did not run for `gap`: it was stopped, frozen, or the machine was paused. Gaps of less than a second,
    /// or than twice the sampler's interval, are not seen.
    func resumed(after gap: Duration) async
    /// The wall clock was set forward by `change`, or back where it is negative. Timers are unaffected.
    /// Seen at the sampler's next look at the limits; changes of less than a second are not.
    func wallClockChanged(by change: Duration) async
    /// A day has begun, the offset of local time from UTC has changed, or the wall clock was set: what is shown or planned by
    /// date and time of day is to be looked at again. Midnight is seen at the sampler's next turn, two seconds after it at
    /// most, the zone within a minute. A clock that was set calls ``wallClockChanged(by:)`` first.
    func significantTimeChange(_ change: SignificantTimeChange) async
    /// The store for the states of scenes can be written again, or no longer.
    func stateStoreBecame(available: Bool) async
}

extension LifecycleObserver {
    /// Does nothing.
    public func willFinishLaunching(_ reason: LaunchReason) async {}
    /// Does nothing.
    public func didFinishLaunching() async {}
    /// Does nothing.
    public func didBecomeActive(_ transition: ProcessTransition) async {}
    /// Does nothing.
    public func willResignActive(_ transition: ProcessTransition) async {}
    /// Does nothing.
    public func didEnterBackground(_ transition: ProcessTransition) async {}
    /// Does nothing.
    public func willEnterForeground(_ transition: ProcessTransition) async {}
    /// Does nothing.
    public func willTerminate(_ transition: ProcessTransition) async {}
    /// Does nothing.
    public func didReceiveMemoryWarning(_ change: LevelChange) async {}
    /// Does nothing.
    public func resumed(after gap: Duration) async {}
    /// Does nothing.
    public func wallClockChanged(by change: Duration) async {}
    /// Does nothing.
    public func significantTimeChange(_ change: SignificantTimeChange) async {}
    /// Does nothing.
    public func stateStoreBecame(available: Bool) async {}
}

/// The callbacks by name, for logs and the status.
enum LifecycleCallback: String, Sendable, CaseIterable {
    case willFinishLaunching, didFinishLaunching, didBecomeActive, willResignActive, didEnterBackground
    case willEnterForeground, willTerminate
    case didReceiveMemoryWarning, resumed, wallClockChanged, significantTimeChange, stateStoreBecame

    /// Indicates whether it has the deadline of the launch.
    var isOfLaunch: Bool { self == .willFinishLaunching || self == .didFinishLaunching }
}

/// An observer of the process's life cycle: cancel it, and it is called no more. Dropping it changes nothing: the manager
/// keeps the observer.
public final class LifecycleObservation: Sendable {
    private let onCancel: @Sendable () -> Void

    init(onCancel: @escaping @Sendable () -> Void) {
        self.onCancel = onCancel
    }

    /// Calls the observer no more; a call that is running is not waited for.
    public func cancel() {
        onCancel()
    }
}
