internal import ArgumentParser
internal import Jetsam

/// `jetsam dry-run`: has a process decide and record everything, and do nothing; or do it again.
struct DryRunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dry-run",
        abstract: "Has a process decide and record everything and do nothing, or act again.",
        discussion: """
            While it is on no cache is asked, nothing is trimmed or taken and no background task is refused; log and trace say what \
            would have been done. What is under way ends as it began. Limits of caches that were set are lifted once the level is \
            normal. A new configuration that the process takes over sets it again, as `isDryRun`.

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
