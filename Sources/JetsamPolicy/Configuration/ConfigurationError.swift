/// A configuration that cannot be used: which setting, what it was, and what is allowed.
public struct ConfigurationError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The setting's path, such as `headroom.warningPercent`.
    public var setting: String
    /// The value that was given, as text.
    public var value: String
    /// The allowed values, as a phrase that follows "must be".
    public var allowed: String

    /// An error with these words.
    package init(setting: String, value: String, allowed: String) {
        self.setting = setting
        self.value = value
        self.allowed = allowed
    }

    /// One sentence that names all three.
    public var description: String {
        "\(setting) is \(value), but must be \(allowed)"
    }
}
