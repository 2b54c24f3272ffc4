internal import ArgumentParser
internal import Configuration
internal import JetsamConfiguration
internal import SystemPackage

extension DemoServer {
    /// What Jetsam is set up with: the command line first, then the environment, then the file.
    func settings() throws -> (settings: JetsamSettings, file: ConfigurationFile?) {
        let reader = ConfigReader(providers: [InMemoryProvider(values: options), EnvironmentVariablesProvider()])
            .scoped(to: "jetsam")
        guard let config else { return (try JetsamSettings(reader: reader), nil) }
        do {
            let file = try ConfigurationFile(FilePath(config), overrides: reader)
            return (file.settings, file)
        } catch {
            throw ValidationError("--config \(config) cannot be used:\n\(error)")
        }
    }

    /// What the command line says, by the names of the settings.
    private var options: [AbsoluteConfigKey: ConfigValue] {
        var values: [AbsoluteConfigKey: ConfigValue] = [:]
        if let footprintBudget {
            values["jetsam.footprint.budgetBytes"] = ConfigValue(.int(footprintBudget.bytes), isSecret: false)
        }
        if let control {
            values["jetsam.control.isEnabled"] = ConfigValue(.bool(true), isSecret: false)
            values["jetsam.control.directory"] = ConfigValue(.string(control), isSecret: false)
        }
        values["jetsam.lifecycle.terminationGracePeriod"] = lifecycle.terminationGracePeriod.map(Self.time)
        values["jetsam.lifecycle.drainDelay"] = lifecycle.drainDelay.map(Self.time)
        return values
    }

    private static func time(_ seconds: Double) -> ConfigValue {
        ConfigValue(.string("\(Int((seconds * 1e6).rounded()))us"), isSecret: false)
    }
}
