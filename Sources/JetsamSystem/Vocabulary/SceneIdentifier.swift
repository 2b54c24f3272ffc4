/// The name of a scene: a tenant's key, a room's number, a model's name.
///
/// Its length is bounded to 1 to 128 bytes of UTF-8, because it becomes part of a file's name and of log lines. It may contain
/// any characters, also `/` and newlines; they are escaped where that matters.
///
/// Two identifiers are the same where their bytes are the same. So `é` as one scalar and `e` with an accent are two scenes with a
/// stored state each, although Swift's strings compare equal. Normalise identifiers that come from outside if that must not be.
public struct SceneIdentifier: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The most bytes of UTF-8 that an identifier may have.
    package static let maximumBytes = 128

    /// The text that it was made from.
    public let text: String

    /// An identifier with this text; nil where it is empty or longer than 128 bytes. It is not cut, because two
    /// long texts with the same beginning would then be one scene.
    public init?(_ text: String) {
        guard (1...Self.maximumBytes).contains(text.utf8.count) else { return nil }
        self.text = text
    }

    /// Returns whether both have the same bytes.
    public static func == (lhs: SceneIdentifier, rhs: SceneIdentifier) -> Bool {
        lhs.text.utf8.elementsEqual(rhs.text.utf8)
    }

    /// Feeds the bytes into a hasher.
    public func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
        hasher.combine(UInt8.max)
    }

    /// Orders by bytes, so that lists come out the same each time.
    public static func < (lhs: SceneIdentifier, rhs: SceneIdentifier) -> Bool {
        lhs.text.utf8.lexicographicallyPrecedes(rhs.text.utf8)
    }

    /// The text with control characters escaped, fit for a log line.
    public var description: String {
        text.onOneLine
    }
}

extension SceneIdentifier: ExpressibleByStringLiteral {
    /// An identifier written in the source. One that is empty or too long is a programming error and traps.
    public init(stringLiteral value: StaticString) {
        guard let identifier = SceneIdentifier("\(value)") else {
            preconditionFailure("a scene's identifier has 1 to \(Self.maximumBytes) bytes: \(value)")
        }
        self = identifier
    }
}
