import MemoryPressure
import SystemPackage
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

    @Test("Each setting is documented once, with its reason")
    func onceWithReason() throws {
        let page = try ThresholdsPage.read()
        #expect(page.rows.map(\.setting).sorted() == Self.settings)
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

/// The tables of the page.
private struct ThresholdsPage {
    struct Row {
        var setting: String
        var value: String
        var reason: String
    }

    var rows: [Row]

    static func read() throws -> ThresholdsPage {
        let root = FilePath(#filePath).removingLastComponent().removingLastComponent().removingLastComponent()
            .removingLastComponent()
        let page = root.appending("Sources/Jetsam/Documentation.docc/Thresholds.md")
        let descriptor = try FileDescriptor.open(page, .readOnly)
        defer { try? descriptor.close() }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = try unsafe bytes.withUnsafeMutableBytes { unsafe try descriptor.read(into: $0) }
        let lines = String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n")
        return ThresholdsPage(
            rows: lines.filter { $0.hasPrefix("| `") }.map { line in
                let cells = line.split(separator: "|").map { String($0).trimmed }
                return Row(setting: cells[0].filter { $0 != "`" }, value: cells[1], reason: cells.dropFirst(2).joined())
            })
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
    static let ofTheCode: [String: String] = {
        var result = settings(of: BackgroundTaskConfiguration(), in: "backgroundTasks")
        for part in Mirror(reflecting: ManagerConfiguration()).children {
            result.merge(settings(of: part.value, in: part.label ?? "?")) { first, _ in first }
        }
        // Off unless it is given a budget, which has no default.
        var footprint = settings(of: ManagerConfiguration.FootprintRule(budgetBytes: 1), in: "footprint")
        footprint["footprint.budgetBytes"] = nil
        return result.merging(footprint) { first, _ in first }
    }()

    /// A part without settings of its own is a setting itself.
    private static func settings(of part: Any, in name: String) -> [String: String] {
        let children = Mirror(reflecting: part).children
        guard !children.isEmpty else { return [name: text(name, part)] }
        return Dictionary(
            uniqueKeysWithValues: children.map { ("\(name).\($0.label ?? "?")", text($0.label ?? "", $0.value)) })
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

extension String {
    fileprivate var trimmed: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
