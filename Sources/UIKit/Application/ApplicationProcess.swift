#if os(Linux)
    internal import Foundation
    internal import Jetsam
    internal import Logging
    internal import ServiceLifecycle
    internal import UnixSignals

    /// The process of an application, from its delegate to its exit.
    @MainActor struct ApplicationProcess {
        let application: UIApplication
        /// Kept for as long as the process: the application does not keep it.
        let delegate: any UIApplicationDelegate

        /// The group's tasks, and those that they start, have it. On Linux each class has threads of its own, and an application blocks those
        /// of this one least. They have a nice value of 2.
        private static let priority = TaskPriority.utility

        /// Runs the manager and the servers until a signal comes or one of them ends, while the main thread runs its loop.
        func run() -> Never {
            application.delegate = delegate
            // Not on the main actor: a main thread that is blocked would keep the process from ending.
            Task.detached(priority: Self.priority) {
                do {
                    try await makeGroup().run()
                } catch {
                    Self.logger.critical("The application has ended: \(error)")
                    exit(1)
                }
                exit(0)
            }
            while true { _ = RunLoop.main.run(mode: .default, before: .distantFuture) }
        }

        private func makeGroup() throws -> ServiceGroup {
            let server = delegate as? any ServerApplicationDelegate
            let manager = try server?.makeResourceManager() ?? Self.makeDefaultManager()
            application.follow(manager)
            var group = manager.serviceGroupConfiguration(
                needs: try server?.needs(managedBy: manager) ?? [],
                servers: try server?.servers(managedBy: manager) ?? [])
            group.gracefulShutdownSignals = [.sigterm, .sigint]
            return ServiceGroup(configuration: group)
        }

        nonisolated static func makeDefaultManager() throws -> ResourceManager { try ResourceManager(logger: logger) }

        nonisolated static var logger: Logger { Logger(label: ProcessInfo.processInfo.processName) }

        /// Makes an object of a class that is known by its name.
        ///
        /// - Returns: Nil, and a line in the log, where there is no such class.
        static func make<Made>(_ name: String, as type: Made.Type) -> Made? {
            guard let found = NSClassFromString(name) as? NSObject.Type else {
                logger.critical(
                    "There is no class '\(name)' that is an NSObject: its name has to be that of NSStringFromClass")
                return nil
            }
            guard let made = found.made() as? Made else {
                logger.critical("The class '\(name)' is no \(type)")
                return nil
            }
            return made
        }
    }
#endif
