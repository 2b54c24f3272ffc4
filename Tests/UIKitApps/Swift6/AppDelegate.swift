import UIKit

/// What happened, for the tests: written to standard output too.
@MainActor
final class Journal {
    static let shared = Journal()

    private(set) var lines: [String] = []

    func note(_ line: String) {
        lines.append(line)
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }

    func clear() {
        lines = []
    }
}

extension UIApplication.State {
    var name: String {
        switch self {
        case .active: "active"
        case .inactive: "inactive"
        case .background: "background"
        @unknown default: "unknown"
        }
    }
}

@main
final class AppDelegate: NSObject, UIApplicationDelegate {
    let uploader = Uploader()
    let thumbnails = ThumbnailStore()
    private var listeners: [Task<Void, Never>] = []
    private var tokens: [any NSObjectProtocol] = []

    func application(
        _ application: UIApplication,
        willFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]? = nil
    ) -> Bool {
        Journal.shared.note("willFinishLaunching \(application.applicationState.name)")
        return true
    }

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]? = nil
    ) -> Bool {
        listenToMemoryWarnings()
        for name in [
            UIApplication.didBecomeActiveNotification, UIApplication.willResignActiveNotification,
            UIApplication.didEnterBackgroundNotification, UIApplication.willEnterForegroundNotification,
            UIApplication.willTerminateNotification,
        ] {
            tokens.append(
                NotificationCenter.default.addObserver(forName: name, object: nil, queue: .main) { notification in
                    let name = notification.name.rawValue
                    MainActor.assumeIsolated { Journal.shared.note("posted \(name)") }
                })
        }
        Journal.shared.note("didFinishLaunching \(application.applicationState.name)")
        return true
    }

    private func listenToMemoryWarnings() {
        let task = Task { [weak self] in
            let warnings = NotificationCenter.default.notifications(
                named: UIApplication.didReceiveMemoryWarningNotification)
            for await _ in warnings.map({ _ in () }) {
                guard let self else { return }
                Journal.shared.note("heard of a warning")
                thumbnails.noteWarning()
            }
        }
        listeners.append(task)
    }

    func applicationDidBecomeActive(_ application: UIApplication) {
        Journal.shared.note("didBecomeActive \(application.applicationState.name)")
    }

    func applicationWillResignActive(_ application: UIApplication) {
        Journal.shared.note("willResignActive \(application.applicationState.name)")
    }

    func applicationDidEnterBackground(_ application: UIApplication) {
        Journal.shared.note("didEnterBackground \(application.applicationState.name)")
        uploader.uploadInBackground()
    }

    func applicationWillEnterForeground(_ application: UIApplication) {
        Journal.shared.note("willEnterForeground \(application.applicationState.name)")
    }

    func applicationWillTerminate(_ application: UIApplication) {
        Journal.shared.note("willTerminate \(application.applicationState.name)")
        listeners.forEach { $0.cancel() }
        tokens.forEach { NotificationCenter.default.removeObserver($0) }
    }

    func applicationDidReceiveMemoryWarning(_ application: UIApplication) {
        Journal.shared.note("memoryWarning")
    }

    func application(
        _ application: UIApplication, configurationForConnecting connectingSceneSession: UISceneSession,
        options: UIScene.ConnectionOptions
    ) -> UISceneConfiguration {
        let configuration = UISceneConfiguration(name: nil, sessionRole: connectingSceneSession.role)
        configuration.delegateClass = RoomDelegate.self
        return configuration
    }
}

final class RoomDelegate: UIResponder, UIWindowSceneDelegate {
    var window: UIWindow?
    private var messages: [String] = []

    func scene(
        _ scene: UIScene, willConnectTo session: UISceneSession, options connectionOptions: UIScene.ConnectionOptions
    ) {
        guard let scene = scene as? UIWindowScene else { return }
        window = UIWindow(windowScene: scene)
        if let restored = session.stateRestorationActivity?.userInfo?["messages"] as? [String] {
            messages = restored
        }
        if let activity = connectionOptions.userActivities.first {
            join(activity)
        }
        Journal.shared.note("\(session.persistentIdentifier) connects with \(messages)")
    }

    func scene(_ scene: UIScene, continue userActivity: NSUserActivity) {
        join(userActivity)
    }

    private func join(_ activity: NSUserActivity) {
        guard let message = activity.userInfo?["message"] as? String else { return }
        messages.append(message)
    }

    func sceneDidBecomeActive(_ scene: UIScene) {
        Journal.shared.note("\(scene.session.persistentIdentifier) active")
    }

    func sceneWillResignActive(_ scene: UIScene) {
        Journal.shared.note("\(scene.session.persistentIdentifier) resigns")
    }

    func sceneDidEnterBackground(_ scene: UIScene) {
        Journal.shared.note("\(scene.session.persistentIdentifier) in background")
    }

    func sceneWillEnterForeground(_ scene: UIScene) {
        Journal.shared.note("\(scene.session.persistentIdentifier) to foreground")
    }

    func sceneDidDisconnect(_ scene: UIScene) {
        Journal.shared.note("\(scene.session.persistentIdentifier) disconnected")
    }

    func stateRestorationActivity(for scene: UIScene) -> NSUserActivity? {
        let activity = NSUserActivity(activityType: "com.example.room")
        activity.title = "Room"
        activity.userInfo = ["messages": messages]
        return activity
    }
}

/// Uploads that go on in the background.
@MainActor
final class Uploader {
    private var task: UIBackgroundTaskIdentifier = .invalid
    private var work: Task<Void, Never>?
    /// The test sets it: the upload then takes until its task expires.
    var isSlow = false

    func uploadInBackground() {
        guard task == .invalid else { return }
        task = UIApplication.shared.beginBackgroundTask(withName: "Upload") {
            Journal.shared.note("upload expired")
            self.work?.cancel()
            self.finish()
        }
        guard task != .invalid else { return }
        let isUnlimited = UIApplication.shared.backgroundTimeRemaining == .greatestFiniteMagnitude
        Journal.shared.note("upload begins, unlimited \(isUnlimited)")
        guard !isSlow else { return }
        work = Task {
            await Self.send(Data("picture".utf8))
            Journal.shared.note("upload done")
            finish()
        }
    }

    private nonisolated static func send(_ data: Data) async {
        await Task.yield()
    }

    private func finish() {
        UIApplication.shared.endBackgroundTask(task)
        task = .invalid
    }
}

final class Preview: Sendable {
    let text: String

    init(text: String) {
        self.text = text
    }
}

@MainActor
final class ThumbnailStore: NSObject {
    private let cache = NSCache<NSString, Preview>()
    private var pressure: (any DispatchSourceMemoryPressure)?
    private(set) var warnings = 0

    override init() {
        super.init()
        cache.name = "previews"
        cache.totalCostLimit = 1 << 30
        cache.delegate = self
    }

    func preview(named name: String) -> Preview? {
        cache.object(forKey: name as NSString)
    }

    func keep(_ preview: Preview, named name: String, bytes: Int) {
        cache.setObject(preview, forKey: name as NSString, cost: bytes)
    }

    func noteWarning() {
        warnings += 1
    }

    func watchMemory() {
        let source = DispatchSource.makeMemoryPressureSource(eventMask: .all, queue: .main)
        source.setEventHandler { [weak self] in
            MainActor.assumeIsolated { self?.noteWarning() }
        }
        source.activate()
        pressure = source
    }
}

extension ThumbnailStore: NSCacheDelegate {
    nonisolated func cache(_ cache: NSCache<AnyObject, AnyObject>, willEvictObject obj: Any) {
        guard let preview = obj as? Preview else { return }
        Task { @MainActor in
            Journal.shared.note("\(preview.text) goes")
        }
    }
}
