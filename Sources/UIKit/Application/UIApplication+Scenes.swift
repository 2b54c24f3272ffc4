#if os(Linux)
    public import Foundation
    internal import Jetsam

    extension UIApplication {
        /// The scenes that are connected.
        public var connectedScenes: Set<UIScene> { Set(scenes.values) }

        /// The sessions of the scenes that are connected.
        public var openSessions: Set<UISceneSession> { Set(scenes.values.map(\.session)) }

        /// Always true: a server has a scene for each tenant, room or model that asks for one.
        public var supportsMultipleScenes: Bool { true }

        /// Asks for a scene, which serves then: one that is connected becomes active, any other connects.
        ///
        /// Its identifier is that of the session, else the activity's `targetContentIdentifier`, such as a tenant's name, else a new one.
        ///
        /// - Parameters:
        ///   - sceneSession: The session of a scene that there was before; nil for none.
        ///   - userActivity: What the scene is for. A connected scene gets it by `scene(_:continue:)`, a new one with its options.
        ///   - options: Not looked at.
        ///   - errorHandler: Called on the main actor where there will be no scene, with the reason: memory is short, the process is not
        ///     active, the identifier has not 1 to 128 bytes, or there is no manager.
        public func requestSceneSessionActivation(
            _ sceneSession: UISceneSession?, userActivity: NSUserActivity?, options: UIScene.ActivationRequestOptions?,
            errorHandler: (@MainActor (any Error) -> Void)? = nil
        ) {
            let text = sceneSession?.persistentIdentifier ?? userActivity?.targetContentIdentifier ?? UUID().uuidString
            guard let identifier = SceneIdentifier(text) else {
                errorHandler?(SceneRequestError(identifier: text, reason: "an identifier has 1 to 128 bytes"))
                return
            }
            guard let manager = life.manager else {
                errorHandler?(SceneRequestError(identifier: text, reason: "the application follows no manager yet"))
                return
            }
            if let scene = scenes[text] {
                if let userActivity { scene.delegate?.scene(scene, continue: userActivity) }
            } else {
                let session = sceneSession ?? UISceneSession(text)
                awaited[text] = AwaitedScene(session: session, activity: userActivity)
            }
            // Apart from the callback that this may be called in: a change cannot be asked for from inside one.
            Task.detached { await self.activate(identifier, of: manager, errorHandler) }
        }

        private func activate(
            _ identifier: SceneIdentifier, of manager: ResourceManager,
            _ errorHandler: (@MainActor (any Error) -> Void)?
        ) async {
            let text = identifier.text
            // The delegate hears that the process is active before scenes may be.
            await manager.finishChange()
            do {
                _ = try await manager.scenes.scene(for: identifier, on: MainQueueExecutor.shared) {
                    SceneBridge(application: self, identifier: text)
                }
            } catch {
                errorHandler?(error)
            }
            awaited[text] = nil
        }

        /// Disconnects the scene of a session, and forgets its stored state. The delegate hears of it when that is done.
        ///
        /// - Parameters:
        ///   - sceneSession: The session.
        ///   - options: Not looked at.
        ///   - errorHandler: Called on the main actor where the scene stays, or is not connected, with the reason.
        public func requestSceneSessionDestruction(
            _ sceneSession: UISceneSession, options: UISceneDestructionRequestOptions?,
            errorHandler: (@MainActor (any Error) -> Void)? = nil
        ) {
            let text = sceneSession.persistentIdentifier
            guard let identifier = SceneIdentifier(text), let scene = life.manager?.scenes[identifier] else {
                errorHandler?(SceneRequestError(identifier: text, reason: "it is not connected"))
                return
            }
            Task.detached { await self.destroy(scene, sceneSession, errorHandler) }
        }

        private func destroy(
            _ scene: ServerScene, _ session: UISceneSession, _ errorHandler: (@MainActor (any Error) -> Void)?
        ) async {
            do {
                try await scene.disconnect(discardingState: true)
                delegate?.application(self, didDiscardSceneSessions: [session])
            } catch {
                errorHandler?(error)
            }
        }
    }

    /// What a request to destroy a session says beside it. Kept for sources that pass it: nothing in it is looked at.
    @preconcurrency @MainActor open class UISceneDestructionRequestOptions: NSObject {
        /// No options.
        public override init() {
            super.init()
        }
    }

    /// A scene that was asked for and has not connected yet.
    struct AwaitedScene {
        let session: UISceneSession
        var activity: NSUserActivity?
        /// The delegate's answer, where it was asked already.
        var configuration: UISceneConfiguration?
    }

    /// A request for a scene that cannot be met.
    struct SceneRequestError: Error, CustomStringConvertible, LocalizedError {
        let identifier: String
        let reason: String

        var description: String { "scene '\(identifier.prefix(128))': \(reason)" }
        var errorDescription: String? { description }
    }
#endif
