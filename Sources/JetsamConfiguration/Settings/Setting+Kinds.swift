internal import Jetsam
internal import MemoryPressure

/// The place of a value in the settings.
struct Field<Value>: Sendable {
    let get: @Sendable (JetsamSettings) -> Value
    let set: @Sendable (inout JetsamSettings, Value) -> Void

    init(_ path: any WritableKeyPath<JetsamSettings, Value> & Sendable) {
        get = { $0[keyPath: path] }
        set = { $0[keyPath: path] = $1 }
    }

    init(manager path: ManagerSetting.Path<Value>) {
        get = { $0.manager[keyPath: path] }
        set = { $0.manager[keyPath: path] = $1 }
    }
}

extension Setting {
    private init<Value>(
        _ key: String, _ field: Field<Value>, allowed: String, isBool: Bool = false,
        read: @escaping @Sendable (String) -> Value?, write: @escaping @Sendable (Value) -> String
    ) {
        self.init(
            key: key, allowed: allowed, isList: false, isBool: isBool, isOptional: false,
            assign: { written, settings in
                guard case .text(let text) = written, let value = read(text) else { return false }
                field.set(&settings, value)
                return true
            },
            current: { .text(write(field.get($0))) })
    }

    private init<Value>(
        optional key: String, _ field: Field<Value?>, allowed: String,
        read: @escaping @Sendable (String) -> Value?, write: @escaping @Sendable (Value) -> String
    ) {
        self.init(
            key: key, allowed: allowed, isList: false, isBool: false, isOptional: true,
            assign: { written, settings in
                switch written {
                case .nothing: field.set(&settings, nil)
                case .list: return false
                case .text(let text):
                    guard let value = read(text) else { return false }
                    field.set(&settings, value)
                }
                return true
            },
            current: { settings in field.get(settings).map { .text(write($0)) } ?? .nothing })
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

    static func duration(
        _ key: String, _ field: Field<Duration>, from least: Duration, to most: String = "1h"
    ) -> Setting {
        Setting(
            key, field, allowed: durations(least, most), read: ConfigurationText.duration,
            write: ConfigurationText.text(duration:))
    }

    static func duration(_ key: String, _ field: Field<Duration?>, from least: Duration) -> Setting {
        Setting(
            optional: key, field, allowed: durations(least, "1h") + ", or null",
            read: ConfigurationText.duration, write: ConfigurationText.text(duration:))
    }

    static func path(_ key: String, _ field: Field<String?>) -> Setting {
        Setting(
            optional: key, field, allowed: "an absolute path of fewer than 4096 bytes, or null",
            read: { $0 }, write: ConfigurationText.quoted)
    }

    static func bool(_ key: String, _ field: Field<Bool>) -> Setting {
        Setting(key, field, allowed: "true or false", isBool: true, read: { Bool($0) }, write: { "\($0)" })
    }

    static func word(_ key: String, _ word: ManagerSetting.Word) -> Setting {
        self.init(
            key: key, allowed: word.all.joined(separator: " or "), isList: false, isBool: false, isOptional: false,
            assign: { written, settings in
                guard case .text(let text) = written else { return false }
                return word.set(&settings.manager, text)
            },
            current: { .text(word.get($0.manager)) })
    }

    /// The budget of the footprint rule, which is off without one.
    static func budget(_ key: String) -> Setting {
        self.init(
            key: key, allowed: "a number of bytes such as 67108864, 512MiB or 1.5GiB, more than 0, or null",
            isList: false, isBool: false, isOptional: true,
            assign: { written, settings in
                switch written {
                case .nothing: settings.manager.footprint = nil
                case .list: return false
                case .text(let text):
                    guard let bytes = ConfigurationText.bytes(text) else { return false }
                    settings.manager.budget.budgetBytes = bytes
                }
                return true
            },
            current: { settings in
                settings.manager.footprint.map { .text(ConfigurationText.text(bytes: $0.budgetBytes)) } ?? .nothing
            })
    }

    static func list(_ key: String, _ field: Field<[String]>) -> Setting {
        self.init(
            key: key, allowed: "a list of texts, such as [replication, compaction]", isList: true, isBool: false,
            isOptional: false,
            assign: { written, settings in
                guard case .list(let elements) = written else { return false }
                field.set(&settings, elements)
                return true
            },
            current: { .list(field.get($0)) })
    }

    private static func durations(_ least: Duration, _ most: String) -> String {
        let least = least == .zero ? "0" : ConfigurationText.text(duration: least)
        return "a time such as 250ms, 1.5s or 2m (units ns, us, ms, s, m, h), from \(least) to \(most)"
    }
}
