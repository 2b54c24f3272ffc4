import MemoryPressure
import TestSupport
import Testing

@testable import BackgroundTasks
@testable import Jetsam
@testable import JetsamPolicy

struct ThresholdsPageTests {
    private static let settings = Defaults.ofTheCode.keys.sorted()

    @Test("The documented defaults are those of the code, each of them and no others")
    func defaults() throws {
        #expect(try ThresholdsPage.read().differences(from: Defaults.ofTheCode) == [])
    }

    @Test("Each setting is documented once, with the reason that its comment gives")
    func onceWithReason() throws {
        let page = try ThresholdsPage.read()
        #expect(page.rows.map(\.setting).sorted() == Self.settings)
        for row in page.rows { #expect(try row == Defaults.row(row.setting)) }
        #expect(page.rows.filter { $0.reason.count < 10 }.map(\.setting) == [])
    }

    @Test("The settings of each part are among those that are looked at")
    func parts() {
        let groups = Set(Self.settings.map { String($0.prefix { $0 != "." }) })
        #expect(groups.isSuperset(of: ["lifecycle", "scenes", "ladder", "backgroundTasks", "footprint", "lastResort"]))
        #expect(Self.settings.count > 60)
    }

    @Test("A setting that the page leaves out, or has otherwise than the code, is found", arguments: settings)
    func finds(_ setting: String) throws {
        let page = try ThresholdsPage.read()
        let index = try #require(page.rows.firstIndex { $0.setting == setting })
        var without = page
        without.rows.remove(at: index)
        #expect(without.differences(from: Defaults.ofTheCode).count == 1)
        var other = page
        other.rows[index].value += "0"
        #expect(other.differences(from: Defaults.ofTheCode).count == 1)
    }

    @Test("A setting that the page has and the code has not is found")
    func findsUnknown() throws {
        var page = try ThresholdsPage.read()
        page.rows.append(ThresholdsPage.Row(setting: "ladder.unknown", value: "1", reason: ""))
        #expect(page.differences(from: Defaults.ofTheCode) == ["ladder.unknown: the page says 1, the code nothing"])
    }
}

/// The tables of the page, which `tools/manual` writes from the defaults and the comments of the settings.
private struct ThresholdsPage {
    struct Row: Equatable {
        var setting: String
        var value: String
        var reason: String

        var text: String { "| `\(setting)` | \(value) | \(reason) |" }
    }

    var rows: [Row]

    static func read() throws -> ThresholdsPage {
        ThresholdsPage(try contents.get())
    }

    /// The page, read once.
    private static let contents = Result {
        try DocumentationPage.read("Thresholds") { try rewritten($0) }
    }

    private init(_ text: String) {
        rows = text.split(separator: "\n").compactMap { Self.row($0) }
    }

    private static func row(_ line: some StringProtocol) -> Row? {
        guard line.hasPrefix("| `") else { return nil }
        let cells = DocumentationPage.cells(line)
        return Row(
            setting: cells[0].filter { $0 != "`" }, value: cells[1], reason: cells.dropFirst(2).joined(separator: " | ")
        )
    }

    /// The page with the rows of the code; a setting that is new comes after the one before it.
    private static func rewritten(_ text: String) throws -> String {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        lines.removeAll { line in row(line).map { Defaults.ofTheCode[$0.setting] == nil } ?? false }
        var last = lines.startIndex
        for setting in Defaults.order {
            let row = try Defaults.row(setting).text
            if let index = lines.firstIndex(where: { Self.row($0)?.setting == setting }) {
                lines[index] = row
                last = index
            } else {
                last += 1
                lines.insert(row, at: last)
            }
        }
        return lines.joined(separator: "\n")
    }

    /// A line for each setting that is missing, unknown or different.
    func differences(from defaults: [String: String]) -> [String] {
        let documented = Dictionary(rows.map { ($0.setting, $0.value) }) { "\($0) and \($1)" }
        return Set(documented.keys).union(defaults.keys).sorted().compactMap { setting in
            let (page, code) = (documented[setting], defaults[setting])
            return page == code ? nil : "\(setting): the page says \(page ?? "nothing"), the code \(code ?? "nothing")"
        }
    }
}

/// What the types have, as the page writes it: `headroom.warningPercent` → `20`.
private enum Defaults {
    /// In the order of the properties; the budget of the footprint rule, which has no default, stands for the rule.
    static let order = all.map(\.setting)

    static let ofTheCode = Dictionary(uniqueKeysWithValues: all.map { ($0.setting, $0.value) })

    /// Returns what the page has to say of a setting.
    static func row(_ setting: String) throws -> ThresholdsPage.Row {
        let found = try #require(all.first { $0.setting == setting })
        let why = try SourceComments.entry("Why", of: found.property)
        return ThresholdsPage.Row(
            setting: setting, value: found.value,
            reason: try #require(why, "the comment of \(found.property) lacks 'Why: …'"))
    }

    private static let all: [(setting: String, value: String, property: String)] = {
        let manager = ManagerConfiguration()
        var result = manager.properties.flatMap { settings(of: $0.value, in: $0.name) }
        let index = result.firstIndex { $0.setting == "footprint" } ?? 0
        let budget = settings(of: ManagerConfiguration.FootprintRule(budgetBytes: 1), in: "footprint")
        result.insert(contentsOf: budget.filter { $0.setting != "footprint.budgetBytes" }, at: index + 1)
        return result + settings(of: BackgroundTaskConfiguration(), in: "backgroundTasks")
    }()

    /// A part without settings of its own is a setting itself.
    private static func settings(
        of part: Any, in name: String
    ) -> [(setting: String, value: String, property: String)] {
        let children = Mirror(reflecting: part).children
        guard !children.isEmpty else { return [(name, text(name, part), "ManagerConfiguration.\(name)")] }
        return children.map { child in
            let label = child.label ?? "?"
            return ("\(name).\(label)", text(label, child.value), "\(type(of: part)).\(label)")
        }
    }

    private static func text(_ label: String, _ value: Any) -> String {
        if let duration = value as? Duration {
            let milliseconds = duration.milliseconds
            if milliseconds > 0, milliseconds % 60_000 == 0 { return "\(milliseconds / 60_000) min" }
            return milliseconds % 1000 == 0 ? "\(milliseconds / 1000) s" : "\(milliseconds) ms"
        }
        let isBytes = label.hasSuffix("Bytes") || label.hasSuffix("Rate")
        return isBytes ? (value as? Int).map { ByteCount($0).description } ?? "?" : "\(value)"
    }
}
