import BackgroundTasks
import Foundation
import Jetsam
import JetsamTesting
import MemoryPressure
import SystemPackage
import TestSupport
import Testing
import UIKit

@testable import UIKitApp6

extension ApplicationTests {
    /// An application in Swift 6 mode, with a scene for each room.
    @Suite(.serialized) @MainActor struct Swift6 {
        private let delegate = AppDelegate()

        init() {
            Journal.shared.clear()
        }

        private var lines: [String] { Journal.shared.lines }

        @Test("The delegate hears the callbacks in Apple's order, and the notifications after them")
        func order() async throws {
            let process = try ServerProcess(delegate)
            try await process.run {
                try await process.manager.enterBackground()
                try await process.until("the upload is done") { self.lines.contains("upload done") }
                try await process.manager.becomeActive()
                try await process.manager.resignActive()
                #expect(UIApplication.shared.applicationState == .inactive)
            }
            let own = lines.filter { !$0.hasPrefix("default") && !$0.hasPrefix("upload") }
            let way = [
                "didBecomeActive active", "posted UIApplicationDidBecomeActiveNotification", "willResignActive active",
                "posted UIApplicationWillResignActiveNotification",
            ]
            let background = [
                "didEnterBackground background", "posted UIApplicationDidEnterBackgroundNotification",
            ]
            let foreground = [
                "willEnterForeground background", "posted UIApplicationWillEnterForegroundNotification",
            ]
            #expect(
                own == ["willFinishLaunching inactive", "didFinishLaunching inactive"] + way + background + foreground
                    + way
                    + background + ["willTerminate background"])
        }

        @Test("Rooms connect when they are asked for, take what is for them, and are restored from what was stored")
        func rooms() async throws {
            let directory = FileManager.default.temporaryDirectory.appending(path: "rooms-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: directory) }
            let store = try FileStateStore(directory: FilePath(directory.path))
            let application = UIApplication.shared
            try await ServerProcess(delegate, stateStore: store).run {
                let activity = NSUserActivity(activityType: "com.example.room")
                activity.targetContentIdentifier = "garden"
                activity.userInfo = ["message": "hello"]
                application.requestSceneSessionActivation(nil, userActivity: activity, options: nil) {
                    Issue.record($0)
                }
                try await self.until("garden active")
                activity.userInfo = ["message": "again"]
                application.requestSceneSessionActivation(nil, userActivity: activity, options: nil)
                #expect(application.connectedScenes.contains { $0.session.persistentIdentifier == "garden" })
            }
            #expect(self.lines.contains("garden connects with [\"hello\"]"))
            #expect(self.lines.contains("garden disconnected"))
            Journal.shared.clear()

            try await ServerProcess(delegate, stateStore: store).run {
                try await self.until("default active")
                #expect(self.lines.contains("garden connects with [\"hello\", \"again\"]"))
                let garden = try #require(
                    application.openSessions.first { $0.persistentIdentifier == "garden" })
                #expect(garden.scene?.activationState == .background)
                application.requestSceneSessionDestruction(garden, options: nil) { Issue.record($0) }
                try await self.until("garden disconnected")
            }
            #expect(try await store.list(limit: 10).map(\.identifier) == ["default"])
        }

        @Test("A request that cannot be met is refused with its reason")
        func refusal() async throws {
            let process = try ServerProcess(delegate)
            try await process.run {
                var reasons: [String] = []
                let long = NSUserActivity(activityType: "com.example.room")
                long.targetContentIdentifier = String(repeating: "x", count: 200)
                UIApplication.shared.requestSceneSessionActivation(nil, userActivity: long, options: nil) {
                    reasons.append("\($0)")
                }
                #expect(reasons.count == 1 && reasons[0].hasSuffix("an identifier has 1 to 128 bytes"))
                try await process.manager.enterBackground()
                let room = NSUserActivity(activityType: "com.example.room")
                room.targetContentIdentifier = "cellar"
                UIApplication.shared.requestSceneSessionActivation(nil, userActivity: room, options: nil) {
                    reasons.append("\($0)")
                }
                try await process.until("it is refused") { reasons.count == 2 }
                #expect(reasons[1].contains("background"))
                try await process.manager.becomeActive()
            }
            #expect(!lines.contains { $0.hasPrefix("cellar") })
        }

        @Test("An expiration handler of the main actor ends its task when the process drains")
        func expiry() async throws {
            delegate.uploader.isSlow = true
            let process = try ServerProcess(delegate)
            try await process.run {}
            #expect(lines.contains("upload expired"))
            #expect(process.tasks.statistics.held == 0 && process.tasks.statistics.overdue == 0)
        }

        @Test("A warning reaches the delegate, and whoever iterates over its notifications; the cache gives")
        func memory() async throws {
            let process = try ServerProcess(delegate)
            let store = delegate.thumbnails
            try await process.run {
                store.keep(Preview(text: "old"), named: "old", bytes: 1 << 20)
                store.keep(Preview(text: "new"), named: "new", bytes: 1 << 20)
                #expect(store.preview(named: "old")?.text == "old")
                await process.manager.releaseCaches(bytes: 1 << 20)
                try await self.until("new goes")
                #expect(store.preview(named: "old") != nil, "it was used later")
                await process.manager.releaseCaches()
                try await self.until("old goes")
                #expect(store.preview(named: "old") == nil && store.preview(named: "new") == nil)
                process.manager.simulate(.warning)
                try await self.until("heard of a warning")
            }
            #expect(lines.contains("memoryWarning"))
            #expect(store.warnings == 1)
        }

        private func until(_ line: String) async throws {
            try await eventually("'\(line)'") { @MainActor in self.lines.contains(line) }
        }
    }
}
