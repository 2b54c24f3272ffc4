import Jetsam
import SystemPackage
import Testing

@testable import JetsamSimulation

@Suite("The command line of the simulation")
struct OptionsTests {
    private func write(_ text: String, in directory: TemporaryDirectory) throws -> String {
        let path = directory.path.appending("config.yaml")
        try TemporaryDirectory.write(Array(text.utf8), to: path)
        return path.string
    }

    @Test("Managers get the configuration of the file; what has to hold is said of the defaults alone")
    func config() throws {
        let directory = try TemporaryDirectory()
        let path = try write("headroom:\n  warningPercent: 15\n  criticalPercent: 7\n", in: directory)
        let options = try Options(["--seeds", "100", "--config", path])
        #expect(options.configuration.headroom.warningPercent == 15 && !options.isFixed)
        #expect(try Options(["--seeds", "100"]).isFixed)
        let plan = WorldPlan(seed: 3, duration: 1_000_000_000, configuration: options.configuration)
        #expect(plan.servers.allSatisfy { $0.configuration.headroom.criticalPercent == 7 })
        #expect(throws: Options.Wrong.self) { try Options(["--config", path, "--record"]) }
    }

    @Test("A file that is no configuration is refused, and every fault is named")
    func refuses() throws {
        let directory = try TemporaryDirectory()
        let path = try write("headroom:\n  warningPercen: 15\n  criticalPercent: 400\n", in: directory)
        let error = try #require(throws: Options.Wrong.self) { try Options(["--config", path]) }
        #expect(error.text.contains("warningPercen") && error.text.contains("criticalPercent"))
        let missing = try #require(throws: Options.Wrong.self) { try Options(["--config", path + ".none"]) }
        #expect(missing.text.contains("cannot be read"))
    }
}
