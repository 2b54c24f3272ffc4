import Configuration
import Jetsam
import SystemPackage
import Testing

@testable import JetsamConfiguration

struct ReaderTests {
    private static func reader(_ variables: [String: String]) -> ConfigReader {
        ConfigReader(provider: EnvironmentVariablesProvider(environmentVariables: variables)).scoped(to: "jetsam")
    }

    @Test("Environment variables are named by swift-configuration's rule, prefixed")
    func environment() throws {
        let settings = try JetsamSettings(
            reader: Self.reader([
                "JETSAM_HEADROOM_WARNING_PERCENT": "30", "JETSAM_TIME_TO_LIMIT_WARNING": "12s",
                "JETSAM_HEADROOM_WARNING_MINIMUM_BYTES": "64MiB", "JETSAM_IS_DRY_RUN": "true",
                "JETSAM_LIFECYCLE_BACKGROUND_MODES": "replication,compaction", "JETSAM_BACKGROUND_TASKS_GRACE": "500ms",
                "JETSAM_LIFECYCLE_MISSED_DEADLINE": "exit", "HEADROOM_CRITICAL_PERCENT": "1",
            ]))
        var expected = JetsamSettings()
        expected.manager.headroom.warningPercent = 30
        expected.manager.timeToLimit.warning = .seconds(12)
        expected.manager.headroom.warningMinimumBytes = 64 << 20
        expected.manager.isDryRun = true
        expected.manager.lifecycle.backgroundModes = ["replication", "compaction"]
        expected.manager.lifecycle.missedDeadline = .exit
        expected.backgroundTasks.grace = .milliseconds(500)
        #expect(settings == expected)
        #expect(try ManagerConfiguration(reader: Self.reader(["JETSAM_IS_DRY_RUN": "true"])).isDryRun)
    }

    @Test("A former name counts in the environment, too, and the new one goes before it")
    func formerNames() throws {
        let old = ["JETSAM_LADDER_ASSERTION_BATCH": "3", "JETSAM_LADDER_EXPIRES_ASSERTIONS": "false"]
        let ladder = try JetsamSettings(reader: Self.reader(old)).manager.ladder
        #expect(ladder.backgroundTaskBatch == 3)
        #expect(!ladder.expiresBackgroundTasks)
        #expect(JetsamSettings.warnings(of: Self.reader(old).snapshot()).count == 2)
        let both = old.merging(["JETSAM_LADDER_BACKGROUND_TASK_BATCH": "4"]) { first, _ in first }
        #expect(try JetsamSettings(reader: Self.reader(both)).manager.ladder.backgroundTaskBatch == 4)
    }

    @Test(
        "What cannot be used is refused with key, value and what is allowed",
        arguments: [
            (
                "JETSAM_HEADROOM_WARNING_PERCENT", "much",
                "headroom.warningPercent is much, but must be a whole number in 2…99"
            ),
            ("JETSAM_HEADROOM_WARNING_PERCENT", "120", "headroom.warningPercent is 120, but must be in 2…99"),
            (
                "JETSAM_HEADROOM_CRITICAL_PERCENT", "25",
                "headroom.criticalPercent is 25, but must be less than headroom.warningPercent, which is 20"
            ),
            ("JETSAM_IS_DRY_RUN", "maybe", "isDryRun is maybe, but must be true or false"),
            (
                "JETSAM_LIFECYCLE_ACTIVATION", "Automatic",
                "lifecycle.activation is Automatic, but must be automatic or onRequest"
            ),
        ])
    func refuses(variable: String, value: String, description: String) {
        let error = #expect(throws: ConfigurationError.self) {
            try JetsamSettings(reader: Self.reader([variable: value]))
        }
        #expect(error?.description == description)
    }

    @Test("Values of JSON, YAML and code are read alike, and the first provider that has one goes before the others")
    func formats() async throws {
        let directory = try TestDirectory()
        let json = try directory.write(
            #"{"headroom": {"warningPercent": 31, "criticalPercent": 9}, "isDryRun": true, "lifecycle": {"backgroundModes": ["a"]}}"#,
            to: "a.json")
        let yaml = try directory.write(
            "headroom:\n  warningPercent: 32\nisDryRun: false\ntimeToLimit:\n  warning: 11s\nlifecycle:\n  backgroundModes: [b]\n",
            to: "a.yaml")
        let code = InMemoryProvider(values: ["headroom.exitPoints": 7, "reclaim.warningSpacing": "300ms"])
        let settings = try JetsamSettings(
            reader: ConfigReader(providers: [
                code, try await FileProvider<JSONSnapshot>(filePath: json),
                try await FileProvider<YAMLSnapshot>(filePath: yaml),
            ]))
        #expect(settings.manager.headroom.warningPercent == 31)
        #expect(settings.manager.headroom.criticalPercent == 9)
        #expect(settings.manager.headroom.exitPoints == 7)
        #expect(settings.manager.isDryRun)
        #expect(settings.manager.timeToLimit.warning == .seconds(11))
        #expect(settings.manager.reclaim.warningSpacing == .milliseconds(300))
        #expect(settings.manager.lifecycle.backgroundModes == ["a"])
    }

    @Test("A value of another kind is not taken for nothing there")
    func otherKinds() async throws {
        let directory = try TestDirectory()
        for (text, key) in [
            (#"{"headroom": {"warningPercent": 20.5}}"#, "headroom.warningPercent"),
            (#"{"headroom": {"warningPercent": [20]}}"#, "headroom.warningPercent"),
            (#"{"timeToLimit": {"warning": 10}}"#, "timeToLimit.warning"),
            (#"{"timeToLimit": {"warning": true}}"#, "timeToLimit.warning"),
            (#"{"lifecycle": {"backgroundModes": 3}}"#, "lifecycle.backgroundModes"),
        ] {
            let path = try directory.write(text, to: "b.json")
            let provider = try await FileProvider<JSONSnapshot>(filePath: path)
            let error = #expect(throws: ConfigurationError.self) {
                try JetsamSettings(reader: ConfigReader(provider: provider))
            }
            #expect(error?.setting == key)
        }
    }
}
