import BackgroundTasks
import Foundation
import Jetsam
import JetsamTesting
import TestSupport
import Testing
import UIKit

@testable import UIKitShapes5

extension ApplicationTests {
    @Suite(.serialized) @MainActor struct Shapes5 {
        private let delegate = ShapesDelegate()

        @Test("A delegate passes its calls on to services, as optional ones")
        func services() async throws {
            AnalyticsService.sessions = 0
            let process = try ServerProcess(delegate)
            try await process.run {
                #expect(UIApplication.typedDelegate === delegate)
                #expect(UIApplication.shared.foregroundScene == nil && UIApplication.shared.allWindowScenes.isEmpty)
            }
            #expect(AnalyticsService.sessions == 11)
            #expect(UIApplication.shared.isIdleTimerDisabled)
        }

        @Test("Background tasks are begun and ended from stored and local identifiers, and from any thread")
        func tasks() async throws {
            let process = try ServerProcess(delegate)
            try await process.run {
                let service = DownloadService()
                service.start()
                try await process.until("it has ended") { service.backgroundTaskID == nil }
                service.registerBackgroundTask()
                #expect(service.localVariable())
                #expect(process.tasks.statistics.held == 1)
                service.endBackgroundTask()
                #expect(service.states() == "active")
                let queue = OperationQueue()
                queue.addOperation(BackgroundOperation())
                try await process.until("the operation is done") { queue.operationCount == 0 }
                let provider: any BackgroundTaskProviding = UIApplication.shared
                provider.endBackgroundTask(provider.beginBackgroundTask(withName: "provided", expirationHandler: nil))
                Activities().run()
                try await process.until("nothing is held") { process.tasks.statistics.held == 0 }
                #expect(process.tasks.statistics.ended == 6)
            }
        }

        @Test("A task that is held when the process ends is told, and ends itself")
        func expiry() async throws {
            let process = try ServerProcess(delegate)
            let service = DownloadService()
            try await process.run { service.registerBackgroundTask() }
            #expect(service.backgroundTask == .invalid)
        }

        @Test("Caches in a class, for Swift values, and as a subclass do as on a phone")
        func caches() {
            var loads = 0
            for _ in 0..<2 {
                let data = ImageCache.shared.data(forKey: "a") {
                    loads += 1
                    return Data([1, 2, 3])
                }
                #expect(data.count == 3)
            }
            #expect(loads == 1)
            let cache = UIKitShapes5.Cache<String, Int>(maximumEntryCount: 3)
            for number in 0..<5 { cache["\(number)"] = number }
            #expect(cache["0"] == nil && cache["4"] == 4)
            #expect(cache.keys == ["2", "3", "4"])
            cache["4"] = nil
            #expect(cache.keys == ["2", "3"])
            let typed = TypedCache.instance
            typed.setObject(NSData(data: Data("b".utf8)), forKey: NSURL(string: "file:///b")!)
            #expect(typed.object(forKey: NSURL(string: "file:///b")!) != nil && typed.hits == 1)
        }
    }
}
