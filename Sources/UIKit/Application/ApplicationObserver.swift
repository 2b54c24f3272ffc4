#if os(Linux)
    internal import Foundation
    internal import Jetsam

    /// Tells the application's delegate, and whoever hears its notifications, what happens to the process.
    struct ApplicationObserver: LifecycleObserver {
        let application: UIApplication

        func willFinishLaunching(_ reason: LaunchReason) async {
            await onMain { application, delegate in
                _ = delegate?.application(application, willFinishLaunchingWithOptions: nil)
            }
        }

        func didFinishLaunching() async {
            await onMain { application, delegate in
                // A process that is launched into the background is there when it hears of its launch.
                if application.life.manager?.processState == .background { application.life.enter(.background) }
                _ = delegate?.application(application, didFinishLaunchingWithOptions: nil)
                await application.post(UIApplication.didFinishLaunchingNotification)
            }
        }

        func didBecomeActive(_ transition: ProcessTransition) async {
            await onMain { application, delegate in
                application.life.enter(.active)
                delegate?.applicationDidBecomeActive(application)
                await application.post(UIApplication.didBecomeActiveNotification)
                application.connectFirstScene()
            }
        }

        func willResignActive(_ transition: ProcessTransition) async {
            await onMain { application, delegate in
                delegate?.applicationWillResignActive(application)
                await application.post(UIApplication.willResignActiveNotification)
                application.life.enter(.inactive)
            }
        }

        func didEnterBackground(_ transition: ProcessTransition) async {
            await onMain { application, delegate in
                application.life.enter(.background)
                delegate?.applicationDidEnterBackground(application)
                await application.post(UIApplication.didEnterBackgroundNotification)
            }
        }

        func willEnterForeground(_ transition: ProcessTransition) async {
            await onMain { application, delegate in
                delegate?.applicationWillEnterForeground(application)
                await application.post(UIApplication.willEnterForegroundNotification)
                application.life.enter(.inactive)
            }
        }

        func willTerminate(_ transition: ProcessTransition) async {
            await onMain { application, delegate in
                delegate?.applicationWillTerminate(application)
                await application.post(UIApplication.willTerminateNotification)
            }
        }

        func didReceiveMemoryWarning(_ change: LevelChange) async {
            await onMain { application, delegate in
                delegate?.applicationDidReceiveMemoryWarning(application)
                await application.post(UIApplication.didReceiveMemoryWarningNotification)
            }
        }

        func significantTimeChange(_ change: SignificantTimeChange) async {
            await onMain { application, delegate in
                delegate?.applicationSignificantTimeChange(application)
                await application.post(UIApplication.significantTimeChangeNotification)
            }
        }

        func stateStoreBecame(available: Bool) async {
            await onMain { application, delegate in
                if available {
                    application.life.noteProtectedData(isAvailable: true)
                    delegate?.applicationProtectedDataDidBecomeAvailable(application)
                    await application.post(UIApplication.protectedDataDidBecomeAvailableNotification)
                } else {
                    delegate?.applicationProtectedDataWillBecomeUnavailable(application)
                    await application.post(UIApplication.protectedDataWillBecomeUnavailableNotification)
                    application.life.noteProtectedData(isAvailable: false)
                }
            }
        }

        @MainActor private func onMain(
            _ body: @MainActor (UIApplication, (any UIApplicationDelegate)?) async -> Void
        ) async {
            await body(application, application.delegate)
        }
    }
#endif
