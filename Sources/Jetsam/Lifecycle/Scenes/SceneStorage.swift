internal import Logging
internal import MemoryPressure

/// Whether states can be stored, by what the application says and by what the last attempt has shown. Pure.
enum StoreAvailability: Sendable, Equatable {
    /// States can be stored, as far as is known.
    case available
    /// The last attempt to write has failed.
    case failed
    /// The application says that the store cannot be used. What attempts show meanwhile counts for nothing.
    case denied

    /// Notes what an attempt to write has shown. Returns whether that changes whether states can be stored.
    mutating func noteAttempt(hasFailed: Bool) -> Bool {
        self == .denied ? false : become(hasFailed ? .failed : .available)
    }

    /// Notes what the application says. Returns whether that changes whether states can be stored.
    mutating func allow(_ isAllowed: Bool) -> Bool {
        become(isAllowed ? .available : .denied)
    }

    private mutating func become(_ next: StoreAvailability) -> Bool {
        defer { self = next }
        return (self == .available) != (next == .available)
    }
}

/// The state store of a manager's scenes, with what is known of its availability.
final class SceneStorage: Sendable {
    /// Nil where nothing is stored.
    let store: (any SceneStateStore)?
    private let availability = Lock(StoreAvailability.available)
    private let logger: Logger
    /// Told when the store can be written to no longer, or again.
    private let announce: @Sendable (_ isAvailable: Bool) -> Void

    init(
        _ store: (any SceneStateStore)?, logger: Logger, announce: @escaping @Sendable (_ isAvailable: Bool) -> Void
    ) {
        self.store = store
        self.logger = logger
        self.announce = announce
    }

    /// Indicates whether states can be stored, as far as is known.
    var canSave: Bool { availability.withLock { $0 == .available } }

    /// Indicates whether the application says that the store cannot be used.
    var isDenied: Bool { availability.withLock { $0 == .denied } }

    /// Notes that a state was stored.
    ///
    /// - Returns: True where states can be stored again.
    func noteSuccess() -> Bool {
        let hasChanged = availability.withLock { $0.noteAttempt(hasFailed: false) }
        if hasChanged { tell(isAvailable: true, "a state was stored") }
        return hasChanged
    }

    /// Notes that an attempt to write failed, where the error is the store's and not the state's.
    func noteFailure(_ error: SceneStateStoreError) {
        guard error.isUnavailability else { return }
        let hasChanged = availability.withLock { $0.noteAttempt(hasFailed: true) }
        if hasChanged { tell(isAvailable: false, "\(error)") }
    }

    /// Notes what the application says.
    func allow(_ isAllowed: Bool) {
        let hasChanged = availability.withLock { $0.allow(isAllowed) }
        if hasChanged { tell(isAvailable: isAllowed, "the application says so") }
    }

    private func tell(isAvailable: Bool, _ reason: String) {
        if isAvailable {
            logger.notice("The state store is available again: \(reason)")
        } else {
            logger.warning("The state store is not available: \(reason)")
        }
        announce(isAvailable)
    }
}
