internal import MemoryPressure
public import SystemPackage

/// Keeps scenes' states in a directory, a file each.
///
/// The directory belongs to this user with mode 0700, its files have 0600. A state is written beside the old one, flushed,
/// given its name, and the directory is flushed: whatever happens meanwhile, either the old or the new file is complete. A
/// damaged file is renamed to end in `.bad`, and kept.
///
/// Several processes, also of several containers, may have stores in one directory: what one of them is writing it holds locked
/// (flock(2)), and whoever opens the directory leaves that alone. A file that is not locked was left by a crash, and is
/// finished or removed; where the file system has no locks, only after an hour.
///
/// Put it on a volume that outlives the container. The calls of one store run one after another on a thread of its own; states
/// that wait to be saved are written and flushed together, up to 64 at a time.
public final class FileStateStore: SceneStateStore {
    /// The directory of the states.
    public let directory: FilePath
    /// The longest state that is stored or read, in bytes.
    public let maximumStateBytes: Int

    let files: PrivateDirectory
    private let thread = WorkThread("jetsam-state")
    /// The states that wait to be saved, in the order in which they came.
    private let waiting = Lock<[Save]>([])

    private struct Save: Sendable {
        var file: PrivateDirectory.Replacement
        var done: @Sendable (Result<Void, SceneStateStoreError>) -> Void
    }

    /// As many files are open at once.
    private static let groupSize = 64

    /// Opens a directory, and makes it where its parent exists.
    ///
    /// - Parameters:
    ///   - directory: The directory of the states; in one's own hands, mode 0700.
    ///   - maximumStateBytes: The longest state that is stored or read. At least 0, default 1 MiB.
    /// - Throws: ``SceneStateStoreError`` if the directory cannot be created or opened, or others may read or write it.
    public init(directory: FilePath, maximumStateBytes: Int = 1 << 20) throws(SceneStateStoreError) {
        self.directory = directory
        self.maximumStateBytes = max(0, maximumStateBytes)
        do throws(FileError) {
            files = try PrivateDirectory(directory.string, isMade: true, isLasting: true, safety: .ownUser)
            try tidy()
        } catch { throw SceneStateStoreError(error) }
    }

    /// Writes a scene's state in place of the one before, to outlive a power failure.
    public func save(_ scene: StoredScene, _ state: SceneStateData) async throws(SceneStateStoreError) {
        guard state.bytes.count <= maximumStateBytes else {
            throw .tooLarge(bytes: state.bytes.count, maximum: maximumStateBytes)
        }
        let name = StateFileName.stem(scene.identifier) + StateFileName.state
        let file = PrivateDirectory.Replacement(name: name, bytes: StateFormat.encode(scene, state))
        let result = await withCheckedContinuation { continuation in
            waiting.withLock { $0.append(Save(file: file) { continuation.resume(returning: $0) }) }
            // One job each: whoever comes first takes the others along, and leaves theirs nothing to do.
            thread.add { [self] in saveWaiting() }
        }
        try result.get()
    }

    private func saveWaiting() {
        let group = waiting.withLock { waiting in
            let group = waiting.prefix(Self.groupSize)
            waiting.removeFirst(group.count)
            return Array(group)
        }
        guard !group.isEmpty else { return }
        for (save, result) in zip(group, files.replace(group.map(\.file))) {
            let isWorthAnother = group.count > 1 && PrivateDirectory.isForWantOfDescriptors(result)
            let final = isWorthAnother ? files.replace([save.file])[0] : result
            save.done(final.mapError { SceneStateStoreError($0) })
        }
    }

    /// Reads a scene's state. A file that is damaged, too long or of an unknown version is renamed, and an error is thrown.
    public func load(
        _ scene: SceneIdentifier
    ) async throws(SceneStateStoreError) -> (StoredScene, SceneStateData)? {
        try await onThread { [self] () throws(SceneStateStoreError) in
            let stem = StateFileName.stem(scene)
            return try keepingAside(stem, StateFileName.state) { () throws(SceneStateStoreError) in
                try read(stem, StateFileName.state, .stored, scene)
            }
        }
    }

    /// Removes a scene's state and the mark of its restoration; with a stamp only if the state is still the one stored with it.
    public func remove(_ scene: SceneIdentifier, stamp: UInt64?) async throws(SceneStateStoreError) {
        try await onThread { [self] () throws(SceneStateStoreError) in
            let stem = StateFileName.stem(scene)
            if let stamp {
                guard try remove(stem, ifStampIs: stamp) else { return }
            } else {
                try inFiles { () throws(FileError) in try files.remove(stem + StateFileName.state) }
            }
            try inFiles { () throws(FileError) in
                try files.remove(stem + StateFileName.mark)
                try files.flush()
            }
        }
    }

    /// The scenes that have a state here, by file name, at most `limit`. Only headers are read; damaged ones are renamed and left out.
    public func list(limit: Int) async throws(SceneStateStoreError) -> [StoredScene] {
        try await onThread { [self] () throws(SceneStateStoreError) -> [StoredScene] in
            var scenes: [StoredScene] = []
            let names = try inFiles { () throws(FileError) in try files.names { $0.hasSuffix(StateFileName.state) } }
            for name in names.sorted() where scenes.count < limit {
                let stem = String(name.dropLast(StateFileName.state.utf8.count))
                do throws(SceneStateStoreError) {
                    let found = try keepingAside(stem, StateFileName.state) {
                        () throws(SceneStateStoreError) -> StateFormat.Header? in try header(stem, name)
                    }
                    if let found { scenes.append(found.scene) }
                } catch  where error.isDamage {
                    continue
                }
            }
            return scenes
        }
    }

    /// Writes the mark of a restoration, to outlive a crash; gives how many such marks there were.
    public func beginRestoration(of scene: SceneIdentifier) async throws(SceneStateStoreError) -> Int {
        try await onThread { [self] () throws(SceneStateStoreError) in
            let before = try marks(of: scene)
            let stem = StateFileName.stem(scene)
            let mark = StoredScene(identifier: scene, priority: .normal, expectedBytes: before + 1, stamp: 0)
            let bytes = StateFormat.encode(mark, SceneStateData(version: 0, bytes: []), kind: .restorationMark)
            try replace(stem, StateFileName.mark, bytes)
            return before
        }
    }

    /// Returns the number of restorations of the scene that have begun and not ended.
    public func unfinishedRestorations(of scene: SceneIdentifier) async throws(SceneStateStoreError) -> Int {
        try await onThread { [self] () throws(SceneStateStoreError) in try marks(of: scene) }
    }

    /// Removes the mark of the scene's restorations.
    public func endRestoration(of scene: SceneIdentifier) async throws(SceneStateStoreError) {
        try await onThread { [self] () throws(SceneStateStoreError) in
            try inFiles { () throws(FileError) in
                if try files.remove(StateFileName.stem(scene) + StateFileName.mark) { try files.flush() }
            }
        }
    }

    private func onThread<Result: Sendable>(
        _ body: @escaping @Sendable () throws(SceneStateStoreError) -> Result
    ) async throws(SceneStateStoreError) -> Result {
        let result = await withCheckedContinuation { continuation in
            thread.add { continuation.resume(returning: Swift.Result(catching: body)) }
        }
        return try result.get()
    }
}
