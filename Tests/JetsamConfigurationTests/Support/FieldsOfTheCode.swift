import Jetsam
import TestSupport

@testable import JetsamConfiguration

/// The settings as the types have them, by Mirror: what the table is held against.
enum FieldsOfTheCode {
    static let defaults = fields(of: JetsamSettings())

    /// With the rule that is off in the defaults.
    static var keys: [String] {
        var settings = JetsamSettings()
        settings.manager.budget.budgetBytes = 1
        return fields(of: settings).keys.sorted()
    }

    static func fields(of settings: JetsamSettings) -> [String: String] {
        var result = fields(of: settings.backgroundTasks, in: "backgroundTasks")
        for part in settings.manager.properties {
            result.merge(fields(of: part.value, in: part.name)) { first, _ in first }
        }
        if settings.manager.footprint == nil { result["footprint"] = nil }
        return result
    }

    private static func fields(of part: Any, in name: String) -> [String: String] {
        var mirror = Mirror(reflecting: part)
        if mirror.displayStyle == .optional, let value = mirror.children.first?.value {
            mirror = Mirror(reflecting: value)
        }
        guard !mirror.children.isEmpty else { return [name: "\(part)"] }
        return Dictionary(uniqueKeysWithValues: mirror.children.map { ("\(name).\($0.label ?? "?")", "\($0.value)") })
    }
}

/// Values for settings, whatever they are.
enum Example {
    private static let candidates: [Setting.Written] =
        [.list(["replication", "a \"quoted\", [one]: # not a comment"])]
        + [
            "false", "true", "exit", "onRequest", "/var/lib/jetsam: \"x\" # y", "3", "6", "9", "17", "55", "85", "95",
            "300",
            "20MiB",
            "25MiB", "49MiB", "1025MiB", "3GiB", "1500us", "1500ms", "7s", "25s", "31s",
        ].map(Setting.Written.text)

    /// A value that is not the default and goes with the defaults of the others.
    static func other(for setting: Setting) -> Setting.Written? {
        candidates.first { written in
            var settings = JetsamSettings()
            if setting.key.hasPrefix("footprint.") { settings.manager.budget.budgetBytes = 1 << 30 }
            guard setting.assign(written, &settings), settings.problems.isEmpty else { return false }
            return setting.current(settings) != setting.current(JetsamSettings())
        }
    }

    /// The range of a whole number, from the words that tell it.
    static func bounds(of setting: Setting) -> (Int, Int)? {
        guard setting.allowed.hasPrefix("a whole number in ") else { return nil }
        let parts = setting.allowed.dropFirst("a whole number in ".count).split(separator: "…").compactMap { Int($0) }
        return parts.count == 2 ? (parts[0], parts[1]) : nil
    }
}
