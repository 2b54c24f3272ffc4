/// A scene on its way to a successor: a bounded, versioned value that travels as bytes.
public struct SceneHandoff: Sendable, Hashable {
    /// The scene.
    public let identifier: SceneIdentifier
    /// Its priority.
    public let priority: ResourcePriority
    /// Bytes that it declared, and can be expected to take again, its caches aside.
    public let expectedBytes: Int
    /// Its state; nil where it has none.
    public let state: SceneStateData?

    init(identifier: SceneIdentifier, priority: ResourcePriority, expectedBytes: Int, state: SceneStateData?) {
        self.identifier = identifier
        self.priority = priority
        self.expectedBytes = max(0, expectedBytes)
        self.state = state
    }

    /// The value as bytes, with a version and checksums: at most 184 more than its state has.
    public var encoded: [UInt8] {
        let scene = StoredScene(identifier: identifier, priority: priority, expectedBytes: expectedBytes, stamp: 0)
        return StateFormat.encode(
            scene, state ?? SceneStateData(version: 0, bytes: []),
            kind: state == nil ? .handOverWithoutState : .handOver)
    }

    /// Reads what ``encoded`` gave.
    ///
    /// - Parameters:
    ///   - bytes: All of it, and nothing else.
    ///   - maximumStateBytes: The longest state that is taken. Default 1 MiB.
    /// - Throws: ``SceneStateStoreError`` for bytes that are damaged, of a version that is not known here, or too long.
    public init(decoding bytes: [UInt8], maximumStateBytes: Int = 1 << 20) throws(SceneStateStoreError) {
        let hasState =
            bytes.count <= StateFormat.kindIndex
            || bytes[StateFormat.kindIndex] != StateFormat.Kind.handOverWithoutState.rawValue
        let (scene, state) = try StateFormat.decode(
            bytes, kind: hasState ? .handOver : .handOverWithoutState, maximumStateBytes: maximumStateBytes)
        self.init(
            identifier: scene.identifier, priority: scene.priority, expectedBytes: scene.expectedBytes,
            state: hasState ? state : nil)
    }
}
