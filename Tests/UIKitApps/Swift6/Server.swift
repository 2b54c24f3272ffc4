#if os(Linux)
    import Jetsam
    import Logging
    import ServiceLifecycle
    import UIKit

    // What the application says of its server: the only file that knows of Linux.
    extension AppDelegate: ServerApplicationDelegate {
        func makeResourceManager() throws -> ResourceManager {
            var configuration = ManagerConfiguration()
            configuration.lifecycle.terminationGracePeriod = .seconds(10)
            return try ResourceManager(configuration: configuration, logger: Logger(label: "app"))
        }

        func servers(managedBy manager: ResourceManager) -> [any Service] { [Server(manager: manager)] }
    }

    /// Stands for an HTTP server.
    struct Server: Service {
        let manager: ResourceManager

        func run() async throws {
            manager.didStartServing()
            try await gracefulShutdown()
        }
    }
#endif
