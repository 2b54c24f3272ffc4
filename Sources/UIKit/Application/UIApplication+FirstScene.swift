#if os(Linux)
    internal import Foundation
    internal import Jetsam

    extension UIApplication {
        /// The identifier of the scene that connects by itself.
        private static let firstScene = "default"

        /// Connects a scene when the process has become active for the first time, as a phone does, if there is a class for its delegate.
        func connectFirstScene() {
            guard !hasFirstScene, let manager = life.manager else { return }
            let text = Self.firstScene
            if scenes[text] == nil {
                let session = UISceneSession(text)
                let configuration = configuration(for: session, options: UIScene.ConnectionOptions())
                guard delegateClass(of: configuration) != nil else { return }
                awaited[text] = AwaitedScene(session: session, configuration: configuration)
            }
            hasFirstScene = true
            // Apart from the callback that this is called in: scenes become active only after it.
            Task.detached(executorPreference: MainQueueExecutor.shared) {
                await manager.finishChange()
                let scene = try? await manager.scenes.scene(for: "default", on: MainQueueExecutor.shared) {
                    SceneBridge(application: self, identifier: text)
                }
                // Memory is short, or the process is not active any more: tried again when it is.
                if scene == nil { await self.forgetFirstScene() }
            }
        }

        private func forgetFirstScene() {
            hasFirstScene = false
            awaited[Self.firstScene] = nil
        }

        func configuration(
            for session: UISceneSession, options: UIScene.ConnectionOptions
        ) -> UISceneConfiguration {
            delegate?.application(self, configurationForConnecting: session, options: options)
                ?? UISceneConfiguration(name: nil, sessionRole: session.role)
        }

        /// The class of a scene's delegate: the one that is named, else `SceneDelegate` beside the application's delegate.
        func delegateClass(of configuration: UISceneConfiguration) -> NSObject.Type? {
            if let named = configuration.delegateClass { return named as? NSObject.Type }
            guard let delegate, let module = String(reflecting: type(of: delegate)).split(separator: ".").first else {
                return nil
            }
            let found: AnyClass? = NSClassFromString("\(module).SceneDelegate")
            return found is any UISceneDelegate.Type ? found as? NSObject.Type : nil
        }
    }
#endif
