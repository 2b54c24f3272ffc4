/// The name of a background task in logs and reports: a literal, which costs nothing, or any text.
///
/// At most 128 Unicode scalars of a name are kept, which are 512 bytes at most. At most 4,096 different names and origins are
/// kept; any further name becomes `other`. Do not put identifiers of requests or users into names.
public struct BackgroundTaskName: Sendable, ExpressibleByStringLiteral {
    enum Content {
        case literal(StaticString)
        case text(String)
    }

    let content: Content

    /// A name written in the source.
    public init(stringLiteral value: StaticString) {
        content = value.hasPointerRepresentation ? .literal(value) : .text("\(value)")
    }

    /// A name that is made while running. It is looked up by its text, which takes some tenths of a microsecond.
    public init(_ text: some StringProtocol) {
        content = .text(Self.bounded(text))
    }

    /// Scalars and not characters, of which one alone may have a megabyte.
    package static let mostScalars = 128

    /// The text as far as it is kept.
    static func bounded(_ name: some StringProtocol) -> String {
        var bounded = String.UnicodeScalarView()
        bounded.append(contentsOf: name.unicodeScalars.prefix(mostScalars))
        return String(bounded)
    }
}
