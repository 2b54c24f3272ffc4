import Configuration
import Jetsam
import JetsamTesting
import Logging
import MemoryPressure
import ServiceLifecycle
import Testing

@testable import JetsamConfiguration

struct ConfigurationReloadTests {
    private static func manager(_ settings: JetsamSettings, _ logger: Logger) throws -> ResourceManager {
        let machine = SimulatedMachine(tree: try .v2(limit: 512 << 20))
        return try ResourceManager(
            configuration: settings.manager, registry: CacheRegistry(),
            backgroundTasks: machine.makeBackgroundTaskRegistry(), logger: logger, environment: machine.environment)
    }

    @Test("A good change is applied and told; a bad one leaves everything and is told with its fault")
    func target() throws {
        let log = LogLines()
        let applied = Lock<[Int]>([])
        let target = ReloadTarget(current: JetsamSettings(), logger: log.logger) { configuration in
            applied.withLock { $0.append(configuration.headroom.warningPercent) }
            return try Self.manager(JetsamSettings(), log.silent).apply(configuration)
        }
        var settings = JetsamSettings()
        settings.manager.headroom.warningPercent = 30
        settings.manager.control.isEnabled = true
        settings.backgroundTasks.grace = .seconds(9)
        target.handle(.changed(settings))
        #expect(applied.withLock { $0 } == [30])
        #expect(
            log.lines == [
                "notice The configuration was taken over atNextStart=control.isEnabled, backgroundTasks.grace "
                    + "changed=headroom.warningPercent"
            ])
        target.handle(.unchanged)
        target.handle(.changed(settings))
        #expect(log.lines.count == 1)
        let problem = CheckReport.Problem(line: 2, column: 3, message: "unknown setting x")
        target.handle(.refused(ConfigurationFileError(path: "a.yaml", problems: [problem])))
        #expect(
            log.lines.last == "warning The configuration was not taken over; the last good one stays "
                + "error=a.yaml:2:3: error: unknown setting x")
        #expect(applied.withLock { $0 } == [30])
    }

    @Test("A change of settings that are fixed at the start is said to count at the next one")
    func atNextStart() throws {
        let log = LogLines()
        let target = ReloadTarget(current: JetsamSettings(), logger: log.logger) { configuration in
            try Self.manager(JetsamSettings(), log.silent).apply(configuration)
        }
        var settings = JetsamSettings()
        settings.backgroundTasks.grace = .seconds(8)
        target.handle(.changed(settings))
        #expect(
            log.lines == [
                "notice The configuration was read; what has changed counts at the next start "
                    + "atNextStart=backgroundTasks.grace changed=none"
            ])
    }

    @Test("Snapshots of a reader are followed until the group shuts down")
    func reader() async throws {
        let log = LogLines()
        let provider = MutableInMemoryProvider(initialValues: ["headroom.warningPercent": 30])
        let reader = ConfigReader(provider: provider)
        let manager = try Self.manager(try JetsamSettings(reader: reader), log.silent)
        let reload = try ConfigurationReload(of: reader, to: manager, logger: log.logger)
        let trigger = GracefulShutdownTrigger()
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                try await ServiceGroup(
                    configuration: .init(
                        services: [
                            .init(service: reload, successTerminationBehavior: .ignore),
                            .init(service: trigger, successTerminationBehavior: .gracefullyShutdownGroup),
                        ], logger: log.silent)
                ).run()
            }
            provider.setValue(40, forKey: "headroom.warningPercent")
            await log.next { $0.hasPrefix("notice") && $0.contains("changed=headroom.warningPercent") }
            provider.setValue(400, forKey: "headroom.warningPercent")
            await log.next { $0.hasPrefix("warning") && $0.contains("headroom.warningPercent is 400") }
            provider.setValue(50, forKey: "headroom.warningPercent")
            await log.next { $0.hasPrefix("notice") && $0.contains("changed=headroom.warningPercent") }
            trigger.pull()
            try await tasks.waitForAll()
        }
        #expect(log.lines.count == 3)
    }

    @Test("A file that changes is followed, and the manager judges by what it says")
    func file() async throws {
        let log = LogLines()
        let directory = try TestDirectory()
        let path = try directory.write("headroom: {warningPercent: 30}\n", to: "jetsam.yaml")
        let file = try ConfigurationFile(path)
        let manager = try Self.manager(file.settings, log.silent)
        var reload = ConfigurationReload(of: file, to: manager, logger: log.logger)
        // One look after another: no time has to pass for it.
        reload.pause = { _ in
            try Task.checkCancellation()
            await Task.yield()
        }
        let task = Task { [reload] in try await reload.run() }
        try directory.write("headroom: {warningPercent: 40}\n", to: "jetsam.yaml")
        await log.next { $0.contains("changed=headroom.warningPercent") }
        try directory.write("headroom: {warningPercent: x}\n", to: "jetsam.yaml")
        await log.next { $0.contains("\(path):1:28: error: headroom.warningPercent is x") }
        task.cancel()
        try await task.value
        #expect(file.settings.manager.headroom.warningPercent == 40)
    }

    @Test("A reader that never changes keeps the service, which ends with its group")
    func unchangingReader() async throws {
        let log = LogLines()
        let reader = ConfigReader(provider: EnvironmentVariablesProvider(environmentVariables: [:]))
        let manager = try Self.manager(JetsamSettings(), log.silent)
        let reload = try ConfigurationReload(of: reader, to: manager, logger: log.logger)
        let hasEnded = Lock(false)
        let task = Task {
            try await reload.run()
            hasEnded.withLock { $0 = true }
        }
        for _ in 0..<1000 { await Task.yield() }
        #expect(!hasEnded.withLock { $0 })
        task.cancel()
        try await task.value
        #expect(log.lines == [])
    }
}
