import Foundation
import UIKit

/// What happened, for the tests: written to standard output too.
final class EventLog {
    static let shared = EventLog()

    private let lock = NSLock()
    private var lines: [String] = []

    func note(_ line: String) {
        lock.lock()
        lines.append(line)
        lock.unlock()
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }

    var all: [String] {
        lock.lock()
        defer { lock.unlock() }
        return lines
    }

    func clear() {
        lock.lock()
        lines = []
        lock.unlock()
    }
}

private func name(of state: UIApplication.State) -> String {
    switch state {
    case .active: return "active"
    case .inactive: return "inactive"
    case .background: return "background"
    @unknown default: return "unknown"
    }
}

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    var window: UIWindow?
    let uploads = UploadManager.shared
    private var observers: [NSObjectProtocol] = []

    override init() {
        super.init()
        EventLog.shared.note("init, main thread \(Thread.isMainThread)")
    }

    deinit {
        observers.forEach { NotificationCenter.default.removeObserver($0) }
    }

    func application(
        _ application: UIApplication,
        willFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]? = nil
    ) -> Bool {
        EventLog.shared.note("willFinishLaunching \(name(of: application.applicationState))")
        return true
    }

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        if let url = launchOptions?[.url] as? URL {
            EventLog.shared.note("launched for \(url)")
        }
        for notification in [
            UIApplication.didFinishLaunchingNotification, UIApplication.didBecomeActiveNotification,
            UIApplication.willResignActiveNotification, UIApplication.didEnterBackgroundNotification,
            UIApplication.willEnterForegroundNotification, UIApplication.willTerminateNotification,
            UIApplication.didReceiveMemoryWarningNotification, UIScene.didActivateNotification,
        ] {
            let observer = NotificationCenter.default.addObserver(forName: notification, object: nil, queue: .main) {
                note in
                EventLog.shared.note("posted \(note.name.rawValue)")
            }
            observers.append(observer)
        }
        EventLog.shared.note("didFinishLaunching \(name(of: application.applicationState))")
        return true
    }

    func applicationDidBecomeActive(_ application: UIApplication) {
        EventLog.shared.note("didBecomeActive \(name(of: application.applicationState))")
    }

    func applicationWillResignActive(_ application: UIApplication) {
        EventLog.shared.note("willResignActive \(name(of: application.applicationState))")
    }

    func applicationDidEnterBackground(_ application: UIApplication) {
        EventLog.shared.note("didEnterBackground \(name(of: application.applicationState))")
        uploads.finishPendingUploads()
    }

    func applicationWillEnterForeground(_ application: UIApplication) {
        EventLog.shared.note("willEnterForeground \(name(of: application.applicationState))")
    }

    func applicationWillTerminate(_ application: UIApplication) {
        EventLog.shared.note("willTerminate \(name(of: application.applicationState))")
    }

    func applicationDidReceiveMemoryWarning(_ application: UIApplication) {
        EventLog.shared.note("memoryWarning")
    }

    // MARK: UISceneSession life cycle

    func application(
        _ application: UIApplication, configurationForConnecting connectingSceneSession: UISceneSession,
        options: UIScene.ConnectionOptions
    ) -> UISceneConfiguration {
        return UISceneConfiguration(name: "Default Configuration", sessionRole: connectingSceneSession.role)
    }

    func application(_ application: UIApplication, didDiscardSceneSessions sceneSessions: Set<UISceneSession>) {
        EventLog.shared.note("discarded \(sceneSessions.map(\.persistentIdentifier).sorted())")
    }
}

class SceneDelegate: UIResponder, UIWindowSceneDelegate {
    var window: UIWindow?
    private var visits = 0

    func scene(
        _ scene: UIScene, willConnectTo session: UISceneSession, options connectionOptions: UIScene.ConnectionOptions
    ) {
        guard let windowScene = (scene as? UIWindowScene) else { return }
        let window = UIWindow(windowScene: windowScene)
        self.window = window
        window.makeKeyAndVisible()
        if let activity = connectionOptions.userActivities.first ?? session.stateRestorationActivity {
            visits = activity.userInfo?["visits"] as? Int ?? 0
        }
        EventLog.shared.note("scene connects with \(visits) visits")
    }

    func sceneDidDisconnect(_ scene: UIScene) {
        EventLog.shared.note("scene disconnected")
    }

    func sceneDidBecomeActive(_ scene: UIScene) {
        visits += 1
        EventLog.shared.note("scene active")
    }

    func sceneWillResignActive(_ scene: UIScene) {
        EventLog.shared.note("scene resigns")
    }

    func sceneWillEnterForeground(_ scene: UIScene) {
        EventLog.shared.note("scene to foreground")
    }

    func sceneDidEnterBackground(_ scene: UIScene) {
        EventLog.shared.note("scene in background")
        (UIApplication.shared.delegate as? AppDelegate)?.uploads.sceneWentAway()
    }

    func stateRestorationActivity(for scene: UIScene) -> NSUserActivity? {
        let activity = NSUserActivity(activityType: "com.example.visits")
        activity.addUserInfoEntries(from: ["visits": visits])
        return activity
    }
}

/// Finishes uploads when the application is in the background.
final class UploadManager {
    static let shared = UploadManager()

    private var backgroundTask: UIBackgroundTaskIdentifier = .invalid
    private let queue = DispatchQueue(label: "uploads")
    /// The test sets it: the upload then takes until its task expires.
    var isSlow = false

    func finishPendingUploads() {
        guard backgroundTask == .invalid else { return }
        backgroundTask = UIApplication.shared.beginBackgroundTask(withName: "Finish uploads") { [weak self] in
            dispatchPrecondition(condition: .onQueue(.main))
            EventLog.shared.note("upload expired")
            self?.endBackgroundTask()
        }
        assert(backgroundTask != .invalid)
        let remaining = UIApplication.shared.backgroundTimeRemaining
        let isUnlimited = remaining == Double.greatestFiniteMagnitude
        EventLog.shared.note("upload begins, unlimited \(isUnlimited)")
        guard !isSlow else { return }
        queue.async {
            EventLog.shared.note("upload done")
            DispatchQueue.main.async {
                self.endBackgroundTask()
            }
        }
    }

    func sceneWentAway() {
        // Off the main thread, as older code is.
        queue.async {
            let task = UIApplication.shared.beginBackgroundTask(expirationHandler: nil)
            UIApplication.shared.endBackgroundTask(task)
        }
    }

    private func endBackgroundTask() {
        guard backgroundTask != .invalid else { return }
        UIApplication.shared.endBackgroundTask(backgroundTask)
        backgroundTask = .invalid
    }
}

final class Picture: NSObject {
    let bytes: Int

    init(bytes: Int) {
        self.bytes = bytes
    }
}

/// Pictures by address.
class PictureCache: NSObject {
    static let shared = PictureCache()

    private let cache = NSCache<NSURL, Picture>()

    override init() {
        super.init()
        cache.name = "pictures"
        cache.countLimit = 1000
        cache.totalCostLimit = 512 * 1024 * 1024
        cache.delegate = self
    }

    subscript(url: URL) -> Picture? {
        get { return cache.object(forKey: url as NSURL) }
        set {
            if let picture = newValue {
                cache.setObject(picture, forKey: url as NSURL, cost: picture.bytes)
            } else {
                cache.removeObject(forKey: url as NSURL)
            }
        }
    }
}

extension PictureCache: NSCacheDelegate {
    func cache(_ cache: NSCache<AnyObject, AnyObject>, willEvictObject obj: Any) {
        guard let picture = obj as? Picture else { return }
        EventLog.shared.note("\(cache.name) lets \(picture.bytes) bytes go")
    }
}

/// Watches the memory by itself, too.
final class MemoryWatcher {
    private var source: DispatchSourceMemoryPressure?

    func start() {
        guard source == nil else { return }
        let source = DispatchSource.makeMemoryPressureSource(eventMask: [.warning, .critical], queue: .main)
        source.setEventHandler { [weak self] in
            guard let event = self?.source?.data else { return }
            EventLog.shared.note(event.contains(.critical) ? "pressure critical" : "pressure warning")
        }
        source.resume()
        self.source = source
    }

    func stop() {
        source?.cancel()
        source = nil
    }
}
