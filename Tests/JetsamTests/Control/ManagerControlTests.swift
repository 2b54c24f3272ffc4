import JetsamTesting
import Logging
import MemoryPressure
import SystemPackage
import Testing

@testable import BackgroundTasks
@testable import Jetsam
@testable import PurgeableCaches

#if os(Linux)
    struct ManagerControlTests {
        private let base: TemporaryDirectory
        private var directory: String { base.path.appending("control").string }

        init() throws {
            base = try TemporaryDirectory()
        }

        private func fixture(_ directory: String?, isEnabled: Bool = true) throws -> Fixture {
            var configuration = ManagerConfiguration()
            configuration.control.isEnabled = isEnabled
            configuration.control.directory = directory
            return try Fixture(configuration: configuration)
        }

        private func path(_ fixture: Fixture) -> String {
            "\(directory)/\(fixture.machine.environment.processID).sock"
        }

        @Test("By default there is no socket")
        func off() async throws {
            let fixture = try fixture(directory, isEnabled: false)
            try await fixture.run { _ in
                let names = try TemporaryDirectory.names(base.path)
                #expect(names.isEmpty)
            }
        }

        @Test("The status says what the manager knows, and the socket is gone with the run")
        func status() async throws {
            let fixture = try fixture(directory)
            let cache = FakeCache("thumbnails\n\"1\"", bytes: 64 * mebibyte, priority: .low, in: fixture)
            try await fixture.run { fixture in
                let task = try fixture.backgroundTasks.begin("flush", priority: .high).intoIdentifier()
                fixture.machine.advance(by: .seconds(2))
                fixture.set(used: 480 * mebibyte)
                // In pieces that no deadline of a handler fits into, as its thread may not run for long on a busy machine.
                for _ in 0..<20 {
                    fixture.machine.advance(by: .milliseconds(50))
                    await fixture.settle()
                }
                await fixture.toldEverything()
                let answer = try await ControlPeer.ask("status", path(fixture))
                #expect(answer.hasPrefix(#"{"version":1,"status":{"pid":"#))
                for part in [
                    #""level":"critical","rule":"headroom","reason":"headroom "#, #""limitBytes":536870912"#,
                    #""name":"thumbnails\n\"1\"","priority":"low""#, #""cacheCount":1"#,
                    #""backgroundTasks":{"held":1,"#,
                    #""oldest":[{"name":"flush","origin":"JetsamTests/ManagerControlTests.swift"#,
                    #""sinceProgressSeconds":null,"state":"held","overdueSeconds":null,"remainingSeconds":null"#,
                    #""connected":{"unattached":0,"inactive":0,"active":0,"#, #""steps":[{"sequence":"#,
                    #""uptimeSeconds":3.0"#, #""isDryRun":false"#, #""warningBytes":"#,
                    #""footprintBudgetBytes":null"#,
                ] {
                    #expect(answer.contains(part), "\(part) in \(answer)")
                }
                fixture.backgroundTasks.endBackgroundTask(task)
            }
            cache.end()
            #expect(try TemporaryDirectory.names(base.path.appending("control")).isEmpty)
        }

        @Test("A level is held as asked, and normal ends it")
        func simulate() async throws {
            let fixture = try fixture(directory)
            try await fixture.run { fixture in
                let answer = try await ControlPeer.ask("simulate warning 10", path(fixture))
                #expect(answer == "{\"version\":1,\"simulated\":{\"level\":\"warning\",\"seconds\":10.0}}\n")
                #expect(fixture.manager.level == .warning)
                fixture.machine.advance(by: .seconds(20))
                #expect(fixture.manager.level == .normal)
                _ = try await ControlPeer.ask("simulate critical", path(fixture))
                fixture.machine.advance(by: .seconds(100))
                #expect(fixture.manager.level == .critical)
                _ = try await ControlPeer.ask("simulate normal", path(fixture))
                fixture.machine.advance(by: .seconds(20))
                #expect(fixture.manager.level == .normal)
            }
        }

        @Test("Caches are asked for what is wanted, or for everything")
        func release() async throws {
            let fixture = try fixture(directory)
            let cache = FakeCache("values", bytes: 64 * mebibyte, in: fixture)
            try await fixture.run { fixture in
                let answer = try await ControlPeer.ask("release \(4 * mebibyte)", path(fixture))
                #expect(answer.hasPrefix(#"{"version":1,"released":{"sequence":"#))
                #expect(answer.contains(#""promisedBytes":4194304"#))
                _ = try await ControlPeer.ask("release all", path(fixture))
            }
            #expect(cache.requests.count == 2)
            #expect(cache.state.withLock { $0.bytes } == 0)
            cache.end()
        }

        @Test("Room is made for a limit, and the answer says what was reached")
        func prepare() async throws {
            let fixture = try fixture(directory)
            let cache = FakeCache("values", bytes: 100 * mebibyte, in: fixture)
            try await fixture.run { fixture in
                let answer = try await ControlPeer.ask("release to \(150 * mebibyte) 30", path(fixture))
                let start = #"{"version":1,"prepared":{"limitBytes":157286400,"isReached":true,"#
                #expect(answer.hasPrefix(start), "\(answer)")
                #expect(answer.contains(#""heldSeconds":30.0"#))
                #expect(answer.contains(#""caches":[{"name":"values","#))
                let status = try await ControlPeer.ask("status", path(fixture))
                #expect(status.contains(#""announcedLimit":{"bytes":157286400,"heldSeconds":30.0}"#), "\(status)")
                let none = try await ControlPeer.ask("release to none", path(fixture))
                #expect(none == "{\"version\":1,\"prepared\":{\"limitBytes\":null}}\n")
            }
            cache.end()
        }

        @Test("A dry run begins and ends when it is asked for")
        func dryRun() async throws {
            let fixture = try fixture(directory)
            let cache = FakeCache("values", bytes: 64 * mebibyte, in: fixture)
            try await fixture.run { fixture in
                let answer = try await ControlPeer.ask("dry-run on", path(fixture))
                #expect(answer == "{\"version\":1,\"dryRun\":{\"isOn\":true}}\n")
                #expect(fixture.manager.status.isDryRun)
                let released = try await ControlPeer.ask("release \(4 * mebibyte)", path(fixture))
                let none = #""targetBytes":4194304,"promisedBytes":0,"returnedBytes":0,"isDryRun":true"#
                #expect(released == #"{"version":1,"released":{\#(none)}}"# + "\n")
                #expect(cache.requests.isEmpty)
                _ = try await ControlPeer.ask("dry-run off", path(fixture))
                #expect(!fixture.manager.status.isDryRun)
            }
            cache.end()
        }

        @Test("Tasks are notified by name, or all of them, once; in a dry run none is")
        func expire() async throws {
            let fixture = try fixture(directory)
            let told = Lock<[String]>([])
            @Sendable func begin(_ name: String) throws -> BackgroundTask {
                try fixture.backgroundTasks.begin(BackgroundTaskName(name)) { reason, _ in
                    told.withLock { $0.append("\(name): \(reason)") }
                }
            }
            @Sendable func answer(_ notified: Int, isDryRun: Bool = false) -> String {
                "{\"version\":1,\"expired\":{\"notified\":\(notified),\"isDryRun\":\(isDryRun)}}\n"
            }
            try await fixture.run { fixture in
                var tasks = try [begin("flush é").stored(), begin("flush é").stored(), begin("upload").stored()]
                fixture.manager.setDryRun(true)
                #expect(try await ControlPeer.ask("expire all", path(fixture)) == answer(0, isDryRun: true))
                fixture.manager.setDryRun(false)
                #expect(try await ControlPeer.ask("expire named index", path(fixture)) == answer(0))
                #expect(try await ControlPeer.ask("expire named flush%20%C3%A9", path(fixture)) == answer(2))
                fixture.machine.advance(by: .milliseconds(10))
                #expect(told.withLock { $0.count } == 2)
                #expect(tasks.map(\.expiryReason) == [.operator, .operator, nil])
                #expect(try await ControlPeer.ask("expire all", path(fixture)) == answer(1))
                fixture.machine.advance(by: .milliseconds(10))
                #expect(
                    told.withLock { $0 } == ["flush é: operator", "flush é: operator", "upload: operator"])
                tasks.forEach { $0.end() }
                tasks = []
            }
        }

        @Test("Without a directory, and in one that others can enter, the manager runs and says why there is no socket")
        func refused() async throws {
            for directory in [nil, "/tmp"] {
                var configuration = ManagerConfiguration()
                configuration.control.isEnabled = true
                configuration.control.directory = directory
                let logs = LogRecord()
                let machine = SimulatedMachine(tree: try .v2(limit: 512 * mebibyte))
                let manager = try ResourceManager(
                    configuration: configuration, registry: CacheRegistry(),
                    backgroundTasks: machine.makeBackgroundTaskRegistry(), logger: logs.logger,
                    environment: machine.environment)
                let run = Task { try await manager.run() }
                await machine.waitUntilStarted()
                run.cancel()
                try await run.value
                let line = try #require(logs.warnings.first { $0.hasPrefix("There is no control socket: ") })
                #expect(line.contains(directory == nil ? "XDG_RUNTIME_DIR is not set" : "mode"))
            }
        }
    }
#endif
