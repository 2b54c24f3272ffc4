internal import MemoryPressure
public import SystemPackage

/// A store that keeps scenes' states between runs. ``FileStateStore`` keeps them in a directory.
///
/// Calls for one scene come one at a time. None may block the caller's thread for long: do the work elsewhere and resume.
public protocol SceneStateStore: Sendable {
    /// Stores a scene's state in place of an earlier one. When it returns, the state outlives a power failure; when it throws,
    /// the earlier one is still there.
    func save(_ scene: StoredScene, _ state: SceneStateData) async throws(SceneStateStoreError)
    /// The state that was stored last, with what was stored with it; nil where there is none.
    func load(_ scene: SceneIdentifier) async throws(SceneStateStoreError) -> (StoredScene, SceneStateData)?
    /// Forgets a scene's state. Where `stamp` is given, only if it is still the one that was stored with it.
    func remove(_ scene: SceneIdentifier, stamp: UInt64?) async throws(SceneStateStoreError)
    /// Every scene that has a state here, at most `limit`. One that cannot be read is left out and kept aside.
    func list(limit: Int) async throws(SceneStateStoreError) -> [StoredScene]
    /// Notes, so that it outlives a crash, that a restoration begins; gives how many begun before have not ended.
    func beginRestoration(of scene: SceneIdentifier) async throws(SceneStateStoreError) -> Int
    /// Returns the number of restorations of the scene that have begun and not ended.
    func unfinishedRestorations(of scene: SceneIdentifier) async throws(SceneStateStoreError) -> Int
    /// Notes that the scene's restoration has ended, well or not: it has not crashed.
    func endRestoration(of scene: SceneIdentifier) async throws(SceneStateStoreError)
}

/// The facts that are stored with a scene's state, so that it can be judged without reading the state.
public struct StoredScene: Sendable, Hashable {
    /// The scene.
    public var identifier: SceneIdentifier
    /// Its priority.
    public var priority: ResourcePriority
    /// Bytes that it declared when it was stored, and can be expected to take again, its caches aside; never negative.
    public var expectedBytes: Int
    /// A number that no other stored state of this scene has.
    public var stamp: UInt64

    /// - Parameters:
    ///   - identifier: The scene.
    ///   - priority: Its priority.
    ///   - expectedBytes: Bytes that it can be expected to take; negative values count as 0.
    ///   - stamp: A number that no other stored state of this scene has.
    public init(identifier: SceneIdentifier, priority: ResourcePriority, expectedBytes: Int, stamp: UInt64) {
        self.identifier = identifier
        self.priority = priority
        self.expectedBytes = max(0, expectedBytes)
        self.stamp = stamp
    }
}

/// A scene's own state as bytes, with the application's number for their format.
public struct SceneStateData: Sendable, Hashable {
    /// The application's number for the format of ``bytes``: change it when an older program could not read them.
    public var version: UInt32
    /// The encoded bytes.
    public var bytes: [UInt8]

    /// - Parameters:
    ///   - version: The application's number for the format.
    ///   - bytes: The encoded bytes.
    public init(version: UInt32, bytes: [UInt8]) {
        self.version = version
        self.bytes = bytes
    }
}

/// The reason why a state could not be stored or read.
public struct SceneStateStoreError: Error, Sendable, Hashable, CustomStringConvertible {
    private enum Code: Sendable, Hashable {
        case system(Errno, String), insecure(String), damaged(String), unsupported(String)
        case tooLarge(Int, Int), unavailable, custom(String)
    }

    private let code: Code

    /// A system call failed; `doing` is what it was for, in a few words.
    public static func system(_ error: Errno, doing: String) -> SceneStateStoreError {
        .init(code: .system(error, String(doing.prefix(200))))
    }
    /// The store's place can be read or changed by others.
    static func insecure(_ what: String) -> SceneStateStoreError { .init(code: .insecure(what)) }
    /// Returns an error that says that the stored state is torn, cut off or changed. The state is kept aside.
    public static func damaged(_ what: String) -> SceneStateStoreError {
        .init(code: .damaged(String(what.prefix(200))))
    }
    /// Returns an error that says that the stored state is in a format that this version does not know. The state is kept aside.
    static func unsupported(_ what: String) -> SceneStateStoreError { .init(code: .unsupported(what)) }
    /// The state is longer than the store takes.
    public static func tooLarge(bytes: Int, maximum: Int) -> SceneStateStoreError {
        .init(code: .tooLarge(bytes, maximum))
    }
    /// The store cannot be used now, as the application says.
    public static let unavailable = SceneStateStoreError(code: .unavailable)
    /// An error of a store of one's own.
    public static func custom(_ text: String) -> SceneStateStoreError { .init(code: .custom(String(text.prefix(200)))) }

    /// Indicates whether the store itself does not work for now: the disk is full, read-only or failing, its directory is gone,
    /// or the application says so. Scenes that are not saved are then lost last, and restoration waits.
    public var isUnavailability: Bool {
        switch code {
        case .system, .unavailable: true
        default: false
        }
    }

    /// Indicates whether the stored state can no longer be read.
    public var isDamage: Bool {
        switch code {
        case .damaged, .unsupported: true
        default: false
        }
    }

    /// The problem, in a few words.
    public var description: String {
        switch code {
        case .system(let error, let doing): "\(doing): \(FileError.reason(error))"
        case .insecure(let what): what
        case .damaged(let what): "damaged: \(what)"
        case .unsupported(let what): what
        case .tooLarge(let bytes, let maximum): "\(bytes) bytes, but at most \(maximum) are stored"
        case .unavailable: "not available now"
        case .custom(let text): text
        }
    }
}

extension SceneStateStoreError {
    /// The error that the store's directory reports.
    init(_ error: FileError) {
        self =
            switch error {
            case .system(let error, let doing): .system(error, doing: doing)
            case .insecure(let reason): .insecure(reason)
            case .damaged(let reason): .damaged(reason)
            }
    }
}
