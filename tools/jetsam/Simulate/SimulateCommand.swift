internal import ArgumentParser
internal import Jetsam
internal import MemoryPressure

/// `jetsam simulate`: has a process hold a level, to see how it answers.
struct SimulateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Sets the level of a process, to test how it reacts.",
        discussion: """
            The process asks caches and refuses background tasks as at a real level. It takes no scene and no held background \
            task. The simulation ends after --for, or with the level normal. Real pressure still counts.

            \(ControlOptions.exitStatus)
            """
    )

    enum Level: String, ExpressibleByArgument, CaseIterable {
        case warning, critical, normal

        var level: PressureLevel {
            switch self {
            case .warning: .warning
            case .critical: .critical
            case .normal: .normal
            }
        }
    }

    @OptionGroup var control: ControlOptions

    @Argument(help: "warning, critical, or normal, which ends the simulation.")
    var level: Level

    @Option(
        name: .customLong("for"),
        help: .init("How long, up to 86400 seconds. Without it, until the next simulate.", valueName: "seconds"))
    var seconds: Double?

    func validate() throws {
        if let seconds, !(seconds >= 0.001 && seconds <= 86_400) {
            throw ValidationError("--for must be more than 0 and at most 86400 seconds, not \(seconds).")
        }
    }

    func run() throws {
        do throws(ControlFailure) {
            let time = seconds.map { Duration.milliseconds(Int(($0 * 1000).rounded())) }
            _ = try control.client().ask(.simulate(level.level, for: time), for: "simulated")
            let end = seconds.map { " for \($0) s" } ?? (level == .normal ? "" : " until told otherwise")
            print("process \(control.pid) holds \(level == .normal ? "no level" : level.rawValue)\(end)")
        } catch {
            throw error.report()
        }
    }
}
