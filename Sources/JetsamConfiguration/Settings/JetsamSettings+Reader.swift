public import Configuration
public import Jetsam

extension JetsamSettings {
    /// The settings that `reader` gives, over the documented defaults.
    ///
    /// Keys are the names in the page on configuration, such as `headroom.warningPercent`. With a provider of environment
    /// variables and a reader that is scoped to `jetsam`, that is `JETSAM_HEADROOM_WARNING_PERCENT`. Keys that are no setting
    /// cannot be seen through a reader: ``ConfigurationFile`` and `jetsam check` refuse them.
    /// - Throws: `ConfigurationError` for the first value that cannot be used. It names the key, the value and what is allowed.
    public init(reader: ConfigReader) throws(ConfigurationError) {
        try self.init(snapshot: reader.snapshot())
    }

    /// The settings that one snapshot gives, over the documented defaults: all of it is of one moment.
    ///
    /// - Throws: `ConfigurationError` for the first value that cannot be used.
    public init(snapshot: ConfigSnapshotReader) throws(ConfigurationError) {
        self.init()
        try apply(snapshot)
        try validate()
    }

    /// Sets what `snapshot` has, and leaves the rest as it is. Nothing is compared with anything else yet.
    mutating func apply(_ snapshot: ConfigSnapshotReader) throws(ConfigurationError) {
        for setting in Setting.all {
            guard let written = Self.value(of: setting, in: snapshot) else { continue }
            guard setting.assign(written, &self) else {
                throw ConfigurationError(setting: setting.key, value: written.description, allowed: setting.allowed)
            }
        }
    }

    /// Returns the parts of `snapshot` that are settings which no longer exist.
    static func warnings(of snapshot: ConfigSnapshotReader) -> [String] {
        (Array(Setting.vanished.keys) + Setting.renamed.keys).sorted().filter { key in
            let key = ConfigKey(key)
            return snapshot.string(forKey: key) != nil || snapshot.int(forKey: key) != nil
                || snapshot.bool(forKey: key) != nil
        }.compactMap(Setting.warning(of:))
    }

    /// A provider answers only for the type that it has, and a reader keeps to itself that it has another: so each is asked for.
    private static func value(of setting: Setting, in snapshot: ConfigSnapshotReader) -> Setting.Written? {
        for key in [setting.key] + setting.formerKeys {
            if let value = value(of: setting, at: ConfigKey(key), in: snapshot) { return value }
        }
        return nil
    }

    private static func value(
        of setting: Setting, at key: ConfigKey, in snapshot: ConfigSnapshotReader
    ) -> Setting.Written? {
        if setting.isList, let elements = snapshot.stringArray(forKey: key) { return .list(elements) }
        if let text = snapshot.string(forKey: key) { return .text(text) }
        if setting.isBool, let value = snapshot.bool(forKey: key) { return .text("\(value)") }
        if let number = snapshot.int(forKey: key) { return .text("\(number)") }
        if let number = snapshot.double(forKey: key) { return .text("\(number)") }
        if let value = snapshot.bool(forKey: key) { return .text("\(value)") }
        if let elements = snapshot.stringArray(forKey: key) { return .list(elements) }
        if let elements = snapshot.intArray(forKey: key) { return .list(elements.map(\.description)) }
        if let elements = snapshot.doubleArray(forKey: key) { return .list(elements.map(\.description)) }
        return nil
    }
}

extension ManagerConfiguration {
    /// The manager's part of ``JetsamSettings/init(reader:)``.
    ///
    /// - Throws: `ConfigurationError` for the first value that cannot be used.
    public init(reader: ConfigReader) throws(ConfigurationError) {
        self = try JetsamSettings(reader: reader).manager
    }
}

extension BackgroundTaskConfiguration {
    /// The background tasks' part of ``JetsamSettings/init(reader:)``.
    ///
    /// - Throws: `ConfigurationError` for the first value that cannot be used.
    public init(reader: ConfigReader) throws(ConfigurationError) {
        self = try JetsamSettings(reader: reader).backgroundTasks
    }
}

extension Setting.Written: CustomStringConvertible {
    /// Bounded, on one line: it goes into errors and logs.
    var description: String {
        switch self {
        case .nothing: "null"
        case .text(let text): Self.shortened(text)
        case .list(let elements): "[" + Self.shortened(elements.prefix(16).joined(separator: ", ")) + "]"
        }
    }

    static func shortened(_ text: String) -> String {
        let scalars = text.unicodeScalars
        var line = ""
        for scalar in scalars.prefix(64) {
            let isPlain = scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value)
            line.unicodeScalars.append(isPlain && !(0x2028...0x202E).contains(scalar.value) ? scalar : "\u{FFFD}")
        }
        return scalars.count > 64 ? line + "…" : line
    }
}
