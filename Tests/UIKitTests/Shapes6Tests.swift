import BackgroundTasks
import Foundation
import Jetsam
import JetsamTesting
import TestSupport
import Testing
import UIKit

@testable import UIKitShapes6

extension ApplicationTests {
    @Suite(.serialized) @MainActor struct Shapes6 {
        private let delegate = ShapesApp()

        @Test("Tasks of actors and of async functions hold the process, and are told when it ends")
        func tasks() async throws {
            let process = try ServerProcess(delegate)
            let local = LocalTask()
            try await process.run {
                #expect(await withBackgroundTime("sum") { 1 + 1 } == 2)
                #expect(await SyncEngine().sync())
                try await process.until("it has ended") { process.tasks.statistics.held == 0 }
                let tasks: any BackgroundTasking = UIApplication.shared
                tasks.endBackgroundTask(tasks.beginBackgroundTask(withName: "mock", expirationHandler: nil))
                local.run()
            }
            #expect(local.expirations == 1)
            #expect(process.tasks.statistics.held == 0)
        }

        @Test("Notifications are iterated over until the task is cancelled")
        func notifications() async throws {
            let process = try ServerProcess(delegate)
            let model = LifecycleModel()
            defer { model.stop() }
            try await process.run {
                try await process.manager.enterBackground()
                try await process.until("it has heard") { model.isInBackground }
                try await process.manager.becomeActive()
                try await process.until("it has heard") { !model.isInBackground }
            }
        }

        @Test("A document's scene opens by its activity, and its session is discarded when it is closed")
        func documents() async throws {
            DocumentSceneDelegate.opened = []
            let process = try ServerProcess(delegate)
            try await process.run {
                delegate.openDocument("letter")
                try await process.until("it is open") { DocumentSceneDelegate.opened == ["letter"] }
                try await process.until("it serves") {
                    UIApplication.shared.connectedScenes.contains { $0.activationState == .foregroundActive }
                }
                delegate.closeAll()
                try await process.until("it is closed") { self.delegate.discarded == ["letter"] }
                #expect(UIApplication.shared.openSessions.isEmpty)
            }
        }

        @Test("A watch of an actor's is started and stopped; a page's content is used and thrown away")
        func others() async throws {
            let watch = PressureWatch()
            await watch.start()
            await watch.stop()
            let page = Page()
            UIKitShapes6.Caches.pages.setObject(page, forKey: 1)
            #expect(UIKitShapes6.Caches.pages.object(forKey: 1) === page && page.beginContentAccess())
            page.endContentAccess()
            page.discardContentIfPossible()
            #expect(UIKitShapes6.Caches.pages.object(forKey: 1) == nil)
        }
    }
}
