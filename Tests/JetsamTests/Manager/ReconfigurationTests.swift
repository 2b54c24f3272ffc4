import JetsamTesting
import MemoryPressure
import TestSupport
import Testing

@testable import BackgroundTasks
@testable import Jetsam
@testable import JetsamPolicy

struct ReconfigurationTests {
    private static func changed(
        _ change: (inout ManagerConfiguration) -> Void
    ) -> ManagerConfiguration {
        var configuration = ManagerConfiguration()
        change(&configuration)
        return configuration
    }

    @Test("New thresholds are judged by at once, and the level has kept its state")
    func judgesAnew() async throws {
        try await Fixture(used: 380 * mebibyte).run { fixture in
            fixture.machine.advance(by: .seconds(1))
            #expect(fixture.manager.level == .normal)
            let change = try fixture.manager.apply(Self.changed { $0.headroom.warningPercent = 40 })
            #expect(change.applied == ["headroom.warningPercent"])
            #expect(change.atNextStart == [])
            #expect(fixture.manager.level == .warning)
            // The fall waits for its delay, as ever.
            try fixture.manager.apply(ManagerConfiguration())
            #expect(fixture.manager.level == .warning)
            fixture.machine.advance(by: .seconds(6))
            #expect(fixture.manager.level == .normal)
        }
    }

    @Test("What cannot be used changes nothing")
    func refuses() throws {
        let fixture = try Fixture()
        defer { fixture.machine.tree.remove() }
        try fixture.manager.apply(Self.changed { $0.headroom.warningPercent = 40 })
        let error = #expect(throws: ConfigurationError.self) {
            try fixture.manager.apply(
                Self.changed {
                    $0.headroom.warningPercent = 50
                    $0.headroom.criticalPercent = 60
                })
        }
        #expect(error?.setting == "headroom.criticalPercent")
        #expect(fixture.manager.governor.configuration.headroom.warningPercent == 40)
        #expect(fixture.manager.governor.configuration.headroom.criticalPercent == 10)
    }

    @Test("What is set up once stays, and is named each time")
    func fixedParts() throws {
        let fixture = try Fixture()
        defer { fixture.machine.tree.remove() }
        let other = Self.changed {
            $0.reclaim.warningSpacing = .milliseconds(300)
            $0.lifecycle.drainDelay = .seconds(1)
            $0.scenes.crashedStarts = 3
            $0.recorder.directory = "/var/lib/x"
            $0.control.isEnabled = true
            $0.isDryRun = true
            $0.footprint = .init(budgetBytes: 1 << 30)
        }
        let change = try fixture.manager.apply(other)
        #expect(change.applied == ["footprint", "reclaim.warningSpacing", "isDryRun"])
        let late = [
            "scenes.crashedStarts", "lifecycle.drainDelay", "recorder.directory", "control.isEnabled",
        ]
        #expect(change.atNextStart == late)
        var expected = other
        expected.keepFixedParts(of: ManagerConfiguration())
        #expect(fixture.manager.governor.configuration == expected)
        let again = try fixture.manager.apply(other)
        #expect(again.applied == [])
        #expect(again.atNextStart == late)
    }

    @Test("A change of each setting is told by its name, applied or kept back", arguments: ManagerSetting.all)
    func everyOne(_ setting: ManagerSetting) {
        var plain = ManagerConfiguration()
        if setting.needsBudget { plain.footprint = .init(budgetBytes: 1 << 30) }
        var other = plain
        setting.change(&other)
        let result = ConfigurationChange(from: plain, to: other)
        var name = setting.name
        if case .budget = setting.kind { name = "footprint" }
        #expect(result.applied == (setting.isFixed ? [] : [name]))
        #expect(result.atNextStart == (setting.isFixed ? [name] : []))
        var kept = other
        kept.keepFixedParts(of: plain)
        #expect(kept == (setting.isFixed ? plain : other))
    }

    @Test("Every setting is described, by the name that it has in the type")
    func everySetting() {
        var configuration = ManagerConfiguration()
        configuration.footprint = .init(budgetBytes: 1 << 30)
        var names: [String] = []
        for (name, value) in configuration.properties {
            var inner = Mirror(reflecting: value)
            if inner.displayStyle == .optional, let value = inner.children.first?.value {
                inner = Mirror(reflecting: value)
            }
            let settings = inner.children.map { "\(name).\($0.label ?? "?")" }
            names += settings.isEmpty ? [name] : settings
        }
        #expect(ManagerSetting.all.map(\.name) == names)
        #expect(
            ConfigurationChange(from: configuration, to: configuration)
                == ConfigurationChange(from: .init(), to: .init()))
    }

    @Test("A changed deadline holds for the next step, and a changed trim for the next trim")
    func reclaim() async throws {
        let fixture = try Fixture()
        defer { fixture.machine.tree.remove() }
        try fixture.manager.apply(
            Self.changed {
                $0.reclaim.criticalDeadline = .milliseconds(70)
                $0.ladder.victimTimeout = .seconds(3)
            })
        #expect(fixture.manager.reclaimer.state.rules.criticalDeadline == .milliseconds(70))
        #expect(fixture.manager.ladder.victimTimeout == .seconds(3))
    }
}

extension ManagerSetting {
    /// Gives it another value.
    fileprivate func change(_ configuration: inout ManagerConfiguration) {
        switch kind {
        case .integer(let path, _), .bytes(let path, _), .boundedBytes(let path, _): configuration[keyPath: path] += 1
        case .duration(let path, _): configuration[keyPath: path] += .seconds(1)
        case .optionalDuration(let path, _): configuration[keyPath: path] = .seconds(1)
        case .flag(let path): configuration[keyPath: path].toggle()
        case .word(let word): _ = word.set(&configuration, word.all.first { $0 != word.get(configuration) } ?? "")
        case .path(let path): configuration[keyPath: path] = "/var/lib/x"
        case .texts(let path): configuration[keyPath: path] = ["x"]
        case .budget: configuration.footprint = .init(budgetBytes: 1)
        }
    }
}
