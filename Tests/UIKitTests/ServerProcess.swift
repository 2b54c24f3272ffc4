import Dispatch
import Jetsam
import JetsamTesting
import Logging
import ServiceLifecycle
import TestSupport
import Testing
import UIKit

/// A manager on a made-up machine, in a service group, with the application of this process following it.
///
/// The caches are those of the whole process, as an application's are: tests that use this run one at a time.
@MainActor final class ServerProcess {
    let machine: SimulatedMachine
    let tasks: BackgroundTaskRegistry
    let manager: ResourceManager
    let group: ServiceGroup
    private let delegate: any UIApplicationDelegate
    private var hasEnded = false

    init(_ delegate: any UIApplicationDelegate, stateStore: (any SceneStateStore)? = nil) throws {
        self.delegate = delegate
        machine = SimulatedMachine(tree: try .v2(limit: 512 << 20))
        machine.tree.setUnreclaimable(bytes: 100 << 20)
        machine.tree.setFootprint(bytes: 100 << 20)
        tasks = machine.makeBackgroundTaskRegistry()
        manager = try ResourceManager(
            backgroundTasks: tasks, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            stateStore: stateStore,
            environment: machine.environment)
        UIApplication.shared.delegate = delegate
        var configuration = manager.serviceGroupConfiguration(servers: [], serving: .started)
        // The group would count real seconds.
        configuration.maximumGracefulShutdownDuration = nil
        group = ServiceGroup(configuration: configuration)
    }

    /// Runs the group until the process is active, then `body`, then has the group shut down, and returns when it has ended.
    func run(_ body: () async throws -> Void) async throws {
        defer { machine.tree.remove() }
        let observation = UIApplication.shared.follow(manager)
        defer { observation.cancel() }
        let running = Task {
            defer { hasEnded = true }
            try await group.run()
        }
        do {
            try await until("it is active") { UIApplication.shared.applicationState == .active }
            try await body()
        } catch {
            running.cancel()
            _ = await running.result
            throw error
        }
        await group.triggerGracefulShutdown()
        try await until("it has ended") {
            self.machine.advance(by: .milliseconds(5))
            // The made-up time must not run away from callbacks that wait for a real thread.
            await Task.detached(priority: .low) {}.value
            await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
            return self.hasEnded
        }
        try await running.value
        try await until("its scenes are gone") { UIApplication.shared.connectedScenes.isEmpty }
    }

    func until(_ what: Comment, _ condition: @MainActor () async -> Bool) async throws {
        try await eventually(what, condition)
    }
}
