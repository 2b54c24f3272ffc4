internal import MemoryPressure

extension Setting {
    typealias Field<Value> = any WritableKeyPath<JetsamSettings, Value> & Sendable

    private init<Value>(
        _ key: String, _ field: Field<Value>, allowed: String, isBool: Bool = false,
        read: @escaping @Sendable (String) -> Value?, write: @escaping @Sendable (Value) -> String
    ) {
        self.init(
            key: key, allowed: allowed, isList: false, isBool: isBool, isOptional: false,
            assign: { written, settings in
                guard case .text(let text) = written, let value = read(text) else { return false }
                settings[keyPath: field] = value
                return true
            },
            current: { .text(write($0[keyPath: field])) })
    }

    private init<Value>(
        optional key: String, _ field: Field<Value?>, allowed: String,
        read: @escaping @Sendable (String) -> Value?, write: @escaping @Sendable (Value) -> String
    ) {
        self.init(
            key: key, allowed: allowed, isList: false, isBool: false, isOptional: true,
            assign: { written, settings in
                switch written {
                case .nothing: settings[keyPath: field] = nil
                case .list: return false
                case .text(let text):
                    guard let value = read(text) else { return false }
                    settings[keyPath: field] = value
                }
                return true
            },
            current: { settings in settings[keyPath: field].map { .text(write($0)) } ?? .nothing })
    }

    static func integer(_ key: String, _ field: Field<Int>, _ range: ClosedRange<Int>) -> Setting {
        Setting(
            key, field, allowed: "a whole number in \(range.lowerBound)…\(range.upperBound)",
            read: { Int($0) }, write: { "\($0)" })
    }

    /// - Parameter range: In words.
    static func bytes(_ key: String, _ field: Field<Int>, _ range: String) -> Setting {
        Setting(
            key, field, allowed: "a number of bytes such as 67108864, 512MiB or 1.5GiB, \(range)",
            read: ConfigurationText.bytes, write: ConfigurationText.text(bytes:))
    }

    static func duration(_ key: String, _ field: Field<Duration>, from least: String, to most: String = "1h") -> Setting
    {
        Setting(
            key, field, allowed: durations(least, most), read: ConfigurationText.duration,
            write: ConfigurationText.text(duration:))
    }

    static func duration(optional key: String, _ field: Field<Duration?>, from least: String) -> Setting {
        Setting(
            optional: key, field, allowed: durations(least, "1h") + ", or null",
            read: ConfigurationText.duration, write: ConfigurationText.text(duration:))
    }

    static func path(optional key: String, _ field: Field<String?>) -> Setting {
        Setting(
            optional: key, field, allowed: "an absolute path of fewer than 4096 bytes, or null",
            read: { $0 }, write: ConfigurationText.quoted)
    }

    static func bool(_ key: String, _ field: Field<Bool>) -> Setting {
        Setting(key, field, allowed: "true or false", isBool: true, read: { Bool($0) }, write: { "\($0)" })
    }

    static func word<Value: RawRepresentable & SendableMetatype>(
        _ key: String, _ field: Field<Value>, of words: @escaping @Sendable () -> [Value]
    ) -> Setting where Value.RawValue == String {
        Setting(
            key, field, allowed: words().map(\.rawValue).joined(separator: " or "),
            read: { text in words().first { $0.rawValue == text } }, write: { $0.rawValue })
    }

    static func list(_ key: String, _ field: Field<[String]>) -> Setting {
        self.init(
            key: key, allowed: "a list of texts, such as [replication, compaction]", isList: true, isBool: false,
            isOptional: false,
            assign: { written, settings in
                guard case .list(let elements) = written else { return false }
                settings[keyPath: field] = elements
                return true
            },
            current: { .list($0[keyPath: field]) })
    }

    private static func durations(_ least: String, _ most: String) -> String {
        "a time such as 250ms, 1.5s or 2m (units ns, us, ms, s, m, h), from \(least) to \(most)"
    }
}
