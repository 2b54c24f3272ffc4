import BackgroundTasks
import Foundation
import Jetsam
import JetsamTesting
import MemoryPressure
import TestSupport
import Testing
import UIKit

@testable import UIKitApp5

extension ApplicationTests {
    /// An application in Swift 5 mode, with one scene, as Xcode's template has it.
    @Suite(.serialized) @MainActor struct Swift5 {
        private let delegate = AppDelegate()

        init() {
            delegate.uploads.isSlow = false
            EventLog.shared.clear()
        }

        private var events: [String] { EventLog.shared.all }

        /// Those of the delegate, without those of the scene, the upload and what was posted.
        private var callbacks: [String] {
            events.filter { event in !["posted", "scene", "upload"].contains { event.hasPrefix($0) } }
        }

        @Test(
            "The delegate hears the callbacks in Apple's order, with Apple's states, and the notifications after them")
        func order() async throws {
            let process = try ServerProcess(delegate)
            try await process.run {
                try await process.until("the scene serves") { self.events.contains("scene active") }
                try await process.manager.enterBackground()
                #expect(UIApplication.shared.applicationState == .background)
                try await process.manager.becomeActive()
            }
            #expect(
                callbacks == [
                    "willFinishLaunching inactive", "didFinishLaunching inactive", "didBecomeActive active",
                    "willResignActive active", "didEnterBackground background", "willEnterForeground background",
                    "didBecomeActive active", "willResignActive active", "didEnterBackground background",
                    "willTerminate background",
                ])
            for name in [
                "DidFinishLaunching", "DidBecomeActive", "WillResignActive", "DidEnterBackground",
                "WillEnterForeground",
                "WillTerminate",
            ] {
                let callback = events.firstIndex { $0.hasPrefix(name.first!.lowercased() + name.dropFirst()) }
                let posted = events.firstIndex(of: "posted UIApplication\(name)Notification")
                #expect(callback ?? .max < posted ?? -1, "\(name)")
            }
        }

        @Test("A scene connects by itself at the launch, follows the process, and keeps what it was")
        func scene() async throws {
            let process = try ServerProcess(delegate)
            var session: UISceneSession?
            try await process.run {
                try await process.until("the scene serves") { self.events.contains("scene active") }
                let scene = try #require(UIApplication.shared.connectedScenes.first)
                #expect(scene.activationState == .foregroundActive)
                #expect(scene is UIWindowScene && scene.delegate is SceneDelegate)
                session = scene.session
                try await process.manager.enterBackground()
                #expect(scene.activationState == .background)
                try await process.manager.becomeActive()
            }
            #expect(
                events.filter { $0.hasPrefix("scene") } == [
                    "scene connects with 0 visits", "scene to foreground", "scene active", "scene resigns",
                    "scene in background", "scene to foreground", "scene active", "scene resigns",
                    "scene in background",
                    "scene disconnected",
                ])
            #expect(session?.persistentIdentifier == "default" && session?.scene == nil)
            #expect(UIApplication.shared.connectedScenes.isEmpty)
        }

        @Test("An upload in the background is waited for, and has limited time once the process ends")
        func upload() async throws {
            let process = try ServerProcess(delegate)
            try await process.run {
                #expect(UIApplication.shared.backgroundTimeRemaining == .greatestFiniteMagnitude)
                try await process.manager.enterBackground()
                try await process.until("it is done") {
                    process.tasks.statistics.ended >= 1 && process.tasks.statistics.held == 0
                }
                try await process.manager.becomeActive()
            }
            #expect(
                events.filter { $0.hasPrefix("upload") } == [
                    "upload begins, unlimited true", "upload done", "upload begins, unlimited false", "upload done",
                ])
        }

        @Test(
            "An upload that takes too long is told that its task expires, before the last callback")
        func expiry() async throws {
            delegate.uploads.isSlow = true
            let process = try ServerProcess(delegate)
            try await process.run {}
            let expired = try #require(events.firstIndex(of: "upload expired"))
            let last = try #require(events.firstIndex(of: "willTerminate background"))
            #expect(expired < last)
            #expect(process.tasks.statistics.overdue == 0)
        }

        @Test("When memory is critical, the delegate is warned and the cache gives its pictures, the oldest first")
        func memory() async throws {
            let process = try ServerProcess(delegate)
            let addresses = (0..<10).map { URL(string: "https://example.com/\($0)")! }
            try await process.run {
                for (number, address) in addresses.enumerated() {
                    PictureCache.shared[address] = Picture(bytes: 1 << 20 + number)
                }
                process.machine.tree.setUnreclaimable(bytes: 490 << 20)
                process.machine.tree.setFootprint(bytes: 490 << 20)
                process.machine.advance(by: .seconds(1))
                try await process.until("it is empty") { self.events.count { $0.hasPrefix("pictures") } == 10 }
                #expect(addresses.allSatisfy { PictureCache.shared[$0] == nil })
                try await process.until("it is posted") {
                    self.events.contains("posted UIApplicationDidReceiveMemoryWarningNotification")
                }
                #expect(process.manager.level == .critical)
                process.machine.tree.setUnreclaimable(bytes: 100 << 20)
            }
            #expect(callbacks.contains("memoryWarning"))
            let gone = events.filter { $0.hasPrefix("pictures") }
            #expect(gone == (0..<10).map { "pictures lets \(1 << 20 + $0) bytes go" })
        }
    }
}
