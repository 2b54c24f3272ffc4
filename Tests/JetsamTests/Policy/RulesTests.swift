import Testing

@testable import Jetsam
@testable import JetsamPolicy

struct RulesTests {
    @Test("The list has every rule at the place of its number, each with a name of its own")
    func list() {
        #expect(PressureRule.all.map(\.code) == Array(PressureRule.all.indices))
        #expect(PressureRule.words == PressureRule.all.map(\.description))
        #expect(Set(PressureRule.words).count == PressureRule.all.count)
        #expect(PressureRule(code: PressureRule.all.count) == nil)
        #expect(PressureRule.all.allSatisfy { $0.type.rule == $0 && PressureRule(code: $0.code) == $0 })
    }

    @Test("Numbers and names are part of the formats, and stay")
    func formats() {
        let names = ["headroom", "timeToLimit", "stall", "events", "distanceToHigh", "footprint", "external"]
        #expect(PressureRule.words.starts(with: names))
    }

    @Test("The page says what each rule means and what it goes by, as its comment does, and of no others")
    func page() throws {
        let page = try DocumentationPage.read("WhenItActed") { try RulesTable.rewritten($0) }
        #expect(RulesTable.rows(page) == (try RulesTable.ofTheCode()))
    }

    @Test("Settings of a rule are kept by their type, and those that are the standard's are none")
    func settings() {
        var configuration = ManagerConfiguration()
        configuration.stall.warningPercent = 8
        configuration.footprint = .init(budgetBytes: 1)
        #expect(configuration != ManagerConfiguration())
        #expect(configuration.stall.warningPercent == 8 && configuration.headroom == .init())
        var other = ManagerConfiguration()
        other.footprint = .init(budgetBytes: 1)
        #expect(configuration != other)
        other.stall = configuration.stall
        #expect(configuration == other)
        configuration.stall.warningPercent = 7
        configuration.footprint = nil
        #expect(configuration == ManagerConfiguration())
    }

    @Test("A trace has every setting that decides, and none of those that are words, paths or lists")
    func header() {
        let deciding = ManagerSetting.all.filter { $0.decides && !$0.isFixed }
        let fields = EveryRecord.fields(of: TraceHeader.self).map(\.name)
        #expect(Array(fields.suffix(deciding.count)) == deciding.map(\.name))
        #expect(fields.count - deciding.count == 6)
    }
}

/// The table of rules on the page `WhenItActed`, which `tools/manual` writes from the comments of the rules.
private enum RulesTable {
    private static let header = "| the rule | means | reads | look at |"

    static func ofTheCode() throws -> [String] {
        try PressureRule.all.map { rule in
            let cells = try ["Means", "Reads", "Look at"].map { word in
                try #require(try SourceComments.entry(word, of: "PressureRule.\(rule)"), "\(rule) lacks '- \(word): …'")
            }
            return "| `\(rule)` | \(cells.joined(separator: " | ")) |"
        }
    }

    static func rows(_ page: String) -> [String] {
        let lines = page.split(separator: "\n").map(String.init)
        guard let start = lines.firstIndex(of: header) else { return [] }
        return Array(lines[(start + 2)...].prefix { $0.hasPrefix("|") })
    }

    static func rewritten(_ page: String) throws -> String {
        page.replacing(
            rows(page).joined(separator: "\n"), with: try ofTheCode().joined(separator: "\n"), maxReplacements: 1)
    }
}
