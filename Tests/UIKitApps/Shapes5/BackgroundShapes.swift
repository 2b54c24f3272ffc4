import UIKit

// Shapes of background work that applications in Swift 5 mode have.

class DownloadService {
    var backgroundTaskID: UIBackgroundTaskIdentifier?
    var backgroundTask = UIBackgroundTaskIdentifier.invalid
    private(set) var finished = 0

    func start() {
        self.backgroundTaskID = UIApplication.shared.beginBackgroundTask(
            withName: "download",
            expirationHandler: {
                self.cancel()
            })
        DispatchQueue.global(qos: .background).async { [weak self] in
            guard let self = self else { return }
            self.finished += 1
            DispatchQueue.main.async {
                guard let id = self.backgroundTaskID else { return }
                UIApplication.shared.endBackgroundTask(id)
                self.backgroundTaskID = nil
            }
        }
    }

    func cancel() {
        if let id = backgroundTaskID {
            UIApplication.shared.endBackgroundTask(id)
        }
        backgroundTaskID = .invalid
    }

    func registerBackgroundTask() {
        backgroundTask = UIApplication.shared.beginBackgroundTask { [weak self] in
            self?.endBackgroundTask()
        }
        assert(backgroundTask != UIBackgroundTaskIdentifier.invalid)
    }

    func endBackgroundTask() {
        print("Background task ended.")
        UIApplication.shared.endBackgroundTask(backgroundTask)
        backgroundTask = .invalid
    }

    func localVariable() -> Bool {
        var identifier: UIBackgroundTaskIdentifier = .invalid
        identifier = UIApplication.shared.beginBackgroundTask(withName: "local") {
            UIApplication.shared.endBackgroundTask(identifier)
            identifier = .invalid
        }
        defer { UIApplication.shared.endBackgroundTask(identifier) }
        return identifier != .invalid
    }

    func states() -> String {
        let application = UIApplication.shared
        if application.applicationState == .background || application.applicationState != .active {
            return String(format: "%.1f s", min(application.backgroundTimeRemaining, 99))
        }
        switch application.applicationState {
        case .active: return "active"
        case .background, .inactive: return "other"
        @unknown default: fatalError()
        }
    }
}

/// A background task as an `Operation`, as networking layers have it.
final class BackgroundOperation: Operation, @unchecked Sendable {
    private var task: UIBackgroundTaskIdentifier = .invalid

    override func main() {
        let application = UIApplication.shared
        task = application.beginBackgroundTask(withName: String(describing: type(of: self))) { [unowned self] in
            self.cancel()
            application.endBackgroundTask(self.task)
        }
        guard task != .invalid, !isCancelled else { return }
        application.endBackgroundTask(task)
        task = UIBackgroundTaskIdentifier(rawValue: UIBackgroundTaskIdentifier.invalid.rawValue)
    }
}

/// The protocol that tests of applications put in the place of the application.
protocol BackgroundTaskProviding: AnyObject {
    func beginBackgroundTask(
        withName name: String?, expirationHandler handler: (@MainActor @Sendable () -> Void)?
    ) -> UIBackgroundTaskIdentifier
    func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier)
}

extension UIApplication: BackgroundTaskProviding {}

final class Activities {
    var isExpired = false

    func run() {
        ProcessInfo.processInfo.performExpiringActivity(withReason: "save") { expired in
            guard !expired else {
                self.isExpired = true
                return
            }
            print("saved")
        }
    }
}
