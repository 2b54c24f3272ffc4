import JetsamTesting
import MemoryPressure
import TestSupport
import Testing

@testable import BackgroundTasks
@testable import Jetsam

struct PrivacyTests {
    @Test(
        "Entering the background empties caches that are sensitive, and these alone of those that are not needed for it"
    )
    func emptiesSensitive() async throws {
        var configuration = ManagerConfiguration()
        configuration.lifecycle.terminationGracePeriod = .seconds(30)
        let fixture = try Fixture(configuration: configuration)
        try await fixture.run { fixture in
            let secret = FakeCache("secret", bytes: 40 * mebibyte, traits: .sensitive, in: fixture)
            let plain = FakeCache("plain", bytes: 200 * mebibyte, in: fixture)
            try await fixture.manager.resignActive()
            try await fixture.manager.enterBackground()
            try await eventually("it is empty") { secret.state.withLock { $0.bytes == 0 } }
            await fixture.settle()
            #expect(plain.state.withLock { $0.bytes } > 0)
        }
    }

    @Test("One snapshot of all that is held is recorded on entering the background, after it was redacted")
    func snapshot() async throws {
        let file = try TemporaryFile()
        var configuration = ManagerConfiguration()
        configuration.recorder.traceFile = file.path
        let fixture = try Fixture(
            configuration: configuration,
            redactSnapshot: { name, part in
                switch part {
                case .backgroundTask: nil
                case .cache, .scene: name == "of somebody" ? "redacted" : name
                }
            })
        try await fixture.run { fixture in
            let caches = [
                FakeCache("of somebody", bytes: mebibyte, in: fixture),
                FakeCache("other", bytes: mebibyte, in: fixture),
            ]
            var task = try fixture.backgroundTasks.begin("private work")
            try await fixture.manager.resignActive()
            try await fixture.manager.enterBackground()
            task.end()
            _ = caches
        }
        let text = String(decoding: try file.read(), as: UTF8.self)
        let lines = text.split(separator: "\n").filter { $0.contains("\"k\":\"snapshot\"") }
        #expect(lines.count == 3)
        #expect(lines.contains { $0.contains("\"part\":\"cache\",\"name\":\"redacted\",\"bytes\":1048576") })
        #expect(!text.contains("private work"))
        #expect(!lines.contains { $0.contains("of somebody") })
    }

    @Test("Hashed names are the same for the same name, and none is in the trace")
    func hashesNames() async throws {
        let file = try TemporaryFile()
        var configuration = ManagerConfiguration()
        configuration.recorder.traceFile = file.path
        configuration.recorder.hashesNames = true
        let fixture = try Fixture(configuration: configuration)
        try await fixture.run { fixture in
            let cache = FakeCache("of somebody", bytes: 100 * mebibyte, in: fixture)
            await fixture.manager.releaseCaches(bytes: mebibyte)
            try await fixture.manager.resignActive()
            try await fixture.manager.enterBackground()
            _ = cache
        }
        let text = String(decoding: try file.read(), as: UTF8.self)
        #expect(!text.contains("of somebody"))
        #expect(text.contains("\"k\":\"cache\""))
        #expect(text.contains("\"hashesNames\":true"))
        let hash = NameHash.of("of somebody")
        #expect(text.split(separator: "\n").filter { $0.contains(hash) }.count >= 2)
    }
}
