internal import Jetsam

/// Walks over a parsed file and notes what is wrong with it.
struct Checker {
    fileprivate struct Place: Hashable {
        var line: Int
        var column: Int
    }

    private struct Entry {
        var place: Place
        var written: Setting.Written
    }

    private(set) var problems: [CheckReport.Problem] = []
    private(set) var settings = JetsamSettings()
    private var entries: [String: Entry] = [:]
    /// The places where the sections of the file begin.
    private var sections: [String: Place] = [:]
    /// The settings with a value that is none of their kind: they count as if they were at their defaults.
    private var unread: Set<String> = []

    mutating func check(_ bytes: [UInt8]) {
        switch SettingsDocument.parse(bytes) {
        case .failure(let fault): problems.append(fault.problem)
        case .success(let root):
            guard case .map(let pairs) = root.content else {
                return note(
                    Place(root), nil, nil, "the file has no settings; {} says that all of them are at their defaults")
            }
            let own = pairs.filter { $0.key.text == "jetsam" }
            for pair in own { readSection(pair.value, "", Place(pair.key)) }
            if own.isEmpty { readSection(root, "", Place(root)) }
            apply()
        }
    }

    /// Reads a section, whose settings begin with `prefix`.
    private mutating func readSection(_ section: SettingsDocument.Node, _ prefix: String, _ place: Place) {
        guard case .map(let pairs) = section.content else {
            if case .scalar(let text, false) = section.content, SettingsDocument.isNull(text) { return }
            let name = prefix.isEmpty ? "jetsam" : String(prefix.dropLast())
            return note(place, name, written(section).description, "\(name) is a section: it needs settings of its own")
        }
        for pair in pairs {
            guard let name = pair.key.text else {
                note(Place(pair.key), nil, nil, "a key must be a text")
                continue
            }
            read(pair.value, key: prefix + name, Place(pair.key))
        }
    }

    private mutating func read(_ node: SettingsDocument.Node, key: String, _ place: Place) {
        guard key.utf8.count <= 256 else {
            let name = Setting.Written.shortened(key)
            return note(place, name, nil, "unknown setting \(name)")
        }
        if let setting = Setting.named(key) {
            read(node, setting, place)
        } else if Self.sectionNames.contains(key) {
            if sections[key] == nil { sections[key] = place }
            readSection(node, key + ".", place)
        } else if let warning = Setting.warning(of: key) {
            let name = Setting.renamed[key]
            problems.append(
                .init(
                    line: place.line, column: place.column, key: key, message: warning, suggestion: name,
                    isWarning: true))
            if let setting = name.flatMap(Setting.named) { read(node, setting, place) }
        } else {
            // Only for those that are shown: it takes far longer than the rest.
            let isShown = problems.count < CheckReport.maximumProblems
            let near = !isShown ? nil : EditDistance.nearest(to: key, among: Self.names(isSection: node.isMap))
            let name = Setting.Written.shortened(key)
            let hint = near.map { "; did you mean \($0)?" } ?? ""
            problems.append(
                .init(
                    line: place.line, column: place.column, key: name, value: nil,
                    message: "unknown setting \(name)\(hint)", suggestion: near))
        }
    }

    private mutating func read(_ node: SettingsDocument.Node, _ setting: Setting, _ place: Place) {
        if let first = entries[setting.key] {
            let (earlier, later) =
                (first.place.line, first.place.column) < (place.line, place.column)
                ? (first.place, place) : (place, first.place)
            return note(
                later, setting.key, written(node).description,
                "\(setting.key) is set twice: first in line \(earlier.line)")
        }
        let value = written(node)
        let entry = Entry(place: Place(node), written: value)
        entries[setting.key] = entry
        var scratch = settings
        let fits = !node.isMap && !node.isNested && !(value == .nothing && !setting.isOptional)
        guard fits, setting.assign(value, &scratch) else {
            unread.insert(setting.key)
            return note(
                entry.place, setting.key, value.description,
                "\(setting.key) is \(value), but must be \(setting.allowed)")
        }
    }

    /// Sets everything that could be read, in the order of the table, and compares it with each other.
    private mutating func apply() {
        for setting in Setting.all {
            guard let entry = entries[setting.key], !unread.contains(setting.key) else { continue }
            _ = setting.assign(entry.written, &settings)
        }
        for problem in settings.problems
        where !unread.contains(where: { $0 == problem.setting || problem.allowed.contains($0) }) {
            let entry = entries[problem.setting]
            let value = entry?.written.description ?? problem.value
            guard entry != nil || problem.setting != "footprint.budgetBytes" else {
                note(
                    place(near: problem), problem.setting, nil,
                    "footprint.budgetBytes is missing: without a budget there is no footprint rule to set")
                continue
            }
            let whose = entry == nil ? " by default" : ""
            note(
                entry?.place ?? place(near: problem), problem.setting, value,
                "\(problem.setting) is \(value)\(whose), but must be \(problem.allowed)")
        }
    }

    /// Returns the place to point at for a contradiction with a default: the other setting, or the section.
    private func place(near problem: ConfigurationError) -> Place {
        let other = entries.first { problem.allowed.contains($0.key) }?.value.place
        return other ?? sections[String(problem.setting.prefix { $0 != "." })] ?? Place(line: 0, column: 0)
    }

    private func written(_ node: SettingsDocument.Node) -> Setting.Written {
        switch node.content {
        case .scalar(let text, let isQuoted): !isQuoted && SettingsDocument.isNull(text) ? .nothing : .text(text)
        case .list(let elements): .list(elements.map { $0.text ?? "…" })
        case .map: .text("a section")
        }
    }

    private mutating func note(_ place: Place, _ key: String?, _ value: String?, _ message: String) {
        problems.append(.init(line: place.line, column: place.column, key: key, value: value, message: message))
    }

    private static let sectionNames = Set(
        Setting.all.compactMap { $0.key.split(separator: ".").dropLast().first.map(String.init) })

    private static func names(isSection: Bool) -> [String] {
        isSection ? sectionNames.sorted() : Setting.all.map(\.key)
    }
}

extension Checker.Place {
    fileprivate init(_ node: SettingsDocument.Node) {
        self.init(line: node.line, column: node.column)
    }
}
