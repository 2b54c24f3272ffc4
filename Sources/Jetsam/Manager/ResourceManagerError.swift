internal import SystemPackage

/// The reason why a manager cannot run.
public struct ResourceManagerError: Error, Sendable, Equatable, CustomStringConvertible {
    private enum Code: Sendable, Equatable {
        case hasRunBefore, registryInUse
        case cannotStart(String, Errno)
    }

    private let code: Code

    /// ``ResourceManager/run()`` was called twice on one manager.
    public static let hasRunBefore = ResourceManagerError(code: .hasRunBefore)
    /// Another running manager asks the caches, or holds the background tasks, of the same registry.
    public static let registryInUse = ResourceManagerError(code: .registryInUse)

    /// A thread or a descriptor that the manager needs could not be had; the description says which, and the system's error.
    static func cannotStart(_ part: String, _ error: Errno) -> ResourceManagerError {
        ResourceManagerError(code: .cannotStart(part, error))
    }

    /// Indicates whether a thread or a descriptor could not be had.
    public var isForWantOfResources: Bool {
        if case .cannotStart = code { true } else { false }
    }

    /// The problem, and what to do instead.
    public var description: String {
        switch code {
        case .cannotStart(let part, let error): "\(part) could not be started: \(ErrnoText.name(error))"
        case .hasRunBefore: "this ResourceManager has been run before; make a new one to run again"
        case .registryInUse:
            "another running ResourceManager uses this CacheRegistry or BackgroundTaskRegistry; give this one its own"
        }
    }
}
