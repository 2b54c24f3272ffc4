import Configuration
import Jetsam
import SystemPackage
import Testing

@testable import JetsamConfiguration

struct ConfigurationFileTests {
    private static func overrides(_ variables: [String: String]) -> ConfigReader {
        ConfigReader(provider: EnvironmentVariablesProvider(environmentVariables: variables)).scoped(to: "jetsam")
    }

    @Test("A file is read with what overrides it, and read again when it changes")
    func reads() throws {
        let directory = try TestDirectory()
        let path = try directory.write("headroom: {warningPercent: 30, exitPoints: 4}\n", to: "jetsam.yaml")
        let file = try ConfigurationFile(path, overrides: Self.overrides(["JETSAM_HEADROOM_EXIT_POINTS": "9"]))
        #expect(file.settings.manager.headroom.warningPercent == 30)
        #expect(file.settings.manager.headroom.exitPoints == 9)
        guard case .unchanged = file.look() else { return #expect(Bool(false), "nothing has changed") }

        try directory.write("headroom: {warningPercent: 40}\n", to: "jetsam.yaml")
        guard case .unchanged = file.look() else { return #expect(Bool(false), "it may be half written") }
        #expect(file.settings.manager.headroom.warningPercent == 30)
        guard case .changed(let settings) = file.look() else { return #expect(Bool(false), "it has changed") }
        #expect(settings == file.settings)
        #expect(settings.manager.headroom.warningPercent == 40)
        #expect(settings.manager.headroom.exitPoints == 9)

        try directory.write("# the same\nheadroom: {warningPercent: 40}\n", to: "jetsam.yaml")
        guard case .unchanged = file.look(isReady: true) else { return #expect(Bool(false), "it says the same") }
    }

    @Test("A bad file leaves the last good settings, and is told with its lines")
    func bad() throws {
        let directory = try TestDirectory()
        let path = try directory.write("headroom: {warningPercent: 30}\n", to: "jetsam.yaml")
        let file = try ConfigurationFile(path)
        let before = file.settings
        for (text, expected) in [
            ("headroom:\n  warningPercent: 300\nx: 1\n", ["2:19: error: ", "3:1: error: unknown setting x"]),
            ("", ["empty"]),
        ] {
            try directory.write(text, to: "jetsam.yaml")
            guard case .refused(let error) = file.look(isReady: true) else { return #expect(Bool(false), "it is bad") }
            let lines = error.description.split(separator: "\n")
            #expect(lines.count == expected.count)
            for (line, words) in zip(lines, expected) {
                #expect(line.hasPrefix(path.string + ":") && line.contains(words))
            }
            #expect(file.settings == before)
        }
        directory.remove("jetsam.yaml")
        guard case .refused(let error) = file.look() else { return #expect(Bool(false), "it is gone") }
        #expect(error.description == "\(path): error: the file cannot be read: No such file or directory")
        #expect(file.settings == before)

        try directory.write("headroom: {warningPercent: 50}\n", to: "jetsam.yaml")
        guard case .changed = file.look(isReady: true) else { return #expect(Bool(false), "it is good again") }
        #expect(file.settings.manager.headroom.warningPercent == 50)
    }

    @Test("What overrides a file is checked together with it")
    func badOverrides() throws {
        let directory = try TestDirectory()
        let path = try directory.write("headroom: {warningPercent: 30}\n", to: "jetsam.yaml")
        for (value, words) in [("x", "whole number"), ("35", "less than headroom.warningPercent, which is 30")] {
            let error = #expect(throws: ConfigurationFileError.self) {
                try ConfigurationFile(path, overrides: Self.overrides(["JETSAM_HEADROOM_CRITICAL_PERCENT": value]))
            }
            #expect(error?.problems.count == 1)
            #expect(error?.description.contains(words) == true)
            #expect(error?.description.contains("a setting that overrides the file") == true)
        }
        #expect(throws: ConfigurationFileError.self) { try ConfigurationFile("/nowhere/at/all.yaml") }
    }

    @Test("A FIFO is refused at once, as it can be read once only")
    func fifo() throws {
        let directory = try TestDirectory()
        let path = try directory.makeFIFO("fifo")
        let error = #expect(throws: ConfigurationFileError.self) { try ConfigurationFile(path) }
        #expect(
            error?.description
                == "\(path): error: the file cannot be read: it is a FIFO, which can be read once only; a file is needed"
        )

        let file = try ConfigurationFile(directory.write("headroom: {warningPercent: 30}\n", to: "jetsam.yaml"))
        directory.remove("jetsam.yaml")
        try directory.makeFIFO("jetsam.yaml")
        guard case .refused(let error) = file.look() else { return #expect(Bool(false), "it is a FIFO") }
        #expect(error.description.contains("it is a FIFO"))
        #expect(file.settings.manager.headroom.warningPercent == 30)
    }
}
