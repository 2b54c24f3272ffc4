#if os(Linux)
    public import Jetsam
    public import ServiceLifecycle

    /// What an application delegate says of the server on Linux: its manager and its services.
    ///
    /// Conform to it in a file of its own, so that the sources of the application stay as they are:
    ///
    /// ```swift
    /// #if os(Linux)
    ///     import Jetsam
    ///     import ServiceLifecycle
    ///     import UIKit
    ///
    ///     extension AppDelegate: ServerApplicationDelegate {
    ///         func servers(managedBy manager: ResourceManager) -> [any Service] { [WebServer(manager: manager)] }
    ///     }
    /// #endif
    /// ```
    ///
    /// Without it, a manager with the default configuration runs alone until SIGTERM or SIGINT.
    @MainActor public protocol ServerApplicationDelegate: UIApplicationDelegate {
        /// Makes the manager of the process. Called once, before any other callback. The default has the default configuration, and a
        /// logger with the name of the process.
        ///
        /// - Throws: What keeps the process from starting: it is logged, and the process ends with status 1.
        func makeResourceManager() throws -> ResourceManager
        /// Returns what background work needs, such as a database. It starts first and ends last. None by default.
        func needs(managedBy manager: ResourceManager) throws -> [any Service]
        /// Returns the servers. The process is active when they have called the manager's `didStartServing()`; without servers, as soon
        /// as it is launched. None by default.
        func servers(managedBy manager: ResourceManager) throws -> [any Service]
    }

    extension ServerApplicationDelegate {
        /// Makes a manager with the default configuration.
        public func makeResourceManager() throws -> ResourceManager { try ApplicationProcess.makeDefaultManager() }
        /// Needs nothing.
        public func needs(managedBy manager: ResourceManager) throws -> [any Service] { [] }
        /// Has no servers.
        public func servers(managedBy manager: ResourceManager) throws -> [any Service] { [] }
    }
#endif
