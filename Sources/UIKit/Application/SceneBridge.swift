#if os(Linux)
    internal import Foundation
    internal import Jetsam

    /// Tells a ``UIScene`` and its delegate what happens to the server's scene behind it.
    struct SceneBridge: SceneObserver {
        let application: UIApplication
        let identifier: String

        func willConnect(_ scene: ServerScene, restoring state: SceneStateData?) async throws {
            await application.connect(identifier, restoring: state)
        }

        func didBecomeActive(_ scene: ServerScene, _ transition: SceneTransition) async {
            await onMain { scene in
                // One that has just connected comes from the background, too, as on a phone.
                if scene.activationState == .background { await scene.enterForeground() }
                scene.activationState = .foregroundActive
                scene.delegate?.sceneDidBecomeActive(scene)
                await scene.post(UIScene.didActivateNotification)
            }
        }

        func willResignActive(_ scene: ServerScene, _ transition: SceneTransition) async {
            await onMain { scene in
                scene.delegate?.sceneWillResignActive(scene)
                await scene.post(UIScene.willDeactivateNotification)
                scene.activationState = .foregroundInactive
            }
        }

        func didEnterBackground(_ scene: ServerScene, _ transition: SceneTransition) async {
            await onMain { scene in
                scene.activationState = .background
                scene.delegate?.sceneDidEnterBackground(scene)
                await scene.post(UIScene.didEnterBackgroundNotification)
            }
        }

        func willEnterForeground(_ scene: ServerScene, _ transition: SceneTransition) async {
            await onMain { await $0.enterForeground() }
        }

        func willTerminate(_ scene: ServerScene, _ transition: SceneTransition) async {
            await application.disconnect(identifier)
        }

        func didDisconnect(_ scene: ServerScene, _ transition: SceneTransition) async {
            await application.disconnect(identifier)
        }

        func encodeState(of scene: ServerScene) async throws -> SceneStateData? {
            try await encodeOnMain()
        }

        @MainActor private func encodeOnMain() throws -> SceneStateData? {
            guard let scene = application.scenes[identifier] else { return nil }
            return try scene.delegate?.stateRestorationActivity(for: scene).map { try ActivityCoding.state(of: $0) }
        }

        @MainActor private func onMain(_ body: @MainActor (UIScene) async -> Void) async {
            if let scene = application.scenes[identifier] { await body(scene) }
        }
    }

    extension UIApplication {
        /// Makes the scene of that name, and tells its delegate that it connects.
        fileprivate func connect(_ identifier: String, restoring state: SceneStateData?) async {
            let awaited = awaited[identifier] ?? AwaitedScene(session: UISceneSession(identifier))
            let session = awaited.session
            session.stateRestorationActivity = state.flatMap { ActivityCoding.activity(from: $0) }
            let options = UIScene.ConnectionOptions(userActivities: awaited.activity.map { [$0] } ?? [])
            let configuration = awaited.configuration ?? configuration(for: session, options: options)
            session.configuration = configuration
            let type = configuration.sceneClass as? UIScene.Type ?? UIWindowScene.self
            let scene = type.init(session: session, connectionOptions: options)
            scene.delegate = delegateClass(of: configuration)?.made() as? any UISceneDelegate
            session.scene = scene
            scenes[identifier] = scene
            scene.delegate?.scene(scene, willConnectTo: session, options: options)
            await scene.post(UIScene.willConnectNotification)
            scene.activationState = .background
        }

        fileprivate func disconnect(_ identifier: String) async {
            guard let scene = scenes.removeValue(forKey: identifier) else { return }
            scene.activationState = .unattached
            scene.session.scene = nil
            scene.delegate?.sceneDidDisconnect(scene)
            await scene.post(UIScene.didDisconnectNotification)
        }
    }

    extension UIScene {
        fileprivate func enterForeground() async {
            delegate?.sceneWillEnterForeground(self)
            await post(UIScene.willEnterForegroundNotification)
            activationState = .foregroundInactive
        }

        fileprivate func post(_ name: NSNotification.Name) async {
            await NotificationCenter.default.postOnMain(name, about: self)
        }
    }
#endif
