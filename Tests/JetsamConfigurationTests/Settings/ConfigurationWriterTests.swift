import Jetsam
import Testing

@testable import JetsamConfiguration

struct ConfigurationWriterTests {
    @Test("Whatever settings there are, the file says the same", arguments: [UInt64(1), 2, 3, 4])
    func roundTrip(seed: UInt64) {
        var state = seed
        func next(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        for _ in 0..<50 {
            var settings = JetsamSettings()
            for setting in Setting.all where next(3) == 0 {
                guard let value = Example.other(for: setting) else { continue }
                _ = setting.assign(value, &settings)
            }
            if settings.manager.footprint != nil { settings.manager.budget.budgetBytes = 1 << 30 }
            guard settings.problems.isEmpty else { continue }
            let text = ConfigurationWriter().text(of: settings)
            let report = CheckReport(checking: Array(text.utf8))
            #expect(report.problems == [])
            #expect(report.settings == settings)
        }
    }

    @Test("Comments stand above what they are for, and cannot end early")
    func comments() {
        var settings = JetsamSettings()
        settings.manager.headroom.warningPercent = 30
        settings.manager.isDryRun = true
        var writer = ConfigurationWriter()
        writer.heading = ["By tune.\nisDryRun: false"]
        writer.comments = [
            "headroom.warningPercent": "more\u{2028}headroom: {}", "isDryRun": "first", "stall.headroomPercent": "no",
        ]
        #expect(
            writer.text(of: settings) == """
                # By tune.
                # isDryRun: false
                # first
                isDryRun: true
                headroom:
                  # more
                  # headroom: {}
                  warningPercent: 30

                """)
        #expect(CheckReport(checking: Array(writer.text(of: settings).utf8)).settings == settings)
    }
}
