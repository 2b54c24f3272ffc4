import Foundation
import Jetsam
import JetsamTesting
import Testing

@testable import UIKit

/// A delegate that notes what it hears, and asks for a scene where that could wait for itself.
@MainActor private final class NotingDelegate: NSObject, UIApplicationDelegate {
    var heard: [String] = []
    var problems: [String] = []
    var asksForScenes = false

    func applicationDidBecomeActive(_ application: UIApplication) {
        guard asksForScenes else { return }
        ask("from the process")
    }

    func applicationProtectedDataWillBecomeUnavailable(_ application: UIApplication) {
        heard.append("protected data goes, available \(application.isProtectedDataAvailable)")
    }

    func applicationProtectedDataDidBecomeAvailable(_ application: UIApplication) {
        heard.append("protected data is back, available \(application.isProtectedDataAvailable)")
    }

    func applicationSignificantTimeChange(_ application: UIApplication) {
        heard.append("time")
    }

    func application(
        _ application: UIApplication, configurationForConnecting connectingSceneSession: UISceneSession,
        options: UIScene.ConnectionOptions
    ) -> UISceneConfiguration {
        let configuration = UISceneConfiguration(name: nil, sessionRole: connectingSceneSession.role)
        if asksForScenes { configuration.delegateClass = AskingSceneDelegate.self }
        return configuration
    }

    func ask(_ name: String) {
        let activity = NSUserActivity(activityType: "test")
        activity.targetContentIdentifier = name
        UIApplication.shared.requestSceneSessionActivation(nil, userActivity: activity, options: nil) {
            self.problems.append("\($0)")
        }
    }
}

private final class AskingSceneDelegate: NSObject, UISceneDelegate {
    func sceneDidBecomeActive(_ scene: UIScene) {
        if scene.session.persistentIdentifier == "default" {
            (UIApplication.shared.delegate as? NotingDelegate)?.ask("from a scene")
        }
    }
}

extension ApplicationTests {
    @Suite(.serialized) @MainActor struct ProcessEvents {
        private let delegate = NotingDelegate()

        @Test("Protected data is gone after it was said to go, and back before it is said to be back")
        func protectedData() async throws {
            let process = try ServerProcess(delegate)
            var posted: [String] = []
            let names = [
                UIApplication.protectedDataWillBecomeUnavailableNotification,
                UIApplication.protectedDataDidBecomeAvailableNotification,
            ]
            let tokens = names.map { name in
                NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { note in
                    let name = note.name.rawValue
                    MainActor.assumeIsolated { posted.append(name) }
                }
            }
            defer { for token in tokens { NotificationCenter.default.removeObserver(token) } }
            try await process.run {
                await process.manager.scenes.stateStoreBecame(available: false)
                try await process.until("it is gone") { !UIApplication.shared.isProtectedDataAvailable }
                await process.manager.scenes.stateStoreBecame(available: true)
                try await process.until("it is back") { self.delegate.heard.count == 2 && posted.count == 2 }
            }
            #expect(
                delegate.heard == ["protected data goes, available true", "protected data is back, available true"])
            #expect(posted == names.map(\.rawValue))
        }

        @Test("A clock that is set is a significant time change")
        func time() async throws {
            let process = try ServerProcess(delegate)
            try await process.run {
                process.machine.setWallClock(by: .seconds(7200))
                try await process.until("it is told") {
                    process.machine.advance(by: .milliseconds(100))
                    return self.delegate.heard.contains("time")
                }
            }
        }

        @Test("Scenes may be asked for in callbacks of the process and of scenes")
        func scenesFromCallbacks() async throws {
            delegate.asksForScenes = true
            let process = try ServerProcess(delegate)
            try await process.run {
                try await process.until("all serve") {
                    let active = UIApplication.shared.connectedScenes.filter { $0.activationState == .foregroundActive }
                    return active.count == 3
                }
            }
            #expect(delegate.problems == [])
        }
    }
}
