import Jetsam
import Testing

@testable import JetsamConfiguration

struct SettingTableTests {
    @Test("Every setting of the code is in the table, and no other")
    func complete() {
        #expect(Setting.all.map(\.key).sorted() == FieldsOfTheCode.keys)
        #expect(Setting.all.count > 80)
    }

    @Test("Each setting reads back what it writes of another value, and changes nothing else", arguments: Setting.all)
    func readsWhatItWrites(_ setting: Setting) throws {
        let written = try #require(Example.other(for: setting))
        var settings = JetsamSettings()
        #expect(setting.assign(written, &settings))
        let changed = Setting.differences(between: JetsamSettings(), and: settings).map(\.key)
        #expect(changed.contains(setting.key))
        // The budget turns its rule on, and the others of the rule need it.
        #expect(
            changed.allSatisfy {
                $0 == setting.key || setting.key.hasPrefix("footprint.") && $0.hasPrefix("footprint.")
            })
        let field = FieldsOfTheCode.fields(of: settings).filter { FieldsOfTheCode.defaults[$0.key] != $0.value }
        #expect(Set(field.keys).isSubset(of: Set(changed)))
        #expect(field[setting.key] != nil)
        // Through a file.
        if setting.key.hasPrefix("footprint.") { settings.manager.budget.budgetBytes = 1 << 30 }
        let report = CheckReport(checking: Array(ConfigurationWriter().text(of: settings).utf8))
        #expect(report.problems == [])
        #expect(report.settings == settings)
    }

    @Test("A value of another kind is refused, and changes nothing", arguments: Setting.all)
    func refuses(_ setting: Setting) {
        var wrong = ["", "x", "1 2", "-", "1e3s", "ten", "0x10"].map(Setting.Written.text)
        if setting.key.hasSuffix("irectory") || setting.key.hasSuffix("traceFile") { wrong = [] }
        if !setting.isList { wrong.append(.list(["1"])) }
        if !setting.isOptional { wrong.append(.nothing) }
        for value in wrong {
            var settings = JetsamSettings()
            #expect(!setting.assign(value, &settings), "\(setting.key) took \(value)")
            #expect(settings == JetsamSettings())
        }
        #expect(!setting.allowed.isEmpty)
    }

    @Test("Just outside of the range that is told is refused, and its bounds are not, but for contradictions")
    func ranges() throws {
        for setting in Setting.all {
            guard let (least, most) = Example.bounds(of: setting) else { continue }
            for (value, isInside) in [(least - 1, false), (least, true), (most, true), (most + 1, false)] {
                var settings = JetsamSettings()
                if setting.key.hasPrefix("footprint.") { settings.manager.budget.budgetBytes = 1 << 30 }
                #expect(setting.assign(.text("\(value)"), &settings))
                let own = settings.problems.filter { $0.setting == setting.key }
                if isInside {
                    #expect(own.allSatisfy { problem in Setting.all.contains { problem.allowed.contains($0.key) } })
                } else {
                    #expect(own.count == 1, "\(setting.key) = \(value) is not refused")
                }
            }
        }
    }

    @Test("The defaults need no file, and an empty one says the same")
    func defaults() {
        let text = ConfigurationWriter().text(of: JetsamSettings())
        let report = CheckReport(checking: Array(text.utf8))
        #expect(report.settings == JetsamSettings())
        #expect(JetsamSettings().problems == [])
    }
}
