/// Writes settings as a YAML file that ``CheckReport`` accepts: those that differ from the defaults, section by section.
public struct ConfigurationWriter: Sendable {
    /// Lines above the file, without their `#`.
    public var heading: [String] = []
    /// The comments to write above settings, by the setting's key, without the `#`. For settings that are at their defaults the
    /// comment is left out.
    public var comments: [String: String] = [:]

    /// A writer without comments.
    public init() {}

    /// The file. Where nothing differs from the defaults it says so and holds an empty map.
    public func text(of settings: JetsamSettings) -> String {
        let defaults = JetsamSettings()
        var lines = heading.flatMap { comment($0, indent: "") }
        var section = Substring()
        var isEmpty = true
        // Without a section first: after one they would belong to it.
        let all = Setting.all.filter { !$0.key.contains(".") } + Setting.all.filter { $0.key.contains(".") }
        for setting in all where setting.current(settings) != setting.current(defaults) {
            let parts = setting.key.split(separator: ".")
            let indent = parts.count > 1 ? "  " : ""
            if parts.count > 1, parts[0] != section {
                section = parts[0]
                lines.append("\(section):")
            }
            isEmpty = false
            lines += comments[setting.key].map { comment($0, indent: indent) } ?? []
            lines.append("\(indent)\(parts.last ?? ""): \(setting.text(in: settings) ?? "null")")
        }
        if isEmpty { lines += ["# Every setting is at its default.", "{}"] }
        return lines.joined(separator: "\n") + "\n"
    }

    private func comment(_ text: String, indent: String) -> [String] {
        text.split(omittingEmptySubsequences: false) { $0.isNewline }.map { line in
            // A comment ends where the line does, and holds no control characters.
            let plain = String(
                String.UnicodeScalarView(line.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }))
            return plain.isEmpty ? "\(indent)#" : "\(indent)# \(plain)"
        }
    }
}
