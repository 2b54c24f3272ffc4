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
    public var text: String { bytes.text }
    private let bytes: TextBytes

    /// An identifier with this text; nil where it is empty or longer than 128 bytes. It is not cut, because two
    /// long texts with the same beginning would then be one scene.
    public init?(_ text: String) {
        guard (1...Self.maximumBytes).contains(text.utf8.count) else { return nil }
        bytes = TextBytes(text: text)
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

/// A text that equals another where their bytes are the same.
private struct TextBytes: Hashable {
    let text: String

    static func == (lhs: TextBytes, rhs: TextBytes) -> Bool {
        lhs.text.utf8.elementsEqual(rhs.text.utf8)
    }

    func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
        hasher.combine(UInt8.max)
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
