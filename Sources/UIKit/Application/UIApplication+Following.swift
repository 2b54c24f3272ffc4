#if os(Linux)
    internal import Foundation
    public import Jetsam

    extension UIApplication {
        /// Lets this application, its delegate and its scenes live by a manager: they are told what happens to its process.
        ///
        /// ``UIApplicationMain(_:_:_:_:)`` does it by itself. Set the delegate, and call this before the manager runs, so that the delegate
        /// hears of the launch. The main queue has to be served, as an `async` main function does. Stored scenes are restored as
        /// ``UIScene``.
        ///
        /// - Returns: Cancel it, and the delegate is told no more. It can be left alone.
        @discardableResult
        public func follow(_ manager: ResourceManager) -> LifecycleObservation {
            life.follow(manager)
            hasFirstScene = false
            manager.scenes.restoreScenes { [self] in SceneBridge(application: self, identifier: $0.identifier.text) }
            let name = delegate.map { String(describing: type(of: $0)) } ?? "UIApplication"
            return manager.observeLifecycle(
                on: MainQueueExecutor.shared, name: name, ApplicationObserver(application: self))
        }
    }
#endif
