/// One setting: its name in files, what may be written there, and where its value is kept.
///
/// The one definition that reading with swift-configuration, checking a file and writing one share. ``all`` lists every
/// setting that there is.
public struct Setting: Sendable {
    /// The path in a file, such as `headroom.warningPercent`: the names of the fields. As an environment variable it is
    /// `JETSAM_HEADROOM_WARNING_PERCENT`.
    public let key: String
    /// The values that may be written, as a phrase that follows "must be".
    public let allowed: String
    /// Indicates whether it is written as a list of texts.
    let isList: Bool
    /// Indicates whether it is written as true or false.
    let isBool: Bool
    /// Indicates whether nothing, `null`, is a value of it.
    let isOptional: Bool
    /// Takes over a text, or elements of a list; false where it is not such a value.
    let assign: @Sendable (Written, inout JetsamSettings) -> Bool
    /// The present value; nil for nothing.
    var current: @Sendable (JetsamSettings) -> Written?

    /// A value as it is written.
    enum Written: Sendable, Equatable {
        case text(String)
        case list([String])
        case nothing
    }

    /// The setting of that name; nil where there is none.
    public static func named(_ key: String) -> Setting? { byKey[key] }

    /// The value in `settings` as it is written in a file; nil where it is nothing.
    public func text(in settings: JetsamSettings) -> String? {
        switch current(settings) {
        case .text(let text): text
        case .list(let elements): "[" + elements.map(ConfigurationText.quoted).joined(separator: ", ") + "]"
        case .nothing, nil: nil
        }
    }

    /// The names of the settings that differ between the two.
    public static func differences(between first: JetsamSettings, and second: JetsamSettings) -> [Setting] {
        all.filter { $0.current(first) != $0.current(second) }
    }

    static let byKey = Dictionary(uniqueKeysWithValues: all.map { ($0.key, $0) })
}

extension Setting: CustomStringConvertible {
    /// Its name.
    public var description: String { key }
}
