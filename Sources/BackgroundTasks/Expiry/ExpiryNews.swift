internal import JetsamSystem
internal import Synchronization
internal import SystemPackage

/// What the observer of a registry is still to be told, and which thread tells it. One tells at a time; the observer is never called
/// under a lock.
final class ExpiryNews: Sendable {
    private let observer = Lock<(any BackgroundTaskObserver)?>(nil)
    private let lack = Lock(Lack.none)
    /// Tasks were reported as overdue, and the observer has not heard that these were all.
    private let overdueIsOpen = Atomic<Bool>(false)
    private let isTelling = Atomic<Bool>(false)

    /// A lack of threads.
    private enum Lack {
        case none
        /// The observer does not know of it.
        case untold(Errno)
        case told
    }

    /// Sets the observer, who hears at once of a lack of threads from before.
    func setObserver(_ new: (any BackgroundTaskObserver)?) {
        let old = observer.withLock { observer in
            defer { observer = new }
            return observer
        }
        // Its end is code of the application's.
        _ = old
        tellOfLack()
    }

    /// There is no thread for what is due.
    func threadsLack(_ error: Errno, tells: Bool) {
        lack.withLock { lack in
            if case .told = lack { return }
            lack = .untold(error)
        }
        if tells { tellOfLack() }
    }

    /// Threads are there, maybe again.
    func threadsAreThere(tells: Bool) {
        let told = lack.withLock { lack in
            guard case .told = lack else {
                lack = .none
                return false
            }
            if tells { lack = .none }
            return tells
        }
        if told { observer.withLock { $0 }?.expiryGoesOn() }
    }

    private func tellOfLack() {
        guard let observer = observer.withLock({ $0 }) else { return }
        let error = lack.withLock { lack -> Errno? in
            guard case .untold(let error) = lack else { return nil }
            lack = .told
            return error
        }
        if let error { observer.expiryHasNoThread(error) }
    }

    /// Reports a task that is overdue.
    func report(_ task: @autoclosure () -> HeldBackgroundTask) {
        let observer = observer.withLock { $0 }
        overdueIsOpen.store(true, ordering: .releasing)
        observer?.taskIsOverdue(task())
    }

    /// Returns true, once, where tasks were reported and the observer has not heard that these were all.
    func closeOverdue() -> Bool { overdueIsOpen.exchange(false, ordering: .acquiringAndReleasing) }

    /// The observer could not be told that these were all.
    func reopenOverdue() { overdueIsOpen.store(true, ordering: .releasing) }

    /// Whom the calling thread may tell something.
    enum Listener {
        case nobody
        /// A thread that has told before hangs in it.
        case busy
        /// After the call ``endTelling()`` has to follow.
        case observer(any BackgroundTaskObserver)
    }

    func beginTelling() -> Listener {
        guard let observer = observer.withLock({ $0 }) else { return .nobody }
        return isTelling.exchange(true, ordering: .acquiringAndReleasing) ? .busy : .observer(observer)
    }

    func endTelling() { isTelling.store(false, ordering: .releasing) }
}
