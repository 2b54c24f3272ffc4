import Foundation
import UIKit

// Delegates that pass their calls on, as modular applications have them.

protocol ApplicationService: UIApplicationDelegate {}

class PluggableDelegate: UIResponder, UIApplicationDelegate {
    var window: UIWindow?
    var services: [ApplicationService] { [] }
    private lazy var loaded: [ApplicationService] = services

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]? = nil
    ) -> Bool {
        return loaded.reduce(true) {
            $0 && ($1.application?(application, didFinishLaunchingWithOptions: launchOptions) ?? true)
        }
    }

    func applicationDidBecomeActive(_ application: UIApplication) {
        loaded.forEach { $0.applicationDidBecomeActive?(application) }
    }

    func applicationDidEnterBackground(_ application: UIApplication) {
        for service in loaded { service.applicationDidEnterBackground?(application) }
    }

    func applicationDidReceiveMemoryWarning(_ application: UIApplication) {
        loaded.forEach { $0.applicationDidReceiveMemoryWarning?(application) }
    }

    func applicationWillTerminate(_ application: UIApplication) {
        loaded.forEach { $0.applicationWillTerminate?(application) }
    }

    func applicationSignificantTimeChange(_ application: UIApplication) {}
    func applicationProtectedDataWillBecomeUnavailable(_ application: UIApplication) {}
    func applicationProtectedDataDidBecomeAvailable(_ application: UIApplication) {}
}

final class AnalyticsService: NSObject, ApplicationService {
    static var sessions = 0

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        AnalyticsService.sessions += 1
        return launchOptions?[UIApplication.LaunchOptionsKey.remoteNotification] == nil
    }

    func applicationDidBecomeActive(_ application: UIApplication) {
        AnalyticsService.sessions += 10
    }
}

final class ShapesDelegate: PluggableDelegate {
    override var services: [ApplicationService] { [AnalyticsService()] }
    private(set) var foregrounds = 0

    override init() {
        super.init()
        if #available(iOS 13, *) {
            NotificationCenter.default.addObserver(
                forName: UIScene.willEnterForegroundNotification, object: nil, queue: nil
            ) { [weak self] _ in self?.foregrounds += 1 }
        }
    }

    override func applicationDidBecomeActive(_ application: UIApplication) {
        super.applicationDidBecomeActive(application)
        UIApplication.shared.isIdleTimerDisabled = true
        application.delegate?.applicationWillEnterForeground?(application)
    }
}

extension UIApplication {
    static var typedDelegate: ShapesDelegate? { shared.delegate as? ShapesDelegate }

    var foregroundScene: UIWindowScene? {
        connectedScenes.first { $0.activationState == .foregroundActive } as? UIWindowScene
    }

    var allWindowScenes: [UIWindowScene] {
        connectedScenes.compactMap { $0 as? UIWindowScene }.filter { $0.session.role == .windowApplication }
    }
}

extension ShapesDelegate {
    // Declared by many applications; a server calls none of them.
    func application(_ app: UIApplication, open url: URL, options: [UIApplication.OpenURLOptionsKey: Any] = [:]) -> Bool
    {
        return options[.sourceApplication] is String
    }

    func application(
        _ application: UIApplication,
        performFetchWithCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
    ) {
        completionHandler(.noData)
    }

    func application(
        _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping () -> Void
    ) {
        completionHandler()
    }

    func application(
        _ application: UIApplication, continue userActivity: NSUserActivity,
        restorationHandler: @escaping ([UIUserActivityRestoring]?) -> Void
    ) -> Bool {
        return userActivity.webpageURL != nil
    }

    func application(_ application: UIApplication, didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data) {
    }
}
