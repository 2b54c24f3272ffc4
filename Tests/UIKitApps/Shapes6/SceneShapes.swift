import UIKit

// Scenes as applications in Swift 6 mode have them.

@MainActor
final class DocumentSceneDelegate: NSObject, UIWindowSceneDelegate {
    var window: UIWindow?
    static var opened: [String] = []
    private weak var scene: UIWindowScene?

    func scene(
        _ scene: UIScene, willConnectTo session: UISceneSession, options connectionOptions: UIScene.ConnectionOptions
    ) {
        guard let windowScene = scene as? UIWindowScene else { return }
        self.scene = windowScene
        scene.title = session.userInfo?["title"] as? String
        let activity = connectionOptions.userActivities.first ?? session.stateRestorationActivity
        if let activity, activity.activityType == "com.example.document" {
            DocumentSceneDelegate.opened.append(activity.targetContentIdentifier ?? "none")
        }
        if let urlContext = connectionOptions.urlContexts.first { print(urlContext.url) }
        window = UIWindow(windowScene: windowScene)
    }

    func scene(_ scene: UIScene, openURLContexts URLContexts: Set<UIOpenURLContext>) {
        for context in URLContexts { print(context.url.path) }
    }

    func sceneDidBecomeActive(_ scene: UIScene) { update(for: scene) }
    func sceneWillResignActive(_ scene: UIScene) { update(for: scene) }

    private func update(for scene: UIScene) {
        switch scene.activationState {
        case .foregroundActive, .foregroundInactive: break
        case .background, .unattached: break
        @unknown default: break
        }
    }

    func stateRestorationActivity(for scene: UIScene) -> NSUserActivity? {
        scene.session.stateRestorationActivity
    }
}

final class ShapesApp: UIResponder, UIApplicationDelegate {
    private(set) var discarded: Set<String> = []

    func application(
        _ application: UIApplication, configurationForConnecting connectingSceneSession: UISceneSession,
        options: UIScene.ConnectionOptions
    ) -> UISceneConfiguration {
        let name = options.userActivities.isEmpty ? "Default" : "Document"
        let configuration = UISceneConfiguration(name: name, sessionRole: connectingSceneSession.role)
        configuration.delegateClass = options.userActivities.isEmpty ? nil : DocumentSceneDelegate.self
        configuration.sceneClass = UIWindowScene.self
        return configuration
    }

    func application(_ application: UIApplication, didDiscardSceneSessions sceneSessions: Set<UISceneSession>) {
        discarded.formUnion(sceneSessions.map(\.persistentIdentifier))
    }

    func openDocument(_ name: String) {
        let activity = NSUserActivity(activityType: "com.example.document")
        activity.title = name
        activity.targetContentIdentifier = name
        activity.addUserInfoEntries(from: ["opened": Date(timeIntervalSince1970: 0)])
        let options = UIScene.ActivationRequestOptions()
        options.requestingScene = UIApplication.shared.connectedScenes.first
        UIApplication.shared.requestSceneSessionActivation(nil, userActivity: activity, options: options) { error in
            print(error.localizedDescription)
        }
    }

    func closeAll() {
        for session in UIApplication.shared.openSessions where session.role == .windowApplication {
            UIApplication.shared.requestSceneSessionDestruction(session, options: nil, errorHandler: nil)
        }
    }
}
