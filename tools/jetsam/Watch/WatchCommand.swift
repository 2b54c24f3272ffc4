internal import ArgumentParser
internal import Jetsam
internal import MemoryPressure

/// `jetsam watch`: what a process's manager sees and does, again and again.
struct WatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Shows what a process's manager sees and does, again and again, until Ctrl-C.",
        discussion: """
            On a terminal only changed lines are written again. If standard output is not a terminal, each look is written as \
            plain lines, with an empty line after them.

            In the bar, # is memory that the kernel cannot take back for free, and + is memory that it can. W and C mark where \
            warning and critical begin.

            EXIT STATUS
              0     done (--once)
              64    usage
              69    there is no such process, it has no control socket, or it does not answer; or it has ended meanwhile
              77    this user may not ask it: only the process's own user and root may
              130   ended by Ctrl-C (SIGTERM: 143)

            With --json each look is one line: see jetsam status --help.
            """
    )

    @OptionGroup var control: ControlOptions

    @Flag(help: "Look once, and end.")
    var once = false

    @Flag(help: "Print a line of JSON for each look.")
    var json = false

    @Option(help: .init("Seconds from one look to the next, from 0.1 to 3600.", valueName: "seconds"))
    var interval = 1.0

    func validate() throws {
        guard interval >= 0.1, interval <= 3600 else {
            throw ValidationError("--interval must be from 0.1 to 3600 seconds, not \(interval).")
        }
    }

    func run() throws {
        do throws(ControlFailure) {
            // Found anew for each look, so that a socket that is made again is not missed.
            if once { return show(try look()) }
            if json || !Terminal.isInteractive { try repeatPlainly() } else { try watch() }
        } catch {
            throw error.report()
        }
    }

    private func look() throws(ControlFailure) -> JSONText {
        try control.client().ask(.status, for: "status")
    }

    private func show(_ status: JSONText) {
        if json {
            Terminal.write("\(status)\n")
        } else {
            let columns = Terminal.isInteractive ? Terminal.size.columns : 80
            Terminal.write(
                WatchView.lines(Snapshot(status, of: control.pid), columns: columns).joined(separator: "\n") + "\n")
        }
    }

    private func repeatPlainly() throws(ControlFailure) {
        var signals = EndingSignals()
        while true {
            show(try look())
            if !json { Terminal.write("\n") }
            if let signal = signals.wait(for: pause) { Self.exit(withError: ExitCode(128 + signal)) }
        }
    }

    private func watch() throws(ControlFailure) {
        var signals = EndingSignals()
        var screen = Screen()
        Terminal.write(Screen.hideCursor)
        while true {
            let status: JSONText
            do {
                status = try look()
            } catch {
                Terminal.write(Screen.showCursor)
                throw error
            }
            let size = Terminal.size
            let lines = WatchView.lines(Snapshot(status, of: control.pid), columns: size.columns)
            Terminal.write(screen.update(to: lines, rows: size.rows, columns: size.columns))
            if let signal = signals.wait(for: pause) {
                Terminal.write(Screen.showCursor)
                Self.exit(withError: ExitCode(128 + signal))
            }
        }
    }

    private var pause: Duration { .milliseconds(Int(interval * 1000)) }
}
