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
