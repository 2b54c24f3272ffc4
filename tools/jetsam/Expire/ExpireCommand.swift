internal import ArgumentParser
internal import Jetsam

/// `jetsam expire`: has a process notify its background tasks that they expire.
struct ExpireCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "expire",
        abstract: "Notifies the background tasks of a process that they expire now.",
        discussion: """
            Use it if work stands in the way of something that cannot wait, such as a deploy. Each task gets the reason operator, and \
            has its grace (2 s by default) to end. A task that ignores this is not ended: the process reports it as overdue. A task \
            that was notified before is not notified again. 'jetsam status' names the five longest-running tasks.

            EXIT STATUS
              0     at least one task was notified
              1     none was: no such task is held, or the process is in a dry run
              64    usage
              69    there is no such process, it has no control socket, or it does not answer in time: then it drops
                    a request that it has not begun
              77    this user may not ask it: only the process's own user and root may
            """
    )

    @OptionGroup var control: ControlOptions

    @Option(help: .init("Notify the tasks with this name.", valueName: "task"))
    var name: String?

    @Flag(help: "Notify every task.")
    var all = false

    func validate() throws {
        guard all != (name != nil) else { throw ValidationError("Either --name or --all is needed, and not both.") }
        guard let name else { return }
        if name.isEmpty { throw ValidationError("--name must not be empty.") }
        if name.unicodeScalars.count > BackgroundTaskName.mostScalars {
            let most = BackgroundTaskName.mostScalars
            throw ValidationError("--name has at most \(most) characters: longer names are cut to that.")
        }
    }

    func run() throws {
        let count: Int
        do throws(ControlFailure) {
            let answer = try control.client().ask(.expire(named: name), for: "expired")
            count = answer["notified"]?.integer ?? 0
            print(text(count, isDryRun: answer["isDryRun"]?.bool == true))
        } catch {
            throw error.report()
        }
        if count == 0 { throw ExitCode.failure }
    }

    private func text(_ count: Int, isDryRun: Bool) -> String {
        if isDryRun { return "the process is in a dry run: no task was notified" }
        switch count {
        case 0 where name == nil: return "no task is held that was not notified before"
        case 0: return "no such task is held, or it was notified before"
        case 1: return "1 background task was notified"
        default: return "\(count) background tasks were notified"
        }
    }
}
