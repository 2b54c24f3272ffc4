import BackgroundTasks
import Foundation
import Jetsam
import JetsamSystem
import JetsamTesting
import TestSupport
import Testing

@testable import UIKit

extension ApplicationTests {
    @Suite(.serialized) @MainActor struct BackgroundTasks {
        private final class Delegate: NSObject, UIApplicationDelegate {}

        @Test("Identifiers are those of tasks, survive as numbers, and ending one that is gone does nothing")
        func identifiers() async throws {
            let process = try ServerProcess(Delegate())
            try await process.run {
                let application = UIApplication.shared
                let (first, second) = (
                    application.beginBackgroundTask(), application.beginBackgroundTask(withName: "second")
                )
                #expect(first != second && first != .invalid && second != .invalid)
                #expect(process.tasks.statistics.held == 2)
                application.endBackgroundTask(UIBackgroundTaskIdentifier(rawValue: first.rawValue))
                application.endBackgroundTask(first)
                application.endBackgroundTask(.invalid)
                application.endBackgroundTask(UIBackgroundTaskIdentifier(rawValue: -1))
                application.endBackgroundTask(UIBackgroundTaskIdentifier(rawValue: 12345))
                #expect(process.tasks.heldTasks().map { "\($0.name)" } == ["second"])
                application.endBackgroundTask(second)
            }
        }

        @Test("A task is refused while memory is critical, and may begin and end on any thread")
        func refusal() async throws {
            let process = try ServerProcess(Delegate())
            try await process.run {
                let application = UIApplication.shared
                process.manager.simulate(.critical)
                process.machine.advance(by: .milliseconds(100))
                #expect(application.beginBackgroundTask() == .invalid)
                process.manager.simulate(.normal)
                for _ in 0..<100 { process.machine.advance(by: .milliseconds(200)) }
                DispatchQueue.concurrentPerform(iterations: 10) { _ in
                    application.endBackgroundTask(
                        application.beginBackgroundTask(withName: "any thread", expirationHandler: nil))
                }
                #expect(process.tasks.statistics.held == 0)
            }
        }

        @Test(
            "An expiring activity is called once where it is done in time, twice where it is not, and told where it may not begin"
        )
        func expiringActivity() async throws {
            let process = try ServerProcess(Delegate())
            let calls = Lock<[String]>([])
            let gate = DispatchSemaphore(value: 0)
            defer { gate.signal() }
            try await process.run {
                ProcessInfo.processInfo.performExpiringActivity(withReason: "short") { expired in
                    calls.withLock { $0.append("short \(expired)") }
                }
                try await process.until("it is done") { process.tasks.statistics.ended == 1 }
                process.manager.simulate(.critical)
                process.machine.advance(by: .milliseconds(100))
                ProcessInfo.processInfo.performExpiringActivity(withReason: "refused") { expired in
                    calls.withLock { $0.append("refused \(expired)") }
                }
                try await process.until("it is told") { calls.withLock { $0.count } == 2 }
                process.manager.simulate(.normal)
                for _ in 0..<100 { process.machine.advance(by: .milliseconds(200)) }
                ProcessInfo.processInfo.performExpiringActivity(withReason: "long") { expired in
                    calls.withLock { $0.append("long \(expired)") }
                    if expired { gate.signal() } else { gate.wait() }
                }
                try await process.until("it is under way") { calls.withLock { $0.count } == 3 }
            }
            #expect(calls.withLock { $0 } == ["short false", "refused true", "long false", "long true"])
        }
    }
}
