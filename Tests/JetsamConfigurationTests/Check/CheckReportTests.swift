import Jetsam
import Testing

@testable import JetsamConfiguration

struct CheckReportTests {
    private static func problems(_ text: String) -> [String] {
        CheckReport(checking: Array(text.utf8)).problems.map(\.description)
    }

    @Test("A file of good settings gives them, in YAML, in JSON and with dotted names")
    func good() throws {
        for text in [
            "headroom:\n  warningPercent: 30 # more\ntimeToLimit: {warning: 12s}\nisDryRun: true\nlifecycle:\n",
            "{\"headroom\": {\"warningPercent\": 30}, \"timeToLimit\": {\"warning\": \"12s\"},\n\t\"isDryRun\": true}",
            "headroom.warningPercent: '30'\ntimeToLimit.warning: 12s\nisDryRun: true\nfootprint.budgetBytes: null\n",
            "server: {port: 80}\njetsam:\n  headroom: {warningPercent: 30}\n  timeToLimit.warning: 12s\n  isDryRun: true\n",
        ] {
            let report = CheckReport(checking: Array(text.utf8))
            #expect(report.problems == [])
            #expect(report.isGood)
            let settings = try #require(report.settings)
            #expect(settings.manager.headroom.warningPercent == 30)
            #expect(settings.manager.timeToLimit.warning == .seconds(12))
            #expect(settings.manager.isDryRun)
            #expect(Setting.differences(between: settings, and: JetsamSettings()).count == 3)
        }
    }

    @Test(
        "Each fault is told with its line and column, and what is allowed",
        arguments: [
            (
                "headroom:\n  warnPercent: 3\n",
                ["2:3: error: unknown setting headroom.warnPercent; did you mean headroom.warningPercent?"]
            ),
            ("headrom: {}\n", ["1:1: error: unknown setting headrom; did you mean headroom?"]),
            (
                "server: {port: 80}\njetsam:\n  isdryrun: true\n",
                ["3:3: error: unknown setting isdryrun; did you mean isDryRun?"]
            ),
            ("server: {port: 80}\njetsam:\n", []),
            ("jetsam: 5\n", ["1:1: error: jetsam is a section: it needs settings of its own"]),
            ("isdryrun: true\n", ["1:1: error: unknown setting isdryrun; did you mean isDryRun?"]),
            (
                "warningSpacing: 1s\n",
                ["1:1: error: unknown setting warningSpacing; did you mean reclaim.warningSpacing?"]
            ),
            ("something: else\n", ["1:1: error: unknown setting something"]),
            ("headroom: 5\n", ["1:1: error: headroom is a section: it needs settings of its own"]),
            (
                "headroom:\n  exitPoints: five\n",
                ["2:15: error: headroom.exitPoints is five, but must be a whole number in 1…50"]
            ),
            ("headroom:\n  exitPoints: 51\n", ["2:15: error: headroom.exitPoints is 51, but must be in 1…50"]),
            (
                "headroom:\n  exitPoints: {a: b}\n",
                ["2:15: error: headroom.exitPoints is a section, but must be a whole number in 1…50"]
            ),
            (
                "headroom:\n  exitPoints:\n",
                ["2:14: error: headroom.exitPoints is null, but must be a whole number in 1…50"]
            ),
            ("isDryRun: [true]\n", ["1:11: error: isDryRun is [true], but must be true or false"]),
            (
                "lifecycle:\n  backgroundModes: replication\n",
                [
                    "2:20: error: lifecycle.backgroundModes is replication, but must be a list of texts, such as "
                        + "[replication, compaction]"
                ]
            ),
            (
                "headroom:\n  criticalPercent: 25\n",
                [
                    "2:20: error: headroom.criticalPercent is 25, but must be less than headroom.warningPercent, which is 20"
                ]
            ),
            (
                "headroom:\n  warningPercent: 8\n",
                [
                    "2:19: error: headroom.criticalPercent is 10 by default, but must be less than headroom.warningPercent, "
                        + "which is 8"
                ]
            ),
            (
                "footprint:\n  warningPercent: 70\n",
                ["1:1: error: footprint.budgetBytes is missing: without a budget there is no footprint rule to set"]
            ),
            (
                "backgroundTasks:\n  lead: 2m\n",
                ["2:9: error: backgroundTasks.lead is 2m, but must be between 0.0 seconds and 60.0 seconds"]
            ),
            (
                "headroom:\n\texitPoints: 3\n",
                ["2:1: error: this cannot be read as YAML or JSON: found character that cannot start any token"]
            ),
            ("[1, 2]\n", ["1:1: error: the file has no settings; {} says that all of them are at their defaults"]),
            ("just text\n", ["1:1: error: the file has no settings; {} says that all of them are at their defaults"]),
            ("? [a]\n: b\n", ["1:3: error: a key must be a text"]),
            ("", ["error: the file is empty; {} says that all settings are at their defaults"]),
            ("# nothing\n\n", ["error: the file is empty; {} says that all settings are at their defaults"]),
            ("a: 1\n---\nb: 2\n", ["2:1: error: this cannot be read: but found another document"]),
            (
                "headroom: &x {exitPoints: 3}\n",
                ["1:11: error: anchors and aliases are not allowed: write the value out"]
            ),
            (
                "headroom: {exitPoints: 3\n",
                ["2:1: error: this cannot be read as YAML or JSON: did not find expected ',' or '}'"]
            ),
        ])
    func faults(text: String, expected: [String]) {
        #expect(Self.problems(text) == expected)
    }

    @Test("All faults are told, not only the first, in the order of the file")
    func all() {
        let problems = Self.problems(
            """
            headroom:
              warningPercent: 500
              warningPercent: 20
              warnPercent: 3
            timeToLimit:
              warning: 10
              window: 3s
              warningExit: 1
            headroom:
              exitPoints: 3
            isDryRun: yes
            """)
        #expect(
            problems.map { String($0.prefix { $0 != " " }) } == ["2:19:", "3:3:", "4:3:", "6:12:", "8:16:", "11:11:"])
        #expect(problems[1] == "3:3: error: headroom.warningPercent is set twice: first in line 2")
    }

    @Test(
        "A setting that is there twice is found, however it is written",
        arguments: [
            "isDryRun: true\nisDryRun: false\n", "{\"isDryRun\": true,\n\"isDryRun\": true}",
            "'isDryRun': true\nisDryRun: true\n",
            "isDryRun: true\n\r\n# é\r\nisDryRun: true\n",
        ])
    func twice(text: String) {
        let problems = CheckReport(checking: Array(text.utf8)).problems
        #expect(problems.map(\.key) == ["isDryRun"])
        #expect(problems.first?.message == "isDryRun is set twice: first in line 1")
        #expect(problems.first?.line ?? 0 > 1)
    }

    @Test("A setting in a section and beside it, and three times, is found each time")
    func twiceInSections() {
        #expect(
            Self.problems("headroom: {exitPoints: 3}\nheadroom.exitPoints: 4\nheadroom:\n  exitPoints: 5\n") == [
                "2:1: error: headroom.exitPoints is set twice: first in line 1",
                "4:3: error: headroom.exitPoints is set twice: first in line 1",
            ])
    }

    @Test("No more problems are kept than anybody reads, and the others are counted")
    func many() {
        let text = (0..<3000).map { "key\($0): 1\n" }.joined()
        let report = CheckReport(checking: Array(text.utf8))
        #expect(report.problems.count == CheckReport.maximumProblems)
        #expect(report.omittedProblems == 3000 - CheckReport.maximumProblems)
        #expect(report.settings == nil)
    }

    @Test("Values and keys in messages are short and on one line")
    func bounded() {
        let long = String(repeating: "a\\n\\u0007", count: 100_000)
        for text in ["isDryRun: \"\(long)\"", "\"\(long)\": 1", "lifecycle:\n  missedDeadline: \"\(long)\""] {
            let report = CheckReport(checking: Array(text.utf8))
            #expect(report.problems.count == 1)
            let all = report.problems.flatMap { [$0.message, $0.key ?? "", $0.value ?? ""] }
            #expect(all.allSatisfy { $0.count < 250 && !$0.contains("\n") && !$0.contains("\u{7}") })
        }
    }
}

struct VanishedSettingTests {
    private let text = "timeToLimit:\n  warning: 12s\n  critical: 2s\nreclaim.warningSharePercent: 30\n"

    @Test("A setting that there is no more is a warning that names what to write instead, and the rest counts")
    func warnings() throws {
        let report = CheckReport(checking: Array(text.utf8))
        #expect(report.isGood)
        #expect(try #require(report.settings).manager.timeToLimit.warning == .seconds(12))
        #expect(report.warnings.map(\.line) == [3, 4])
        #expect(report.warnings.map(\.key) == ["timeToLimit.critical", "reclaim.warningSharePercent"])
        let first = try #require(report.warnings.first).description
        #expect(first.hasPrefix("3:3: warning: timeToLimit.critical is no setting"))
    }

    @Test("A setting's former name counts, with a warning that tells the new one; both at once are set twice")
    func formerNames() throws {
        let text = "ladder:\n  assertionBatch: 3\n  expiresAssertions: false\n"
        let report = CheckReport(checking: Array(text.utf8))
        #expect(report.isGood)
        let ladder = try #require(report.settings).manager.ladder
        #expect(ladder.backgroundTaskBatch == 3)
        #expect(!ladder.expiresBackgroundTasks)
        #expect(report.warnings.map(\.line) == [2, 3])
        #expect(
            report.warnings.first?.description
                == "2:3: warning: ladder.assertionBatch is called ladder.backgroundTaskBatch now; the old name will go")
        let both = CheckReport(checking: Array((text + "  backgroundTaskBatch: 4\n").utf8))
        #expect(both.problems.map(\.message) == ["ladder.backgroundTaskBatch is set twice: first in line 2"])
        for (old, new) in Setting.renamed {
            #expect(Setting.named(old) == nil && Setting.named(new) != nil)
        }
    }

    @Test("Each names a setting that there is, and none of them is one")
    func replacements() {
        for (key, replacement) in Setting.vanished {
            #expect(Setting.named(key) == nil)
            let named = Setting.all.filter { replacement.contains($0.key) }
            #expect(!named.isEmpty, "\(key)")
        }
    }
}
