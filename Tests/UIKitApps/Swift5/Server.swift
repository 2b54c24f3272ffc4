#if os(Linux)
    import Foundation
    import Jetsam
    import ServiceLifecycle
    import UIKit

    // What the application says of its server: the only file that knows of Linux.
    extension AppDelegate: ServerApplicationDelegate {
        func servers(managedBy manager: ResourceManager) -> [any Service] { [Server(manager: manager)] }
    }

    /// Stands for an HTTP server.
    struct Server: Service {
        let manager: ResourceManager

        func run() async throws {
            manager.didStartServing()
            if CommandLine.arguments.contains("--short-of-memory") {
                PictureCache.shared[URL(string: "https://example.com/1")!] = Picture(bytes: 1 << 20)
                manager.simulate(.critical)
                await manager.releaseCaches()
            }
            if CommandLine.arguments.contains("--blocks-queues") {
                for quality in [DispatchQoS.QoSClass.default, .userInitiated] {
                    for _ in 0..<64 { DispatchQueue.global(qos: quality).async { DispatchSemaphore(value: 0).wait() } }
                }
            }
            if CommandLine.arguments.contains("--meets") { await meet() }
            try await gracefulShutdown()
        }

        /// Two requests that go on only when both are under way. Each keeps its thread.
        private func meet() async {
            let first = DispatchSemaphore(value: 0)
            let second = DispatchSemaphore(value: 0)
            await withTaskGroup(of: Void.self) { group in
                group.addTask { Self.keep(waitingFor: first, after: second) }
                group.addTask { Self.keep(waitingFor: second, after: first) }
            }
            EventLog.shared.note("two requests met")
        }

        private static func keep(waitingFor theirs: DispatchSemaphore, after ours: DispatchSemaphore) {
            ours.signal()
            theirs.wait()
        }
    }
#endif
