internal import ArgumentParser
internal import Jetsam

/// `jetsam dry-run`: has a process decide and record everything, and do nothing; or do it again.
struct DryRunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dry-run",
        abstract: "Turns the dry run of a process on or off: it decides and records everything, and does nothing.",
        discussion: """
            In a dry run the process asks no cache, trims nothing, takes nothing and refuses no background task. Log and trace say \
            what it would have done. A step that is under way ends as it began. Limits of caches are removed when the level is \
            normal. If the process applies a new configuration, its `isDryRun` replaces this setting.

            \(ControlOptions.exitStatus)
            """
    )

    enum Switch: String, ExpressibleByArgument, CaseIterable {
        case on, off
    }

    @OptionGroup var control: ControlOptions

    @Argument(help: "on, or off.")
    var state: Switch

    func run() throws {
        do throws(ControlFailure) {
            _ = try control.client().ask(.dryRun(state == .on), for: "dryRun")
            print(
                state == .on
                    ? "process \(control.pid) decides and records, and does nothing"
                    : "process \(control.pid) does what it decides")
        } catch {
            throw error.report()
        }
    }
}
